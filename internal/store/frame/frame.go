// Package frame puts records into a file so that torn and damaged ones are noticed and the sound ones after them are found.
//
// It knows bytes only; the files are the spool's (package store).
package frame

import (
	"bytes"
	"hash/fnv"
	"strconv"
)

// A frame is: length (8 hex digits), blank, checksum (16 hex digits), blank, record, newline. The checksum is FNV-1a, which
// needs no tables at program start; it has to find torn writes, not forgeries.
const (
	// Overhead is how many bytes a frame has besides its record.
	Overhead = head + 1

	lengthDigits = 8
	sumDigits    = 16
	head         = lengthDigits + 1 + sumDigits + 1
)

// Append appends record as a frame. Whoever appends to a file that does not end in a newline writes one first.
func Append(b, record []byte) []byte {
	b = appendHex(b, uint64(len(record)), lengthDigits)
	b = append(b, ' ')
	b = appendHex(b, checksum(record), sumDigits)
	b = append(b, ' ')
	b = append(b, record...)
	return append(b, '\n')
}

// appendHex appends n as hex digits with leading zeros.
func appendHex(b []byte, n uint64, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[n>>shift&15])
	}
	return b
}

// checksum is the checksum of a record.
func checksum(record []byte) uint64 {
	h := fnv.New64a()
	h.Write(record)
	return h.Sum64()
}

// At returns the record, a part of b, of the sound frame that starts at b[0], and the length of that frame.
func At(b []byte) (record []byte, size int, ok bool) {
	if len(b) < head+1 || b[lengthDigits] != ' ' || b[head-1] != ' ' {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(string(b[:lengthDigits]), 16, 32)
	if err != nil || n > uint64(len(b)-head-1) {
		return nil, 0, false
	}
	sum, err := strconv.ParseUint(string(b[lengthDigits+1:head-1]), 16, 64)
	if err != nil {
		return nil, 0, false
	}
	record = b[head : head+int(n)]
	size = head + int(n) + 1
	if b[size-1] != '\n' || checksum(record) != sum {
		return nil, 0, false
	}
	return record, size, true
}

// Skip returns how many bytes at the start of b, where no sound frame starts, lie before the next one. A frame can only start
// after a newline.
func Skip(b []byte) int {
	for at := 0; ; {
		nl := bytes.IndexByte(b[at:], '\n')
		if nl < 0 {
			return len(b)
		}
		at += nl + 1
		if at == len(b) {
			return at
		}
		if _, _, ok := At(b[at:]); ok {
			return at
		}
	}
}
