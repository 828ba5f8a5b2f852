// Package builtin knows the names that a language or its usual surroundings give to every file without an import.
//
// The lists are long on purpose: a name too many makes a rule silent, a name too few makes it wrong. It owns no table. All
// functions are pure and safe for concurrent use.
package builtin

import (
	"strings"
	"sync"

	"github.com/devflow-suite/devflow/internal/source"
)

// Known reports whether a file of the language may use the name without defining or importing it.
func Known(l source.Lang, name string) bool {
	switch l {
	case source.Python:
		return strings.HasPrefix(name, "__") || python()[name]
	case source.JS, source.TS:
		return script()[name]
	case source.Go:
		return golang()[name]
	case source.Rust:
		return rust()[name]
	case source.Java, source.Kotlin:
		return java()[name]
	case source.Dart:
		return dart()[name]
	}
	return false
}

func set(text string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		m[w] = true
	}
	return m
}

var python = sync.OnceValue(func() map[string]bool { return set(pythonNames) })

const pythonNames = `abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate
eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list locals map max memoryview min next
object oct open ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
True False None Ellipsis NotImplemented _ reveal_type reveal_locals unicode basestring long xrange raw_input reduce unichr cmp execfile file reload buffer intern apply coerce
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError
ConnectionError ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError
FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError NotADirectoryError NotImplementedError OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError
PythonFinalizationError RecursionError ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit
TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning WindowsError
ZeroDivisionError get_ipython display spark dbutils match case and or not in is if elif else while for return yield await lambda with as assert del raise except finally try import from
class def pass break continue global nonlocal async self cls type App Repository`

var golang = sync.OnceValue(func() map[string]bool {
	return set(`append cap clear close complex copy delete imag len make max min new panic print println real recover bool byte comparable complex64 complex128 error float32 float64 int int8
int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any true false iota nil func if for switch select go defer return case range chan map struct interface type var const
else default break continue fallthrough goto package import C _`)
})

var rust = sync.OnceValue(func() map[string]bool {
	return set(`drop Some None Ok Err Box Vec String Option Result ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut FnOnce AsRef AsMut Into From Default Iterator Extend IntoIterator
DoubleEndedIterator ExactSizeIterator Eq PartialEq Ord PartialOrd TryFrom TryInto FromIterator Future IntoFuture Debug Hash Unpin if while for match loop return let in as fn impl where move
unsafe async await dyn ref mut pub use mod crate self super Self static const struct enum trait type extern box yield try macro union size_of size_of_val align_of align_of_val i8 i16 i32 i64
i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str true false derive cfg test doc allow deny warn must_use inline repr feature proc_macro not all any path serde arg command`)
})

var java = sync.OnceValue(func() map[string]bool {
	return set(`getClass hashCode equals toString notify notifyAll wait clone finalize super this if for while switch catch synchronized return new throw assert values valueOf ordinal name compareTo
describeConstable getDeclaringClass main record sealed permits yield when try do else case instanceof require requireNotNull check checkNotNull error println print listOf mapOf setOf mutableListOf
mutableMapOf arrayOf emptyList lazy let run with apply also use repeat TODO buildString emptyMap emptySet mutableSetOf sequenceOf runCatching maxOf minOf to intArrayOf arrayOfNulls
add addAll clear contains containsAll containsKey containsValue entrySet get getOrDefault indexOf isEmpty iterator keySet lastIndexOf listIterator merge put putAll putIfAbsent remove removeAll
removeIf replaceAll retainAll size sort spliterator stream parallelStream subList toArray computeIfAbsent computeIfPresent compute forEach getKey getValue setValue hasNext hasMoreElements nextElement
next previous remove removeRange modCount removeEldestEntry ensureCapacity trimToSize addFirst addLast getFirst getLast removeFirst removeLast reversed charAt chars codePoints subSequence append
read readNBytes readAllBytes readLine mark markSupported reset skip skipNBytes ready transferTo close available flush write intValue longValue doubleValue floatValue shortValue byteValue
getActualTypeArguments getRawType getOwnerType getGenericComponentType getUpperBounds getLowerBounds getTypeName getBounds getGenericDeclaration getName getAnnotation getAnnotations annotationType invoke
call accept test apply andThen compose negate start join interrupt interrupted isInterrupted isAlive isDaemon setDaemon setName getId getPriority setPriority getState getThreadGroup getStackTrace
getContextClassLoader setContextClassLoader currentThread sleep yield onSpinWait initialValue withInitial set newThread execute cancel isCancelled isDone getMessage getLocalizedMessage getCause initCause
printStackTrace fillInStackTrace setStackTrace addSuppressed getSuppressed in out lock
assertEquals assertTrue assertFalse assertNull assertNotNull assertThat fail Object String Integer Long Double Float Boolean Character Byte Short Number Math System Thread Runnable Iterable
Comparable Override Deprecated Exception RuntimeException Error Throwable Void Class Enum Record StringBuilder CharSequence Process Module Package`)
})

var dart = sync.OnceValue(func() map[string]bool { return set(dartNames) })

const dartNames = `print identical identityHashCode main if for while switch catch return assert super this new const throw await yield rethrow in is as late required factory external
min max sqrt pow sin cos tan log exp atan atan2 asin acos jsonDecode jsonEncode utf8 base64 base64Encode base64Decode base64UrlEncode ascii latin1 json htmlEscape exit sleep stdout stderr stdin pid
scheduleMicrotask unawaited runZoned runZonedGuarded isolate spawn debugger inspect postEvent registerExtension log hash hashAll
test group setUp tearDown setUpAll tearDownAll expect expectLater expectAsync0 expectAsync1 expectAsync2 expectAsyncUntil1 testWidgets blocTest fail markTestSkipped pumpEventQueue addTearDown
registerException printOnFailure isA equals isTrue isFalse isNull isNotNull throwsA throwsArgumentError throwsStateError throwsException throwsUnsupportedError isEmpty isNotEmpty contains hasLength
completes completion emits emitsInOrder emitsDone emitsError emitsThrough neverEmits emitsAnyOf mayEmit containsAll containsPair containsAllInOrder allOf anyOf isNot same predicate having startsWith endsWith
matches greaterThan lessThan greaterThanOrEqualTo lessThanOrEqualTo closeTo inInclusiveRange unorderedEquals orderedEquals everyElement anyElement anything returnsNormally throwsAssertionError isList isMap
containsValue stringContainsInOrder equalsIgnoringCase pairwiseCompare wrapMatcher throwsFormatException throwsRangeError throwsNoSuchMethodError throwsTypeError isInstanceOf isSameAs isEmpty
when verify verifyNever verifyInOrder verifyNoMoreInteractions verifyZeroInteractions any captureAny registerFallbackValue reset clearInteractions argThat anyNamed captureAnyNamed thenReturn untilCalled mock
runApp debugPrint showDialog showModalBottomSheet setState context mounted widget findsOneWidget findsNothing findsNWidgets findsWidgets find kDebugMode kIsWeb kReleaseMode kProfileMode debugPrintStack
mapEquals listEquals setEquals compute describeEnum objectRuntimeType shortHash describeIdentity showMenu showDatePicker showTimePicker showSearch showAboutDialog showBottomSheet showCupertinoDialog
precacheImage clampDouble lerpDouble hashValues hashList immutable protected visibleForTesting useState useEffect useMemoized useCallback useContext useRef useStream useFuture useTextEditingController
useAnimationController useListenable notifyListeners emit add on emitter setEquals runWithClient runHooks registerHooks lookupBootstrap ensureInitialized bootstrap Function dynamic void get set operator
static final var covariant mixin extension typedef enum class with show hide deferred part of library export import async sync throwIfNull ArgumentError StateError UnsupportedError UnimplementedError
Exception FormatException RangeError Duration DateTime Future Stream List Map Set Iterable String int double num bool Object Type Symbol Null Never Record Uri RegExp StringBuffer BigInt Expando Stopwatch
goldenFileComparator matchesGoldenFile throwsToolExit useMemoizedFuture checkNotNull firstWhereOrNull injectableInit configureDependencies group checkThat check context defineReflectiveTests isTrue
shelfRun serve usePathUrlStrategy httpServer compareNatural equalsIgnoreAsciiCase mergeSort binarySearch lowerBound minBy maxBy groupBy mergeMaps insertionSort shuffle compareAsciiLowerCase join basename
dirname extension withoutExtension normalize relative absolute split isWithin canonicalize toUri fromUri prettyUri current separator setEnvironment lookupMimeType fakeAsync`
