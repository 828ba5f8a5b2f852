// Package openai translates between Anthropic's Messages API, which Claude Code speaks, and OpenAI's chat completions, which most
// other servers speak: a request one way ([Options.Request]), the answer the other way, whole ([Options.Response]) or streamed
// ([Stream]), and errors ([Error]).
//
// It is a translation and nothing else: it opens no connection, retries nothing, owns no table and no file. What it cannot express is
// left out, and this is the whole list of what happens to each part.
//
// Request, from Messages to chat completions:
//
//	model                          the endpoint's model, or as it came when that is empty
//	system (text, blocks)          one system message, blocks joined by a line end; the client's billing line is dropped, because it
//	                               differs between sessions and so spoils the prompt cache of every server
//	text                           kept; several blocks are joined by a line end unless an image stands among them
//	image (base64, url)            image_url part; inside a tool result: in a user message after the results
//	document                       its text; a PDF or a file id is replaced by a sentence that says so
//	search_result                  its title, source and text
//	tool_use                       tool_calls of the assistant's message, id kept, arguments as compact JSON
//	tool_result                    message of role tool with that id, in front of the other content; errors begin with "Error:"; one that
//	                               answers no call is told as text; a call without a result is given one that says so
//	thinking                       only of the present turn, and only what this package made from the server's reasoning: given back in
//	                               the field it came in; foreign and redacted thinking is dropped
//	role system among the messages text of a user message
//	tools (custom)                 functions; description and input_schema kept, "$schema" dropped, "properties" added when missing
//	tools of the server            dropped (web_search_… and so on: only Anthropic can run them), deferred ones too
//	tool_choice                    auto, none; any → required; tool → that function; disable_parallel_tool_use → parallel_tool_calls
//	max_tokens                     max_tokens (max_completion_tokens for OpenAI's reasoning models), cut to what Window and MaxOutput leave
//	stop_sequences                 stop, the first four
//	temperature, top_p             kept, but not for OpenAI's reasoning models, which refuse them
//	output_config.effort           reasoning_effort, only for OpenAI's reasoning models
//	output_config.format           response_format (json_schema); output_format too
//	stream                         stream, with stream_options.include_usage
//	anything else                  dropped: cache_control, metadata, thinking, context_management, top_k, service_tier, betas, container,
//	                               mcp_servers, diagnostics, and what is not known yet
//
// Answer, from chat completions to Messages:
//
//	content (text, parts)          text blocks; refusal too, with stop reason refusal
//	reasoning_content, reasoning   thinking block, whose signature names the field (see [Ours])
//	tool_calls, function_call      tool_use blocks in order, id kept; a missing or repeated id is replaced; without an index or with the
//	                               same index for each, calls are told apart by id and name
//	finish_reason                  stop → end_turn, length → max_tokens, tool_calls and function_call → tool_use, content_filter →
//	                               refusal; with calls "stop" means tool_use; a stop string that the server names → stop_sequence
//	usage                          input without the cached part, cache_read_input_tokens, output; in message_delta
//	error, at any place            an error event with the nearest Anthropic type; nothing follows it
//	choices after the first, logprobs, audio, annotations, timings: dropped
//
// A stream that ends without a finish_reason, with an error or in the middle of an event ends in an error event. There is never a
// message_stop that the server's own end did not stand behind.
package openai
