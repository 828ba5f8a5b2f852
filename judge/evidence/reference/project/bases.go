package project

import (
	"strings"

	"github.com/devflow-suite/devflow/judge/evidence/reference/names"
)

// BasesKnown reports whether a class of the file can inherit members from nowhere but this project.
func (v *View) BasesKnown(r *names.Reader, c *names.Class) bool { return v.basesKnown(r, c, 0) }

// deepest bounds chains of base classes.
const deepest = 5

func (v *View) basesKnown(r *names.Reader, c *names.Class, depth int) bool {
	for _, b := range c.Bases {
		if plainBase(b) {
			continue
		}
		if depth >= deepest || strings.Contains(b, ".") {
			return false
		}
		base, home := r.Class(b), r
		if base == nil {
			for _, p := range v.C.Now.Grep([]string{b}, many)[b] {
				if !Code(p.Path, Family(r.Lang)) {
					continue
				}
				if o := v.Present(p.Path); o != nil && o.Class(b) != nil {
					base, home = o.Class(b), o
					break
				}
			}
		}
		if base == nil || base == c || !v.basesKnown(home, base, depth+1) {
			return false
		}
	}
	return true
}

// plainBase knows library types that give no members worth a name of one's own; what those of Java's library give stands
// in package builtin.
func plainBase(b string) bool {
	switch b {
	case "object", "Object", "ABC", "Generic", "Protocol", "Enum", "IntEnum", "Exception", "ValueError", "RuntimeError", "TypeError", "Error", "Serializable", "Cloneable", "Comparable", "Comparator",
		"Runnable", "Iterable", "Equatable", "NamedTuple", "TypedDict", "KeyError", "LookupError", "IOError", "OSError", "Throwable", "RuntimeException", "IllegalArgumentException", "AutoCloseable",
		"Number", "ParameterizedType", "GenericArrayType", "WildcardType", "Type", "TypeVariable", "InvocationHandler", "Reader", "Writer", "InputStream", "OutputStream", "FilterInputStream",
		"FilterOutputStream", "AbstractMap", "AbstractList", "AbstractSet", "AbstractCollection", "LinkedHashMap", "HashMap", "ArrayList", "Map", "List", "Set", "Collection", "Entry", "CharSequence",
		"Appendable", "ThreadLocal", "Thread", "Flushable", "BiFunction", "Predicate", "Consumer", "BiConsumer", "ThreadFactory", "Executor", "Annotation", "Future", "Enumeration", "Stream",
		"Closeable", "EventEmitter", "Callable", "Supplier", "Function", "Iterator", "BaseException":
		return true
	}
	return false
}
