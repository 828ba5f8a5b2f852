package store

import (
	"bytes"
	"hash/fnv"
	"strconv"
)

// A spool file is a sequence of frames: length (8 hex digits), blank, checksum (16 hex digits), blank, record, newline.
// The checksum is FNV-1a, which needs no tables at program start; it has to find torn writes, not forgeries.
const (
	lengthDigits = 8
	sumDigits    = 16
	frameHead    = lengthDigits + 1 + sumDigits + 1
)

// appendFrame appends record as a frame.
func appendFrame(b, record []byte) []byte {
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

// frameAt returns the record of the sound frame that starts at b[0] and the length of that frame.
func frameAt(b []byte) (record []byte, size int, ok bool) {
	if len(b) < frameHead+1 || b[lengthDigits] != ' ' || b[frameHead-1] != ' ' {
		return nil, 0, false
	}
	n, err := strconv.ParseUint(string(b[:lengthDigits]), 16, 32)
	if err != nil || n > uint64(len(b)-frameHead-1) {
		return nil, 0, false
	}
	sum, err := strconv.ParseUint(string(b[lengthDigits+1:frameHead-1]), 16, 64)
	if err != nil {
		return nil, 0, false
	}
	record = b[frameHead : frameHead+int(n)]
	size = frameHead + int(n) + 1
	if b[size-1] != '\n' || checksum(record) != sum {
		return nil, 0, false
	}
	return record, size, true
}

// badPrefix returns how many bytes at the start of b belong to no sound frame. A frame can only start after a newline, since
// whoever appends to a torn tail writes one first.
func badPrefix(b []byte) int {
	for at := 0; ; {
		nl := bytes.IndexByte(b[at:], '\n')
		if nl < 0 {
			return len(b)
		}
		at += nl + 1
		if at == len(b) {
			return at
		}
		if _, _, ok := frameAt(b[at:]); ok {
			return at
		}
	}
}
