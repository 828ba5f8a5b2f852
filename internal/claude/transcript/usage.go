package transcript

// SyntheticModel is the model of lines that the client made up itself (API errors, resume filler). They cost nothing.
const SyntheticModel = "<synthetic>"

// Usage is the token count of one API reply as its transcript line states it. All counts are tokens.
type Usage struct {
	MessageID    string
	RequestID    string // "" when the endpoint sends no request id
	Model        string
	Input        int64
	Output       int64
	CacheRead    int64
	CacheWrite5m int64
	CacheWrite1h int64
	WebSearches  int64  // requests of the server's own web search tool
	Speed        string // "standard" or "fast"; "" in old transcripts
	Geo          string // where inference was pinned to, "" when it was not
}

// Synthetic reports whether the client made the line up itself.
func (u Usage) Synthetic() bool { return u.Model == SyntheticModel }

// Key identifies the API reply over all its transcript lines, which repeat the usage once per content block: a hash of
// message id, request id, input, cache reads and cache writes. Of lines with the same key the largest Output counts. The
// value is stable over processes and versions. Message id alone is not enough: some proxies send one id for ever.
func (u Usage) Key() uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, s := range [...]string{u.MessageID, u.RequestID} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * prime
		}
		h = (h ^ 0xff) * prime // 0xff is in no UTF-8 text: a border that cannot be forged
	}
	for _, n := range [...]int64{u.Input, u.CacheRead, u.CacheWrite5m + u.CacheWrite1h} {
		for range 8 {
			h = (h ^ uint64(n)&0xff) * prime
			n >>= 8
		}
	}
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}
