// Package strays ends what an unconfined client leaves behind. The client puts its commands in groups of their own, so they survive
// the end of its group, and its death (measured on 2.1.197). They are found by descent before it ends and by a mark in their
// environment after it. A sandbox makes this unnecessary.
//
// It owns no table and no file. It kills nothing but what it was told by mark or family, each checked by its start time.
package strays

// Family are processes as they were at one moment.
type Family []process

// process is one that may have to end, told from a later one with its number.
type process struct {
	pid   int
	start int64
}
