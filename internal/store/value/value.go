// Package value converts between Go's types and the five of SQLite.
//
// It knows the driver's interface but no database.
package value

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
)

// Of converts an argument of a statement to what the driver takes: nil, bool, any integer, float64, string, []byte, sql.Null of
// these, a type made from them, or a pointer to one, where nil means NULL. The common types need no reflection.
func Of(a any) (driver.Value, error) {
	switch v := a.(type) {
	case nil, int64, string, float64, bool, []byte:
		return a, nil
	case int:
		return int64(v), nil
	case *int64:
		return deref(v), nil
	case *string:
		return deref(v), nil
	case *float64:
		return deref(v), nil
	case *bool:
		return deref(v), nil
	case *int:
		if v == nil {
			return nil, nil
		}
		return int64(*v), nil
	case sql.Null[int64]:
		return null(v), nil
	case sql.Null[string]:
		return null(v), nil
	case sql.Null[float64]:
		return null(v), nil
	case sql.Null[bool]:
		return null(v), nil
	case sql.Null[int]:
		return toNullInt(v), nil
	}
	return reflected(a)
}

// deref is the value behind p, NULL for nil.
func deref[T any](p *T) driver.Value {
	if p == nil {
		return nil
	}
	return *p
}

// null is the value of n, NULL when it is not valid.
func null[T any](n sql.Null[T]) driver.Value {
	if !n.Valid {
		return nil
	}
	return n.V
}

// toNullInt is null for int, which the driver does not know.
func toNullInt(n sql.Null[int]) driver.Value {
	if !n.Valid {
		return nil
	}
	return int64(n.V)
}

// reflected converts named types and the rarer integers.
func reflected(a any) (driver.Value, error) {
	v := reflect.ValueOf(a)
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return Of(v.Elem().Interface())
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(v.Uint()), nil // SQLite has no unsigned integers; the bits are kept
	case reflect.Float32, reflect.Float64:
		return v.Float(), nil
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Bytes(), nil
		}
	}
	return nil, fmt.Errorf("type %T cannot be stored", a)
}

// Assign stores a column in dest, a pointer to int64, int, string, float64, bool, []byte, any or sql.Null of these. NULL becomes
// the zero value.
func Assign(dest any, v driver.Value) error {
	switch d := dest.(type) {
	case *int64:
		return into(d, v)
	case *int:
		var n int64
		err := into(&n, v)
		*d = int(n)
		return err
	case *string:
		if b, ok := v.([]byte); ok {
			v = string(b)
		}
		return into(d, v)
	case *float64:
		if n, ok := v.(int64); ok {
			v = float64(n)
		}
		return into(d, v)
	case *bool:
		var n int64
		err := into(&n, v)
		*d = n != 0
		return err
	case *[]byte:
		if s, ok := v.(string); ok {
			v = []byte(s)
		}
		return into(d, v)
	case *any:
		*d = v
		return nil
	case *sql.Null[int64]:
		return intoNull(d, v)
	case *sql.Null[string]:
		return intoNull(d, v)
	case *sql.Null[float64]:
		return intoNull(d, v)
	case *sql.Null[bool]:
		return intoNull(d, v)
	case *sql.Null[int]:
		return intoNull(d, v)
	}
	return fmt.Errorf("type %T cannot be filled", dest)
}

// into stores v, the zero value for NULL.
func into[T any](d *T, v driver.Value) error {
	t, ok := v.(T)
	if !ok && v != nil {
		return fmt.Errorf("%T does not fit in %T", v, d)
	}
	*d = t
	return nil
}

// intoNull stores v with its validity.
func intoNull[T any](d *sql.Null[T], v driver.Value) error {
	if v == nil {
		*d = sql.Null[T]{}
		return nil
	}
	d.Valid = true
	return Assign(&d.V, v)
}
