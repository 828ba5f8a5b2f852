// Package index reads git's list of tracked files, .git/index, without git: versions 2 to 4, SHA-1 and SHA-256, split and
// sparse. It owns no file, writes nothing and knows no repository.
package index
