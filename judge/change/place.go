package change

import "sort"

// Present is the line of the present file at which line old of the former one stood: the line itself where it is still
// there, else the one that took its place, else the one behind it.
func (f *File) Present(old int) int {
	gone := sort.SearchInts(f.removed, old)
	n := old - 1 - gone // lines before it that are still there
	if gone == len(f.removed) || f.removed[gone] != old {
		return f.staying(n + 1)
	}
	at := 1
	if n > 0 {
		at = f.staying(n) + 1
	}
	for k := gone; k > 0 && f.removed[k-1] == f.removed[k]-1 && within(f.added, at+1, at+1); k-- {
		at++ // a block of lines that took the place of a block
	}
	return at
}

// staying is the line of the n-th line of the present file that was there before.
func (f *File) staying(n int) int {
	for _, a := range f.added {
		if a > n {
			break
		}
		n++
	}
	return n
}
