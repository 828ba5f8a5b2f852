package shell

// FeedKind says what is known about the standard input of a command.
type FeedKind uint8

// Kinds of feed.
const (
	FeedNone FeedKind = iota // inherited from whoever runs the script
	FeedText                 // Feed.Text: a here-document, a here-string, or the computed output of the pipe before it
	FeedFile                 // Feed.File: < file
	FeedPipe                 // the output of Feed.From, not computed
)

// Feed is the standard input of a command as far as the text of the script tells.
type Feed struct {
	Kind FeedKind
	Text Word  // FeedText: what is read; Dynamic if it holds parts known only at run time
	File Word  // FeedFile: the file, relative to the directory of the command
	From []int // FeedText from a pipe and FeedPipe: indexes in Script.Commands of the commands that write into it
}

// Mount is a folder of this machine that a container sees.
type Mount struct {
	Host     Word   // path, or the name of a volume, on this machine
	Inside   string // path in the container
	ReadOnly bool
}
