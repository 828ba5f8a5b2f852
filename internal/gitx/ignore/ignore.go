// Package ignore tells what git ignores, by .gitignore files, .git/info/exclude and the user's exclude file, without git. It
// owns no file and writes nothing.
package ignore
