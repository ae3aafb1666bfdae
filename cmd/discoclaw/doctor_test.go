//go:build unix

package main

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm/llmtest"
)

// doctor runs discoclaw doctor --online with the settings of a process, and returns what it prints, and its exit code.
func (p *process) doctor(t testing.TB, more ...string) (text string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.program, "doctor", "--online")
	cmd.Args[0] = "discoclaw" // the test binary dispatches on it
	cmd.Dir, cmd.Env = p.dir, append(p.env, more...)
	out, _ := cmd.CombinedOutput() // the code says whether it failed
	return string(out), cmd.ProcessState.ExitCode()
}

// TestDoctorOnlineSaysWhatToFix with the whole program, and by its exit code.
func TestDoctorOnlineSaysWhatToFix(t *testing.T) {
	t.Parallel()
	p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h }, "DISCOCLAW_DISCORD_ACTIONS=0", "OPENAI_MODEL=m-1")
	p.model.Queue(llmtest.Text("yes"))
	text, code := p.doctor(t)
	if code != exitFine {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"Discord accepts it", "Message Content Intent", "the bot is on ", "the bot has all it needs", "m-1 at ", " answered after "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if len(p.model.Requests()) != 1 {
		t.Errorf("the model was asked %d times", len(p.model.Requests()))
	}

	// A server that fails is no mistake of the configuration.
	p.model.Queue(llmtest.ServerError(http.StatusServiceUnavailable))
	if text, code = p.doctor(t); code != exitFault || !strings.Contains(text, "discoclaw: 1 thing has to be fixed") {
		t.Errorf("exit %d\n%s", code, text)
	}

	if err := p.world.SetPermission("bot", chat.SendMessages, false); err != nil {
		t.Fatal(err)
	}
	if err := p.world.SetPermission("@everyone", chat.SendMessages, false); err != nil {
		t.Fatal(err)
	}
	p.world.WithoutMessageContent()
	p.model.Queue(llmtest.NoSuchModel())
	text, code = p.doctor(t, "DISCORD_GUILD_ID=123456789012345678")
	if code != exitMistake {
		t.Errorf("exit %d", code)
	}
	for _, want := range []string{"the Message Content Intent is off", "DISCORD_GUILD_ID is 123456789012345678, but the bot is on ", "does not have the model that was asked for", "discoclaw: 3 things have to be fixed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if text, _ = p.doctor(t); !strings.Contains(text, "the bot lacks Send Messages (replies); grant it to the bot's role") {
		t.Errorf("%s", text)
	}
	if strings.Contains(text, p.world.Token()) {
		t.Errorf("the token is shown:\n%s", text)
	}
}
