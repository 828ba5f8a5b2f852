package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// SessionKey is the name under which a session's facts are kept: the first non-empty one of the input's session id and the
// variables CLAUDE_CODE_SESSION_ID, CLAUDE_SESSION_ID and DEVFLOW_SESSION_ID. It is safe as a file name: an id that is not
// 1 to 128 letters, digits, dots, underscores or hyphens, or that consists of dots only, is replaced by its hex SHA-256.
// Without any id it is "": then nothing may be stored.
func SessionKey(in Input, getenv func(string) string) string {
	id := in.SessionID
	for _, name := range [...]string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID", "DEVFLOW_SESSION_ID"} {
		if id != "" {
			break
		}
		id = getenv(name)
	}
	if id == "" || plainID(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

func plainID(id string) bool {
	if len(id) > 128 || strings.Trim(id, ".") == "" {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
