// Package usage turns transcripts of Claude Code into tokens and money, each message exactly once, and decides when a
// session is warned about a full context or halted for burning tokens without a PASS.
// It owns the tables cursors (how far each transcript was read) and messages (which messages were counted); what it
// finds is added to tasks and subagents through package telemetry. Money is integer nano-USD (10⁻⁹ USD) throughout.
// It is not an accounting of a subscription: the cost is what the API would have charged at list price.
package usage
