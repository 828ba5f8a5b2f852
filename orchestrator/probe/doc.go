// Package probe finds out whether a worker can live on an endpoint: what it speaks and how it wants its key, whether it really
// streams, how well the model calls tools, how fast it reads and writes, how much it remembers, and how many conversations it serves
// at once. Nothing is taken on trust that can be tried: what Claude Code sends is sent, and what comes back is checked.
//
// Servers that are told apart only as far as it matters: Anthropic's own, llama-server, LiteLLM, vLLM, Ollama and everything else
// that answers POST /v1/messages or, failing that, POST /v1/chat/completions. /health, /props and /v1/models are read when they
// are there and missed by nobody.
//
// It owns no table and no file. It never follows a redirect (the key would go along), never prints a key, bounds what a server can
// make it read, and ends in time whatever the server does.
package probe
