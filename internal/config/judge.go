package config

import (
	"maps"
	"slices"
)

// Judge is about the model that looks beside the rules. Without a backend the rules decide alone.
type Judge struct {
	Backend      string   `toml:"backend"`       // off, openai, claude or command
	Model        string   `toml:"model"`         // as the backend calls it
	BaseURL      string   `toml:"base_url"`      // openai: with the version, such as http://127.0.0.1:11434/v1
	KeyEnv       string   `toml:"api_key_env"`   // openai: variable that holds the key
	Command      []string `toml:"command"`       // command: program and arguments
	RequireModel bool     `toml:"require_model"` // on high risk a report of Sec without a model is none
	Mutation     bool     `toml:"mutation"`      // on high risk and at pushes: would the tests notice if a changed line were wrong?
}

// Backends of the judge.
const (
	BackendOff     = "off"
	BackendOpenAI  = "openai"
	BackendClaude  = "claude"
	BackendCommand = "command"
)

// DefaultModel is asked where the user names none; source: governance rules of the project.
const DefaultModel = "claude-haiku-4-5-20251001"

func (j Judge) faults(note func(wrong bool, format string, args ...any)) {
	switch j.Backend {
	case BackendOff, BackendClaude:
	case BackendOpenAI:
		note(j.BaseURL == "", "judge.base_url is missing, want the address of the endpoint such as \"http://127.0.0.1:11434/v1\"")
	case BackendCommand:
		note(len(j.Command) == 0, "judge.command is missing, want a program and its arguments")
	default:
		note(true, "judge.backend is %q, want %q, %q, %q or %q", j.Backend, BackendOff, BackendOpenAI, BackendClaude, BackendCommand)
	}
	note(j.Model == "", "judge.model is empty, want the name of a model")
}

// tightenJudge folds a project's keys into the user's: a project may only demand more. Where a model is, and what it is
// called, is the user's alone, because code of the project is sent there.
func tightenJudge(user, proj Judge, refuse func(key string)) Judge {
	out := user
	out.RequireModel = user.RequireModel || proj.RequireModel
	out.Mutation = user.Mutation || proj.Mutation
	differ := map[string]bool{
		"judge.backend": proj.Backend != user.Backend, "judge.model": proj.Model != user.Model, "judge.base_url": proj.BaseURL != user.BaseURL,
		"judge.api_key_env": proj.KeyEnv != user.KeyEnv, "judge.command": !slices.Equal(proj.Command, user.Command),
		"judge.require_model": user.RequireModel && !proj.RequireModel, "judge.mutation": user.Mutation && !proj.Mutation,
	}
	for _, key := range slices.Sorted(maps.Keys(differ)) {
		if differ[key] {
			refuse(key)
		}
	}
	return out
}
