package claim

import "strings"

// kind is what an assertion claims about its operands.
type kind uint8

const (
	unknown  kind = iota
	equal         // actual and expected are equal
	truth         // is true
	falsity       // is false
	truthy        // is something
	null          // is null
	throws        // fails, perhaps in a particular way
	contains      // contains, starts with, matches a pattern, has a property
	compares      // less, greater
	length        // has a size
	empty         // has no elements
	instance      // is of a type
	near          // within a delta
	snapshot      // equal to a stored value
	calls         // was called with, or so many times
	called        // was called
	anything      // accepts everything
)

// PlainName is a name in small letters without underscores and without the words that say that it asserts.
func PlainName(name string) (w string, negated bool) {
	w = strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(name, "!"), "_", ""))
	for _, p := range [...]string{"xctassert", "xct", "testassert", "debugassert", "propassert", "ckassert", "softassert", "assert", "expect", "check", "verify", "ensure", "refute", "require", "must", "wont", "static"} {
		if rest, ok := strings.CutPrefix(w, p); ok {
			negated = negated != (p == "refute" || p == "wont")
			w = rest
			break
		}
	}
	for again := true; again; {
		again = false
		for _, p := range [...]string{"that", "tohavebeen", "tobe", "tohave", "to", "should", "havebeen", "have", "has", "does", "doesnot", "isnot", "is", "be", "not", "dont", "never"} {
			rest, ok := strings.CutPrefix(w, p)
			if !ok || w == "is" || w == "be" || w == "tobe" || w == "not" || p == "has" && rest == "h" ||
				p == "to" && (rest == "tal" || rest == "ken") || p == "be" && (strings.HasPrefix(rest, "gin") || rest == "fore") || p == "not" && (strings.HasPrefix(rest, "hing") || strings.HasPrefix(rest, "hrow")) || p == "never" && rest != "" && rest != "called" {
				continue
			}
			if p == "not" || p == "isnot" || p == "doesnot" || p == "dont" || p == "never" {
				negated = !negated
			}
			w, again = rest, true
			break
		}
	}
	if rest, ok := strings.CutPrefix(w, "no"); ok && (rest == "error" || rest == "err" || rest == "throw" || rest == "throws" || rest == "fileexists" || rest == "direxists") {
		return rest, !negated
	}
	return w, negated
}

// KindOf says what a matcher or an assertion of that name claims.
func KindOf(name string) (k kind, negated bool) {
	w, negated := PlainName(name)
	switch w {
	case "equal", "equals", "equalto", "eq", "eql", "same", "sameas", "identical", "identicalto", "deepequal", "deepequals", "strictequal", "deepstrictequal", "looseequal", "equalvalues", "exactly",
		"arrayequals", "iterableequals", "linesmatch", "dictequal", "listequal", "tupleequal", "setequal", "countequal", "multilineequal", "sequenceequal", "jsoneq", "yamleq",
		"equiv", "equivalent", "equivalentto", "be", "is", "tobe", "samevalue", "frameequal", "seriesequal", "arrayequal", "strictlyequal", "strictsame", "equaltypeof", "elementsmatch",
		"containsexactly", "containsexactlyinanyorder", "containsexactlyelementsof", "containsonly", "sameelementsas", "sameinstance", "sameinstanceas", "positiveinfinity", "negativeinfinity", "notanumber", "infinite", "identicaltype", "deepeq", "eqnice", "equalsstring",
		"stringequal", "intequal", "areequal", "aresame", "samemembers", "members", "consistof", "consistsof", "matcharray", "value", "text", "json", "exitcode", "status", "statuscode", "code", "mean",
		"equalignoringcase", "equaltoignoringcase", "orderedequals", "unorderedequals", "encodingequal", "orderedsame", "typeequal", "streq", "strne", "inorder", "equalsinanyorder", "dataeq", "xmlequal",
		"jsonequal", "htmlequal", "sequence", "emits", "emitsinorder", "body", "header", "stdout", "stderr", "completionequals", "emitsexactly", "ids", "equalobject", "beeq", "fileequal":
		return equal, negated
	case "ne", "neq", "inequal", "aresnotequal", "arenotequal", "arenotsame", "strneq", "differs", "differentfrom":
		return equal, !negated
	case "true", "istrue":
		return truth, negated
	case "false", "isfalse":
		return falsity, negated
	case "", "truthy", "ok", "defined", "exist", "exists", "present", "some", "set", "notempty", "nonempty", "nonnull", "nonzero", "success", "successful", "valid", "predicate", "fileexists", "direxists",
		"done", "completes", "completed", "returnsnormally", "somewidget", "findsonewidget", "findswidgets", "findsnothing", "inthedocument", "visible", "enabled", "checked", "resolves":
		if w == "findsnothing" {
			return equal, negated
		}
		return truthy, negated
	case "falsy", "falsey", "notok":
		return truthy, !negated
	case "null", "nil", "none", "undefined", "zero", "nan", "isnull", "isnone", "nullable", "absent", "nothing", "nullvalue":
		return null, negated
	case "error", "err", "throw", "throws", "raise", "raises", "panic", "panics", "throwerror", "throwexception", "rejects", "rejected", "throwsasync", "throwsexactly", "throwsa", "failswith", "fails",
		"panicswithvalue", "panicswitherror", "erroris", "erroras", "errorcontains", "errormatch", "throwserror", "exception", "thrownby", "thrownbyexception", "instanceofthrown", "occurred", "warns",
		"raisesregex", "raisesmessage", "rejectedwith", "throwany", "throwsany", "throwsexception", "emitserror", "throwsargumenterror", "throwsstateerror", "throwstypeerror", "throwsassertionerror",
		"throwsexceptionasync", "match error", "raisescontext", "nothrow", "doesnotthrow", "fatal", "errored", "deprecatedcall", "warnsregex", "thrownby_", "thrown", "logs", "nologs":
		return throws, negated != (w == "nothrow" || w == "nologs")
	case "contains", "contain", "include", "includes", "in", "subset", "subsetof", "match", "matches", "matchesregex", "regex", "regexp", "startswith", "startwith", "endswith", "endwith", "prefix", "suffix",
		"property", "key", "keys", "matchobject", "containequal", "members_", "containsubstring", "substring", "matchregexp", "like", "matchespattern", "containsstring", "stringcontaining", "containsstrings",
		"values", "oneof", "item", "hasitem", "hasitems", "items", "field", "attribute", "textcontent", "class", "containskey", "containsvalue", "entry", "containsentry", "anyof", "allof", "hasmessagecontaining",
		"message", "messagecontaining", "tostring", "satisfies", "every", "everyitem", "predicatematches", "ofany", "stringmatching", "arraycontaining", "objectcontaining", "containsall", "containsallin",
		"matchesgoldenfile_", "prefixofstring", "emitsthrough", "emitsanyof", "containsinorder", "containall", "matcherrors", "containsoneof", "doesnotcontain", "anyelement", "matchjson_", "subpath", "regexmatches",
		"regexpmatches", "nregex", "ilike", "countin", "allsatisfy", "anysatisfy", "nonesatisfy", "anymatch", "allmatch", "nonematch", "matchespredicate", "ownproperty", "matcheserror", "containssubsequence",
		"containssequence", "containselement", "containelement", "containelements", "havefield", "serialize", "matcheserrors", "type_", "nestedproperty", "string", "containssame":
		return contains, negated != (w == "doesnotcontain")
	case "greater", "less", "greaterthan", "lessthan", "greaterequal", "lessequal", "greaterorequal", "lessorequal", "greaterthanorequal", "lessthanorequal", "greaterthanorequalto", "lessthanorequalto",
		"gt", "lt", "ge", "le", "gte", "lte", "atleast", "atmost", "above", "below", "within", "between", "positive", "negative", "numerically", "before", "after", "inrange", "inclusiverange", "least", "most",
		"inexclusiverange", "inclusivelybetween", "nonnegative", "nonpositive", "isbefore", "isafter", "ispositive", "isnegative", "increasing", "withinrange":
		return compares, negated
	case "length", "len", "size", "count", "hassize", "haslength", "lengthof", "nwidgets", "findsnwidgets", "cardinality", "itemcount", "hascount", "haslen", "shape":
		return length, negated
	case "empty", "isempty", "blank", "nullorempty", "emptystring":
		return empty, negated
	case "instanceof", "isinstance", "instance", "instanceofany", "type", "istype", "implements", "a", "an", "kindof", "typeof", "isa", "isan", "any", "string_", "number", "array", "object", "function", "boolean",
		"assignableto", "isinstanceof", "instanceoftype", "exactinstanceof", "exactlyinstanceof", "typematches", "typeoferror", "kind_", "callable", "map", "list":
		return instance, negated
	case "closeto", "almostequal", "almostequals", "approx", "approximately", "allclose", "indelta", "inepsilon", "closetopercentage", "offset", "approxeq", "relativeeq", "absdiffeq", "equalwithaccuracy", "doubleeq",
		"floateq", "near", "inepsilonslice", "indeltaslice", "arrayalmostequal", "approxequal", "moreorlessequals", "isclose", "inkm", "withindelta", "isapprox", "ulpseq":
		return near, negated
	case "snapshot", "matchsnapshot", "matchinlinesnapshot", "inlinesnapshot", "throwerrormatchingsnapshot", "throwerrormatchinginlinesnapshot", "yamlsnapshot", "debugsnapshot", "jsonsnapshot", "matchesgoldenfile",
		"golden", "matchfilesnapshot", "csvsnapshot", "cmdsnapshot", "displaysnapshot", "matchesgolden", "ronsnapshot", "tomlsnapshot", "screenshot", "screenmatchesgolden", "goldenfile", "matchgolden",
		"matchimagesnapshot", "compactjsonsnapshot", "compactdebugsnapshot":
		return snapshot, negated
	case "calledwith", "calledtimes", "calledoncewith", "lastcalledwith", "nthcalledwith", "returnedwith", "lastreturnedwith", "calls", "hascalls", "anycall", "calledonce", "calledtwice", "calledthrice", "callcount",
		"calledonceexactly", "awaitedoncewith", "awaitedwith", "calledexactlyonce", "calledonlyoncewith", "calledonceonlywith", "callorder", "calledwithexactly", "calledoncewithexactly", "numberofcalls", "hasawaits",
		"calledbefore", "calledafter", "returnedtimes", "awaitedonce", "alwayscalledwith", "neverCalledWith":
		return calls, negated
	case "called", "returned", "awaited", "received", "verified":
		return called, negated
	case "anything":
		return anything, negated
	}
	switch {
	case strings.HasSuffix(w, "snapshot"):
		return snapshot, negated
	case strings.HasPrefix(w, "throws"), strings.HasPrefix(w, "raise"), strings.HasPrefix(w, "error"):
		return throws, negated
	case strings.Contains(w, "contains"), strings.HasPrefix(w, "startswith"), strings.HasPrefix(w, "endswith"), strings.HasPrefix(w, "matches"):
		return contains, negated
	case strings.HasSuffix(w, "equal"), strings.HasSuffix(w, "equals"), strings.HasSuffix(w, "eq"), strings.HasPrefix(w, "equal"):
		return equal, negated
	}
	return unknown, negated
}

// StrengthOf is how closely an assertion pins its operand down. args is the number of expected values.
func StrengthOf(k kind, negated bool, args int) Strength {
	switch k {
	case equal, snapshot, empty, calls, null, truth, falsity:
		switch {
		case !negated, k == truth, k == falsity:
			return Exact
		case k == empty, k == null:
			return Presence
		case k == calls:
			return Exact
		}
		return Tolerance
	case truthy, instance, anything:
		return Presence
	case called:
		if negated {
			return Exact
		}
		return Presence
	case throws:
		if !negated && args > 0 {
			return Exact
		}
		return Presence
	case contains, compares, length, near:
		return Tolerance
	}
	return Unknown
}

// Fails reports whether an assertion of that name claims that something fails.
func Fails(name string) bool { k, _ := KindOf(name); return k == throws }

// Knows reports whether the name is that of a claim.
func Knows(name string) bool { k, _ := KindOf(name); return k != unknown }

// Operands is how many operands an assertion of that name compares: 2 for equality, 1 for truth and nothing, 0 for others.
func Operands(name string) int {
	switch k, _ := KindOf(name); k {
	case equal, near:
		return 2
	case truth, falsity, null, truthy:
		return 1
	}
	return 0
}
