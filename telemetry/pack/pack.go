// Package pack turns a list of fields into one text and back. It knows no types but text, integers and truth values, and no names: a newer
// version appends fields, an older text leaves them as they are. It owns no table.
package pack

import (
	"strconv"
	"strings"
)

// end stands between fields. Text that holds one gets a blank instead.
const end = "\x1f"

// Join is the text of the fields, which are pointers to string, int64 or bool.
func Join(fields []any) string {
	b := make([]byte, 0, 512)
	for i, field := range fields {
		if i > 0 {
			b = append(b, end...)
		}
		switch p := field.(type) {
		case *string:
			s := *p
			if strings.Contains(s, end) {
				s = strings.ReplaceAll(s, end, " ")
			}
			b = append(b, s...)
		case *int64:
			b = strconv.AppendInt(b, *p, 10)
		case *bool:
			b = strconv.AppendBool(b, *p)
		}
	}
	return string(b)
}

// Split stores the parts of a text in the fields, and tells whether they were fields of these types. Fields that the text does not have
// stay as they are.
func Split(text string, fields []any) bool {
	more := true
	for _, field := range fields {
		if !more {
			break
		}
		var part string
		part, text, more = strings.Cut(text, end)
		var err error
		switch p := field.(type) {
		case *string:
			*p = part
		case *int64:
			*p, err = strconv.ParseInt(part, 10, 64)
		case *bool:
			*p, err = strconv.ParseBool(part)
		}
		if err != nil {
			return false
		}
	}
	return true
}
