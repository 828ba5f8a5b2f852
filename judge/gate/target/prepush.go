package target

import (
	"fmt"
	"strings"
)

// FromPrePush reads what git gives to a pre-push hook: the remote's name and URL as arguments, and on the input one line
// "<local ref> <local oid> <remote ref> <remote oid>" for each ref. An object name of zeros, 40 or 64 of them, stands for
// nothing: a deletion on the left, a new ref on the right. Force is not known there, see Rewrites. protected is asked as in
// Resolve. A line that is none is an error, and nothing is returned then.
func FromPrePush(stdin []byte, remote, url string, protected func(branch string) bool) ([]Update, error) {
	var list []Update
	for line := range strings.Lines(string(stdin)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		u, err := prePushLine(line)
		if err != nil {
			return nil, err
		}
		u.Remote, u.URL = remote, url
		u.Protected = protected != nil && u.Branch() != "" && protected(u.Branch())
		list = append(list, u)
	}
	return list, nil
}

// prePushLine reads from the right: the local name is as the user wrote it and may hold blanks.
func prePushLine(line string) (Update, error) {
	var fields [3]string
	rest := line
	for i := len(fields) - 1; i >= 0; i-- {
		at := strings.LastIndexByte(rest, ' ')
		if at < 0 {
			return Update{}, fmt.Errorf("read pre-push line %q: four fields are wanted", clip(line))
		}
		rest, fields[i] = rest[:at], rest[at+1:]
	}
	local, ref, there := fields[0], fields[1], fields[2]
	if !isOID(local) || !isOID(there) || len(local) != len(there) || rest == "" || !strings.HasPrefix(ref, "refs/") {
		return Update{}, fmt.Errorf("read pre-push line %q: not a ref and its objects", clip(line))
	}
	u := Update{Local: rest, LocalOID: local, RemoteRef: ref, RemoteOID: there, Tag: strings.HasPrefix(ref, "refs/tags/")}
	if isZero(local) {
		u.Local, u.LocalOID, u.Delete = "", "", true
	}
	if isZero(there) {
		u.RemoteOID = ""
		u.New = !u.Delete
	}
	return u, nil
}

func clip(s string) string {
	const long = 200
	return strings.ToValidUTF8(s[:min(len(s), long)], "?")
}
