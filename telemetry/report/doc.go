// Package report holds the read models of the store: what devflow-telemetry, devflow status and the dashboard show. Each
// function takes one short read snapshot, so that hooks can go on writing and truncating their log.
// It owns no table and writes nothing; text for people is made in telemetry/report/table.
//
// The JSON names of the types are an interface: they are only added to. A value that is not known is null, never 0 or an
// empty guess. Work tokens are input + cache writes + output of unique messages; costs are USD at API list price; times are
// RFC 3339 in UTC or unix milliseconds in fields that end in _ms.
package report
