// Package secret finds credentials in text: keys and tokens of known formats, private keys, passwords in addresses, and
// generated values that a telling name is given. It owns no table, decides nothing (whether a write is refused is the
// guard's matter, what a log shows is package redact's) and keeps no value: a Match tells where, never what.
//
// Values that vendors print in their documentation, placeholders, references to a vault or a variable, checksums, object
// ids and public keys are no secrets and are not reported. A key of a real format is one wherever it stands: in a test, a
// comment, a text file, behind a fallback of an environment variable.
package secret

import "strings"

// Match is one credential in a text.
type Match struct {
	Rule       string // one of Names
	Start, End int    // the value's extent in the text, in bytes
	Line       int    // line of Start, from 1
	High       bool   // the format itself tells; false: a generated value behind a telling name
}

// Rule describes one kind of credential.
type Rule struct {
	ID   string // stable, such as "aws-access-key-id"
	What string // for people, such as "AWS access key id"
}

// Find returns the credentials in text, in order and without overlaps, nil if there are none. It is linear in len(text)
// and safe for concurrent use.
func Find(text string) []Match {
	f := finder{s: text}
	f.scan()
	line, at := 1, 0
	for i := range f.found {
		m := &f.found[i]
		line += strings.Count(text[at:m.Start], "\n")
		at, m.Line = m.Start, line
	}
	return f.found
}

// Names returns every rule that Find may report, in a fixed order.
func Names() []Rule {
	list := make([]Rule, 0, len(special)+len(formats))
	list = append(list, special[:]...)
	for i := range formats {
		if last := len(list) - 1; list[last].ID != formats[i].id {
			list = append(list, Rule{formats[i].id, formats[i].what})
		}
	}
	return list
}

// IDs of the rules that are more than a beginning and a length.
const (
	idPrivateKey = "private-key"
	idJWT        = "json-web-token"
	idDatabase   = "database-url-password"
	idURL        = "url-password"
	idSlackHook  = "slack-webhook"
	idDiscord    = "discord-bot-token"
	idHook       = "discord-webhook"
	idTelegram   = "telegram-bot-token"
	idAWSSecret  = "aws-secret-access-key"
	idAzureApp   = "azure-client-secret"
	idMailgun    = "mailgun-key"
	idMailchimp  = "mailchimp-key"
	idDatadog    = "datadog-key"
	idTwilioAuth = "twilio-auth-token"
	idNamed      = "generated-value"
)

var special = [...]Rule{
	{idPrivateKey, "private key"},
	{idJWT, "signed JSON web token"},
	{idDatabase, "password in a database address"},
	{idURL, "password in an address"},
	{idSlackHook, "Slack webhook address"},
	{idHook, "Discord webhook address"},
	{idDiscord, "Discord bot token"},
	{idTelegram, "Telegram bot token"},
	{idAWSSecret, "AWS secret access key"},
	{idAzureApp, "Azure client secret"},
	{idMailgun, "Mailgun key"},
	{idMailchimp, "Mailchimp key"},
	{idDatadog, "Datadog key"},
	{idTwilioAuth, "Twilio auth token"},
	{idNamed, "generated value behind a name that announces a secret"},
}

// finder is one run of Find.
type finder struct {
	s       string
	found   []Match
	nameEnd int // names before this offset have been looked at
	skip    int // nothing starts before this offset
}

// add reports one credential. Of two that overlap the more telling one stays: a format before a password in an address,
// that before a generated value behind a name.
func (f *finder) add(id string, start, end int) {
	m := Match{Rule: id, Start: start, End: end, High: id != idNamed}
	for n := len(f.found); n > 0 && start < f.found[n-1].End; n-- {
		if rank(id) <= rank(f.found[n-1].Rule) {
			return
		}
		f.found = f.found[:n-1]
	}
	f.found = append(f.found, m)
}

func rank(id string) int {
	switch id {
	case idNamed:
		return 0
	case idURL, idDatabase:
		return 1
	}
	return 2
}
