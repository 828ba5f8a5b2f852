package builtin

import "sync"

var script = sync.OnceValue(func() map[string]bool { return set(scriptNames + " " + scriptTypes) })

const scriptNames = `AbortController AbortSignal AggregateError Array ArrayBuffer AsyncFunction Atomics Audio AudioContext BigInt BigInt64Array BigUint64Array Blob Boolean BroadcastChannel Buffer
Bun CSS CustomEvent CustomEvents DOMException DOMParser DataView Date Deno Document DocumentFragment Element Error EvalError Event EventSource EventTarget File FileList FileReader FinalizationRegistry
Float32Array Float64Array FormData Function HTMLElement HTMLInputElement Headers History IDBKeyRange Image ImageData Infinity Int16Array Int32Array Int8Array IntersectionObserver Intl JSON Map Math
MediaRecorder MediaSource MessageChannel MessageEvent MessagePort MutationObserver NaN Node NodeFilter Notification Number Object Option Path2D Performance PerformanceObserver Promise PromiseRejectionEvent Proxy
QuotaExceededError RangeError ReadableStream ReferenceError Reflect RegExp Request ResizeObserver Response SVGElement Set SharedArrayBuffer SharedWorker String Symbol SyntaxError TextDecoder
TextDecoderStream TextEncoder TextEncoderStream TransformStream TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket
Worker WritableStream XMLHttpRequest XMLSerializer CompressionStream DecompressionStream ByteLengthQueuingStrategy CountQueuingStrategy Iterator SuppressedError DisposableStack AsyncDisposableStack
WebSocketStream EventCounts ErrorEvent CloseEvent ProgressEvent KeyboardEvent MouseEvent PointerEvent TouchEvent DragEvent ClipboardItem Range Selection Storage StyleSheet CSSStyleSheet ShadowRoot Text Comment
Attr CharacterData DOMRect DOMMatrix DOMPoint OffscreenCanvas ImageBitmap HTMLCanvasElement HTMLFormElement HTMLButtonElement HTMLDivElement HTMLAnchorElement HTMLSelectElement HTMLTextAreaElement
HTMLImageElement HTMLVideoElement HTMLAudioElement HTMLIFrameElement HTMLScriptElement HTMLTemplateElement customElements alert atob blur btoa cancelAnimationFrame cancelIdleCallback caches clearImmediate
clearInterval clearTimeout close closed confirm console cookieStore createImageBitmap crypto decodeURI decodeURIComponent dispatchEvent document encodeURI encodeURIComponent escape eval event exports fetch
focus frames getComputedStyle getSelection global globalThis history importScripts indexedDB innerHeight innerWidth isFinite isNaN isSecureContext length localStorage location matchMedia module moveTo
name navigator  open openDatabase origin outerHeight parent parseFloat parseInt performance postMessage print process prompt queueMicrotask removeEventListener addEventListener
reportError requestAnimationFrame requestIdleCallback require resizeTo scroll scrollBy scrollTo self sessionStorage setImmediate setInterval setTimeout skipWaiting status stop structuredClone top undefined
unescape window __dirname __filename arguments super this new typeof void delete await yield async function class import export return throw if for while switch catch with do else case in of instanceof
get set static let const var try finally default extends null true false from as target meta
after afterAll afterEach before beforeAll beforeEach context describe ddescribe xdescribe fdescribe expect assert expectTypeOf assertType fail fit it xit iit jasmine jest mocha pending runs setup should specify xspecify
spyOn spyOnProperty suite suiteSetup suiteTeardown teardown test tap t vi vitest waits waitsFor xcontext xtest bench cy Cypress Ember QUnit chai sinon browser page $ $$ jQuery angular define requirejs
React Vue ko Backbone _ Meteor google gtag ga dataLayer Stripe grecaptcha firebase M L d3 THREE Zone ng GM_getValue chrome browser safari opera Components Services ChromeUtils wx uni App Page Component getApp
getCurrentPages artifacts contract web3 task args cordova device Polymer goog YUI MathJax mermaid Prism hljs docsearch Alpine htmx Turbo Livewire axios moment template element by protractor LanguageModel
defineProps defineEmits defineExpose defineModel defineOptions defineSlots withDefaults useAttrs useSlots ref computed reactive watch watchEffect onMounted onUnmounted nextTick useState useFetch useHead
useRoute useRouter useRuntimeConfig useNuxtApp navigateTo defineNuxtConfig defineNuxtPlugin defineEventHandler definePageMeta createError readBody getQuery useCookie useAsyncData $fetch $state $derived
$effect $props $bindable $inspect $host acquireVsCodeApi gapi Temporal ReactiveElement asserts is unique satisfies keyof infer readonly abstract declare namespace interface type enum public private protected
override accessor using out never unknown any string number boolean symbol object bigint`

const scriptTypes = `Partial Required Readonly Record Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType InstanceType ThisParameterType OmitThisParameter ThisType Awaited NoInfer
Uppercase Lowercase Capitalize Uncapitalize PropertyKey PropertyDescriptor ReadonlyArray ReadonlyMap ReadonlySet ArrayLike PromiseLike Iterable IterableIterator AsyncIterable AsyncIterator
AsyncIterableIterator Generator AsyncGenerator IteratorResult TemplateStringsArray JSX NodeJS BufferEncoding BodyInit HeadersInit RequestInit ResponseInit RequestInfo EventListener AddEventListenerOptions
BlobPart ArrayBufferView ArrayBufferLike Thenable CallableFunction NewableFunction IArguments ErrorConstructor Console Window Navigator Location Crypto SubtleCrypto CryptoKey Disposable AsyncDisposable
ErrorOptions HTMLCollection NodeList NodeListOf StyleSheetList DOMTokenList CSSStyleDeclaration HTMLElementTagNameMap InputEvent FocusEvent UIEvent WheelEvent AnimationEvent SubmitEvent Timer Timeout Express
GlobalEventHandlers WindowEventMap DocumentEventMap FrameRequestCallback IdleRequestCallback IntersectionObserverEntry MutationRecord ResizeObserverEntry MediaQueryList MediaStream FileSystemHandle ReadableStreamDefaultReader
WeakKey ClassDecorator MethodDecorator PropertyDecorator ParameterDecorator DecoratorContext`
