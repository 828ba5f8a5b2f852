package change

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/devflow-suite/devflow/internal/config"
)

// Loosens lists the keys with which a project's .devflow.toml would be looser after a change than before it, or than the user's own
// configuration, whose folder is root ("" = the defaults). A file that cannot be read tightens nothing; before may be empty.
func Loosens(root string, before, after []byte) []string {
	if string(before) == string(after) {
		return nil
	}
	prev, ok := layer(root, before)
	next, valid := layer(root, after)
	if !valid && ok && len(strings.TrimSpace(string(before))) > 0 {
		return []string{"the whole file (it would be no valid configuration)"}
	}
	var keys []string
	note := func(loose bool, key string) {
		if loose {
			keys = append(keys, key)
		}
	}
	added := func(prev, next []string) bool {
		return slices.ContainsFunc(next, func(s string) bool { return !slices.Contains(prev, s) })
	}
	note(added(prev.Disabled, next.Disabled), "disabled")
	for _, b := range prev.ProtectedBranches {
		note(!slices.Contains(next.ProtectedBranches, b), "protected_branches without "+b)
	}
	note(prev.IsProduction && !next.IsProduction, "is_production")
	note(next.MaxRetries > prev.MaxRetries, "max_retries")
	note(next.TokenDelta.Limit > prev.TokenDelta.Limit, "token_delta.limit")
	note(prev.TokenDelta.Arm == config.ArmAlways && next.TokenDelta.Arm != config.ArmAlways, "token_delta.arm")
	note(len(next.TDD.SourceDirs) > 0 && (len(prev.TDD.SourceDirs) == 0 || added(next.TDD.SourceDirs, prev.TDD.SourceDirs)), "tdd.source_dirs")
	note(added(prev.Guard.Allow, next.Guard.Allow), "guard.allow")
	note(next.Gate.AllowPushToMain && !prev.Gate.AllowPushToMain, "gate.allow_push_to_main")
	note(autoPush(next) > autoPush(prev), "gate.auto_push")
	note(next.Gate.FileWarn > prev.Gate.FileWarn, "gate.file_length_warn")
	note(next.Gate.FileFail > prev.Gate.FileFail, "gate.file_length_critical")
	note(!maps.Equal(prev.Gate.Tests, next.Gate.Tests) && len(next.Gate.Tests) > 0, "gate.tests")
	for _, b := range prev.Gate.Boundaries {
		kept := slices.ContainsFunc(next.Gate.Boundaries, func(n config.Boundary) bool { return reflect.DeepEqual(b, n) })
		note(!kept, "gate.boundaries of "+b.From)
	}
	return keys
}

func autoPush(c config.Config) int {
	return slices.Index([]string{config.AutoPushOff, config.AutoPushSuggest, config.AutoPushAuto}, c.Gate.AutoPush)
}

// layer decodes a project's file over the user's configuration.
func layer(root string, data []byte) (config.Config, bool) {
	file := ""
	if root != "" {
		file = filepath.Join(root, "config.toml")
	}
	cfg, _ := config.Load(config.Paths{File: file}, "") // a fresh one: decoding writes into its slices
	base := cfg
	if _, err := toml.Decode(string(data), &cfg); err != nil {
		return base, false
	}
	return cfg, true
}

// Project says why a project's file must not change so; "" if it may.
func Project(root string, before, after []byte) string {
	keys := Loosens(root, before, after)
	if len(keys) == 0 {
		return ""
	}
	return fmt.Sprintf("it loosens %s", strings.Join(keys, ", "))
}
