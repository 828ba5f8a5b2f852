package usage

import "strings"

// Context windows in tokens.
const (
	smallWindow = 200_000
	largeWindow = 1_000_000
)

// millionModels have a million-token window without being asked for it. Source: the model catalogue inside Claude Code
// 2.1.332 (native_1m), which agrees with 2.1.197 on the models that both know.
var millionModels = [...]string{
	"claude-haiku-5-5",
	"claude-sonnet-5", "claude-sonnet-5-5",
	"claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-opus-5-5",
	"claude-fable-5", "claude-fable-5-1", "claude-fable-5-2",
	"claude-mythos-5", "claude-mythos-5-1", "claude-mythos-5-2",
}

// Window is the context window of a session in tokens. The override (0: none) wins; then the [1m] marker of one of the
// names that the session's model goes by (the client's own name carries it, the transcript's does not); then the model
// table; then 200k. An occupancy beyond 200k proves the larger window.
func Window(override, occupancy int64, names ...string) int64 {
	if override > 0 {
		return override
	}
	if occupancy > smallWindow {
		return largeWindow
	}
	for _, name := range names {
		if strings.HasSuffix(strings.ToLower(strings.TrimSpace(name)), "[1m]") {
			return largeWindow
		}
		base := BaseModel(name)
		for _, m := range millionModels {
			if matches(m, base) {
				return largeWindow
			}
		}
	}
	return smallWindow
}

// Threshold is the occupancy in tokens at which the client compacts: the window less a reserve of 33k tokens or 8 %,
// whichever is more (167k of 200k, 920k of a million).
func Threshold(window int64) int64 {
	reserve := max(int64(33_000), window*8/100)
	return max(window-reserve, window/2)
}
