package taskmodel_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
	"github.com/devflow-suite/devflow/internal/testkit/taskmodel"
	"github.com/devflow-suite/devflow/orchestrator/probe"
)

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func ask(t *testing.T, url, tools string, messages ...message) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "tools": []map[string]string{{"name": tools}}, "messages": messages})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/messages", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheNextStepFollowsFromTheConversation(t *testing.T) {
	t.Parallel()
	s := mockapi.New(t, taskmodel.Model{
		Plan:  map[string]any{"summary": "PLANNED"},
		Tasks: map[string][]mockapi.Step{"a1": {mockapi.Turn(mockapi.Bash("one")), mockapi.Say("two"), mockapi.Say("three")}, "a2": {mockapi.Say("other")}},
	}.Script())
	user, said := func(text string) message { return message{"user", text} }, message{"assistant", "x"}
	for _, c := range []struct {
		tools, want string
		talk        []message
	}{
		{"StructuredOutput", "PLANNED", []message{user("plan it")}},
		{"Bash", "one", []message{user("Your task a1:\n\ndo")}},
		{"Bash", "two", []message{user("Your task a1:\n\ndo"), said, user("result")}},
		{"Bash", "three", []message{user("Your task a1:\n\ndo"), said, said, user("Your work on task a1 was not accepted")}},
		{"Bash", "other", []message{user("Your task a1:\n\ndo"), said, said, user("Your task a2:\n\ndo")}},
		{"Bash", "The work on a2 is done", []message{user("Your task a2:\n\ndo"), said, user("go on")}},
	} {
		if got := ask(t, s.URL, c.tools, c.talk...); !strings.Contains(got, c.want) {
			t.Errorf("%v: %s, want %s", c.talk, got, c.want)
		}
	}
}

func TestTheEndpointPassesTheProbeAndWorks(t *testing.T) {
	t.Parallel()
	url, s := taskmodel.Serve(t, taskmodel.Model{Tasks: map[string][]mockapi.Step{"a1": {mockapi.Say("WORKED")}}})
	r, err := probe.Run(t.Context(), probe.Options{URL: url}, nil)
	if err != nil || !r.OK || len(s.Requests()) != 0 {
		t.Errorf("probe: %v %+v", err, r)
	}
	for _, l := range r.Lines {
		if l.Level == probe.Fail || l.Level == probe.Warn && l.Check != "parallel" { // it is too quick to be seen side by side
			t.Errorf("%+v", l)
		}
	}
	if got := ask(t, url, "Bash", message{"user", "Your task a1:\n\ndo"}); !strings.Contains(got, "WORKED") {
		t.Errorf("the worker was told %s", got)
	}
}
