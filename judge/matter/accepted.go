package matter

import (
	"github.com/devflow-suite/devflow/judge/verdict"
	"time"

	"github.com/devflow-suite/devflow/judge/waiver"
)

// waivers are those that held before the change.
func (c *Case) Waivers() []waiver.Waiver {
	if c.Change == nil || c.Change.Base == nil {
		return nil
	}
	text, ok := c.Change.Base.Read(waiver.File)
	if !ok {
		return nil
	}
	list, problems := waiver.Parse(text)
	for _, p := range problems {
		c.doubt(verdict.Note, waiver.File, p, "correct "+waiver.File)
	}
	return list
}

// ChangesWaivers reports whether the change edits what people accept: then a person has to look at it.
func (c *Case) ChangesWaivers() bool { return c.Change != nil && c.Change.File(waiver.File) != nil }

// waiverDoubts says what the waiver file gives cause to say.
func (c *Case) WaiverDoubts() []verdict.Reason {
	if !c.ChangesWaivers() {
		return nil
	}
	return []verdict.Reason{{
		Prefix: "judge", Class: verdict.Soft, File: waiver.File, Text: "this change edits " + waiver.File + ", which says what is accepted: a person has to review it", Fix: "let a person review it, or leave the file as it was",
	}}
}

// now is when the case is judged.
func (c *Case) Now() time.Time {
	if c.Clock != nil {
		return c.Clock()
	}
	return time.Now()
}
