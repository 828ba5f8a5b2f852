// Package cgroup limits processes and memory of one confined command by a control group of its own, version 1 or 2,
// where the group that we are in may be divided by us. It owns the groups named devflock-PID-*, and removes those that
// a killed launcher left.
package cgroup
