package value_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/devflow-suite/devflow/internal/store/value"
	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func TestOf(t *testing.T) {
	t.Parallel()
	type name string
	type flags uint8
	for _, c := range []struct{ in, want any }{
		{int8(-3), int64(-3)},
		{uint64(1 << 63), int64(-1 << 63)},
		{float32(0.5), 0.5},
		{name("x"), "x"},
		{flags(3), int64(3)},
		{ptr(name("x")), "x"},
		{(*name)(nil), nil},
		{ptr(7), int64(7)},
		{(*int)(nil), nil},
		{ptr(true), true},
		{ptr(1.5), 1.5},
		{sql.Null[int]{V: 3, Valid: true}, int64(3)},
		{sql.Null[int]{}, nil},
		{sql.Null[float64]{V: 2, Valid: true}, 2.0},
		{sql.Null[bool]{V: true, Valid: true}, true},
		{[]uint8("b"), []byte("b")},
	} {
		got, err := value.Of(c.in)
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("Of(%T %v) = %v, %v, want %v", c.in, c.in, got, err, c.want)
		}
	}
	for _, bad := range []any{time.Now(), struct{}{}, []string{"a"}, map[string]int{}} {
		if v, err := value.Of(bad); err == nil {
			t.Errorf("Of(%T) = %v, want an error", bad, v)
		}
	}
}

func TestAssign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dest, in, want any }{
		{new(int64), int64(5), ptr(int64(5))},
		{ptr(int64(9)), nil, ptr(int64(0))},
		{new(int), int64(5), ptr(5)},
		{new(string), "s", ptr("s")},
		{new(string), []byte("s"), ptr("s")},
		{new(float64), int64(2), ptr(2.0)},
		{new(bool), int64(2), ptr(true)},
		{new([]byte), "s", ptr([]byte("s"))},
		{new(any), 1.5, ptr[any](1.5)},
		{new(sql.Null[string]), "s", ptr(sql.Null[string]{V: "s", Valid: true})},
		{ptr(sql.Null[int64]{V: 1, Valid: true}), nil, ptr(sql.Null[int64]{})},
		{new(sql.Null[int]), int64(4), ptr(sql.Null[int]{V: 4, Valid: true})},
		{new(sql.Null[bool]), int64(1), ptr(sql.Null[bool]{V: true, Valid: true})},
		{new(sql.Null[float64]), 1.5, ptr(sql.Null[float64]{V: 1.5, Valid: true})},
	} {
		if err := value.Assign(c.dest, c.in); err != nil {
			t.Errorf("Assign(%T, %v): %v", c.dest, c.in, err)
		} else if diff := cmp.Diff(c.want, c.dest); diff != "" {
			t.Errorf("Assign(%T, %v) (-want +got):\n%s", c.dest, c.in, diff)
		}
	}
	for _, c := range []struct{ dest, in any }{{new(int64), "text"}, {new(string), int64(1)}, {new(bool), 1.5}, {new(int32), int64(1)}, {1, int64(1)}} {
		if err := value.Assign(c.dest, c.in); err == nil {
			t.Errorf("Assign(%T, %v) succeeded", c.dest, c.in)
		}
	}
}
