// Package mockapi is a scripted Anthropic Messages API on loopback, so that a real Claude Code client can be driven without a key
// and without a network. It speaks the wire format (streamed and plain messages, count_tokens, model list, errors) and keeps every
// request body for the test to look at.
//
// It owns no table and no file. It is not a model: what it answers is written down in a [Script], one [Step] per request of a
// conversation. Requests that the client makes on the side (titles, topics, quota probes, summaries for /compact) are told apart by
// their own marks and never use up a step.
package mockapi
