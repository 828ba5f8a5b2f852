// Package pack decides how many workers a plan deserves and which of them owns which modules.
//
// It is pure arithmetic on a plan: the exact width of the task graph, a simulation of the schedule that a packing leads to, lower
// bounds that no schedule can beat, and the packing itself. The same plan gives the same answer on every machine. It owns no table
// and no file, starts nothing, and does not check plans: what package plan would refuse (cycles, unknown names, weights that are no
// numbers) is answered safely here, never with a panic or an endless loop.
package pack
