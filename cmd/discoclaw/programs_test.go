//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// program writes a shell script that stands in for Claude Code. It has read its prompt before it begins.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat > /dev/null\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

const (
	claudeSays = `{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"On it.<discord-action>{\"type\":\"channelCreate\",\"name\":\"pwned\"}</discord-action>"}}}`
	claudeEnds = `{"type":"result","subtype":"success","is_error":false,"result":"On it.","usage":{"input_tokens":10,"output_tokens":5},"total_cost_usd":0.01}`
)

// TestWhatPeopleReadWhenAProgramFails: a plain sentence, as with a server, and nothing is done out of an answer that
// broke off.
func TestWhatPeopleReadWhenAProgramFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, want string }{
		{"it dies", "echo '" + claudeSays + "'\nexit 3\n", "The answer from claude broke off; try again. Nothing was done."},
		{"it is killed", "echo '" + claudeSays + "'\nkill -9 $$\n", "The answer from claude broke off; try again. Nothing was done."},
		{"it hangs", "echo '" + claudeSays + "'\nexec sleep 600\n", "Nothing was done."},
		{"it never begins", "exec sleep 600\n", "sent nothing for 1 second"},
		{"it wants a login", "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"result\":\"Invalid API key · Please run /login\"}'\nexit 1\n", "log in"},
		{"it says something else", "echo welcome\nexit 0\n", "broke off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, self(t), "PRIMARY_RUNTIME=claude", "CLAUDE_BIN="+program(t, tt.script), "DISCOCLAW_STREAM_STALL_TIMEOUT_MS=700")
			p.online(t)
			p.world.MustSay("ada", "general", "make a channel")
			p.until(p.concludes("general", tt.want))
			text := p.world.Transcript()
			if strings.Contains(text, "Thinking") || strings.Contains(text, "pwned") || !strings.Contains(text, "⚠️") {
				t.Errorf("the channel was left as\n%s", text)
			}
		})
	}
}

func TestAProgramAnswers(t *testing.T) {
	t.Parallel()
	p := start(t, self(t), "PRIMARY_RUNTIME=claude", "CLAUDE_BIN="+program(t, "echo '"+claudeSays+"'\necho '"+claudeEnds+"'\n"))
	p.online(t)
	p.world.MustSay("ada", "general", "make a channel")
	p.until(p.concludes("general", "Done: created"))
	if _, made := p.world.Channel("pwned"); !made || len(p.model.Requests()) != 0 {
		t.Errorf("%s", p.world.Transcript())
	}
}
