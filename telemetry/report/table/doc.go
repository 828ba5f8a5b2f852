// Package table writes the values of telemetry/report for people: aligned text of at most 100 columns, units in the
// headers, numbers with thousands separators, times in the reader's zone. Programs take the JSON of package report.
// It owns no table and reads no store. Nothing that a repository or an agent named reaches the terminal with its control
// characters.
package table
