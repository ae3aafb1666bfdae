package config

import (
	"slices"
	"strings"
)

// protectedNames are patterns of settings that cannot be changed from Discord, with the reason.
// They apply even if the setting's tag says that it is editable.
var protectedNames = []struct {
	has func(name string) bool
	why string
}{
	{is("DISCORD_TOKEN"), "it decides which bot I am"},
	{ends("_IDS", "_ID", "_ALLOWLIST", "_REQUIRE_CHANNEL_CONTEXT"), "it decides whom I answer, and where"},
	{ends("_URL", "_HOST", "_HOSTS", "_PROXY", "_ADDR"), "it decides where I send what people write, and my keys"},
	{ends("_BIN", "_CMD", "_DIR", "_CWD", "_PATH", "_FILE"), "it decides which programs and files of its computer I use"},
	{ends("_TOOLS"), "it decides what the model may do"},
	{func(name string) bool { return strings.Contains(name, "_DANGEROUSLY_") }, "it removes a protection"},
	{func(name string) bool { return strings.HasPrefix(name, "DISCOCLAW_DISCORD_ACTIONS") }, "it decides what I may do"},
}

func is(whole string) func(string) bool { return func(name string) bool { return name == whole } }

func ends(with ...string) func(string) bool {
	return func(name string) bool {
		return slices.ContainsFunc(with, func(end string) bool { return strings.HasSuffix(name, end) })
	}
}

// Locked returns why a setting cannot be changed from Discord; empty if it can.
func (v Variable) Locked() string {
	for _, b := range protectedNames {
		if b.has(v.Name) {
			return b.why
		}
	}
	if v.Editable {
		return ""
	}
	return "it decides what I may do"
}
