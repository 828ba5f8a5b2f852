// Package gateway stands between one worker and the model's endpoint: a unix socket that only the worker's dummy token opens, behind
// it the endpoint with the real key, which the worker never sees.
//
// It makes failures of endpoints invisible where that is honest. A request is tried again after time-outs, limits, overload, dead
// tunnels and refused connections, within a budget of time; the endpoint is read anew before each try, so that it can be replaced
// while a request waits (hot swap). Those who share an endpoint share its bounds and its pauses ([Gates]). Nothing of an answer
// reaches the client before its first event was looked at; from then on bytes pass unchanged, whole events at a time. A stream that
// ends without message_stop ends in an error event, never in a made-up stop.
//
// How time is used, measured with the clients 2.1.197 and 2.1.332: both give up a request after 300 seconds without a byte, with or
// without response headers, whatever their own X-Stainless-Timeout of 600 says. With an event: ping every 15 seconds 2.1.197 waits
// for 600 seconds and 2.1.332 on. So a streamed request that has no answer yet is committed as a 200 event stream at the first ping,
// [Options.Ping] after it arrived, and goes on being retried behind the pings, up to [Options.Budget]; a failure that stays is then
// told as an error event. A request that is not streamed cannot be pinged and has to be over within 270 seconds. After an error
// event both clients ask again: for a stream after overloaded_error before any content, otherwise for a whole answer. A cap that was
// reached is answered with 402, the status that neither client tries again (2.1.332 repeats a 400 five times, both repeat a 401).
//
// Of paths, only those exist that the client uses: /v1/messages, /v1/messages/count_tokens, /v1/models and /. What costs money and
// is not metered (batches, files) cannot be reached through a gateway.
//
// It owns the socket file; the endpoints file belongs to gateway/endpoint. It starts no process, writes no table, and knows nothing
// of tasks, regions and runs.
package gateway
