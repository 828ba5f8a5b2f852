package frame_test

import (
	"bytes"
	"testing"

	"github.com/devflow-suite/devflow/internal/store/frame"
	"pgregory.net/rapid"
)

func TestFramesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "records")
		var file []byte
		for _, r := range records {
			file = frame.Append(file, r)
		}
		for _, want := range records {
			got, size, ok := frame.At(file)
			if !ok || !bytes.Equal(got, want) || size != len(want)+frame.Overhead {
				t.Fatalf("got %q of %d bytes, %v, want %q", got, size, ok, want)
			}
			file = file[size:]
		}
		if len(file) > 0 {
			t.Errorf("%d bytes are left", len(file))
		}
	})
}

func TestEveryCutAndEveryFlippedBitIsNoticed(t *testing.T) {
	t.Parallel()
	whole := frame.Append(nil, []byte(`{"n":1}`))
	next := frame.Append(nil, []byte("next"))
	check := func(what string, i int, damaged []byte) {
		if record, _, ok := frame.At(damaged); ok {
			t.Errorf("%s at %d: read %q", what, i, record)
		}
		file := append(append(bytes.Clone(damaged), '\n'), next...)
		skip := frame.Skip(file)
		if record, _, ok := frame.At(file[skip:]); !ok || string(record) != "next" {
			t.Errorf("%s at %d: skipped %d of %d bytes and lost the next frame", what, i, skip, len(file))
		}
	}
	for i := range len(whole) - 1 {
		check("cut", i, whole[:i])
		for bit := range 8 {
			damaged := bytes.Clone(whole[:len(whole)-1])
			damaged[i] ^= 1 << bit
			if i < 8 && bytes.EqualFold(damaged[:8], whole[:8]) || i > 8 && i < 25 && bytes.EqualFold(damaged[:25], whole[:25]) {
				continue // a hex digit in upper case is the same number
			}
			check("flip", i, damaged)
		}
	}
}

func FuzzAt(f *testing.F) {
	f.Add(frame.Append(nil, []byte("record")))
	f.Add([]byte("ffffffff 0000000000000000 \n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		record, size, ok := frame.At(data)
		if ok && (size != len(record)+frame.Overhead || !bytes.EqualFold(frame.Append(nil, record), data[:size]) && !bytes.Equal(record, data[size-1-len(record):size-1])) {
			t.Errorf("read %q of %d bytes from %q", record, size, data)
		}
		if n := frame.Skip(data); n < 0 || n > len(data) {
			t.Errorf("skip %d of %d bytes", n, len(data))
		}
	})
}
