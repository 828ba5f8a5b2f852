package leaf

import (
	"strconv"
	"strings"
)

// Schema is the form of the answer. Reasons and quotations come before values, so that they are thought through first.
func Schema() string {
	var props, required strings.Builder
	for i, l := range leaves {
		if i > 0 {
			props.WriteByte(',')
			required.WriteByte(',')
		}
		value := `{"type":"number"}`
		if l.values != "" {
			value = `{"type":"string","enum":["` + strings.ReplaceAll(l.values, "|", `","`) + `"]}`
		}
		props.WriteString(strconv.Quote(l.key) + `:{"type":"object","additionalProperties":false,"required":["reason","quote","value"],` +
			`"properties":{"reason":{"type":"string"},"quote":{"type":"string"},"value":` + value + `}}`)
		required.WriteString(strconv.Quote(l.key))
	}
	return `{"type":"object","additionalProperties":false,"required":["leaves","asked","unasked","summary","overall"],"properties":{` +
		`"leaves":{"type":"object","additionalProperties":false,"required":[` + required.String() + `],"properties":{` + props.String() + `}},` +
		`"asked":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["item","evidence","status"],"properties":{` +
		`"item":{"type":"string"},"evidence":{"type":"string"},"status":{"type":"string","enum":["done","partial","not_done"]}}}},` +
		`"unasked":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["what","quote"],"properties":{"what":{"type":"string"},"quote":{"type":"string"}}}},` +
		`"summary":{"type":"string"},"overall":{"type":"string","enum":["pass","warn","fail"]}}}`
}

// Guide is the part of the instructions that tells what each leaf means.
func Guide() string {
	var b strings.Builder
	b.WriteString("Answer for every leaf with a reason, a quote and a value. " +
		"Quote one line of the change, copied exactly, whenever the value speaks against the work; when you cannot quote such a line, give the clean value and an empty quote. " +
		"A small change that literally does what the task says is clean. Judge what is there, not how you would have written it.\n")
	for _, l := range leaves {
		values := strings.ReplaceAll(l.values, "|", ", ")
		if values == "" {
			values = "0 to 1"
		}
		b.WriteString("- " + l.key + " (" + values + "): " + l.ask + ".\n")
	}
	b.WriteString("In asked, list what the task asked for: item is copied exactly from the task or the specification, evidence is the line of the change that does it, copied exactly, or empty. " +
		"partial and not_done are for what is really missing. In unasked, list changes that nobody asked for, each with a line of it; what the task needs to work is asked for. " +
		"Without a task both lists are empty. overall is your own opinion; it is kept and decides nothing.\n")
	return b.String()
}
