package worker

import "time"

// AllowEverything lets the permission rules allow every file.
func (o *Options) AllowEverything() { o.seams.everything = true }

// Unguarded lets the guard of the hook pass every call.
func (o *Options) Unguarded() { o.seams.unguarded = true }

// Handshake replaces the time that a client has to get ready.
func (o *Options) Handshake(limit time.Duration) { o.seams.handshake = limit }

// Hold runs f before an MCP message of the client is answered.
func (o *Options) Hold(f func(method string)) { o.seams.hold = f }
