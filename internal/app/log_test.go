package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// TestEveryLogLineOfATurnHasItsAttributes covers the lines of the runner, the actions, the client
// and the approvals, and those after an action is approved.
func TestEveryLogLineOfATurnHasItsAttributes(t *testing.T) {
	t.Parallel()
	const acts = `One moment.
<discord-action>{"type":"sendMessage","channel":"ops","content":"hi"}</discord-action>
<discord-action>{"type":"sendMessage","channel":"nowhere","content":"hi"}</discord-action>
<discord-action>{"type":"channelDelete","channel":"old"}</discord-action>`
	for _, tt := range []struct{ name, begins, flow string }{
		{"a message", "do it", "message"},
		{"a deferred run", "later", "defer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general #ops #old\nmember ada: owner")
				answers := []script.Answer{script.Say(acts), script.Say("That is all.")}
				if tt.flow == "defer" {
					answers = append([]script.Answer{script.Say(`Later. <discord-action>{"type":"defer","channel":"general","delaySeconds":60,"prompt":"do it"}</discord-action>`)}, answers...)
				}
				var log logged
				env := apptest.Env(t, w, "LOG_FORMAT=json", "LOG_LEVEL=debug", "DISCOCLAW_DISCORD_ACTIONS_DEFER=1")
				_, stop := begins(t, env, Externals{HTTP: w.HTTP(), Runtime: script.New(answers...), Log: &log})
				time.Sleep(time.Minute)
				synctest.Wait()
				log.Reset()
				w.MustSay("ada", "general", tt.begins)
				if tt.flow == "defer" {
					time.Sleep(30 * time.Second)
					synctest.Wait()
					log.Reset()
				}
				w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Times: 1})
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				_, lines, found := strings.Cut(log.String(), "deferred run is due")
				if _, lines, _ = strings.Cut(lines, "\n"); !found {
					lines = log.String()
				}
				requireTurn(t, lines, tt.flow, string(w.ChannelID("general")), "discord request failed, retrying", "action done", "action failed", "action waits for approval", "question asked", "turn over")
				log.Reset()
				approve(t, w, "general")
				time.Sleep(time.Minute)
				synctest.Wait()
				_, lines, _ = strings.Cut(log.String(), "question answered")
				_, lines, _ = strings.Cut(lines, "\n")
				requireTurn(t, lines, tt.flow, string(w.ChannelID("general")), "action done")
				if _, err := stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestEveryLogLineOfACommandHasItsAttributes: a command has no origin of its own.
func TestEveryLogLineOfACommandHasItsAttributes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		var log logged
		_, stop := begins(t, apptest.Env(t, w, "LOG_FORMAT=json"), Externals{HTTP: w.HTTP(), Runtime: script.New(), Log: &log})
		time.Sleep(time.Minute)
		log.Reset()
		w.MustSay("ada", "general", "!help")
		time.Sleep(time.Minute)
		requireTurn(t, log.String(), "message", string(w.ChannelID("general")), "command")
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestALogLineKeepsItsOwnChannel: a line about another channel than its turn's has only that one.
func TestALogLineKeepsItsOwnChannel(t *testing.T) {
	t.Parallel()
	var log logged
	ctx := turn.WithLog(t.Context(), actions.Origin{Turn: "T", Flow: actions.FlowMessage, Place: chat.Place{Channel: "1"}})
	newLog(config.Operation{LogFormat: "json"}, &log).InfoContext(ctx, "x", "channel", "2")
	requireTurn(t, log.String(), "message", "2", "x")
}

// logged collects the log since the last Reset.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// approve approves the open question in a channel.
func approve(t *testing.T, w *discordtest.World, channel string) {
	t.Helper()
	for _, m := range w.Messages(channel) {
		for _, b := range m.Buttons() {
			if b.Label != "Approve" {
				continue
			}
			if _, err := w.Press("ada", m.ID, b.CustomID); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("there is no question")
}

// requireTurn fails the test unless each line has each attribute of the turn once, and the messages
// are among the lines.
func requireTurn(t *testing.T, log, flow, channel string, messages ...string) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.Lines(log) {
		var said struct{ Msg, Turn, Flow, Channel string }
		if err := json.Unmarshal([]byte(line), &said); err != nil {
			t.Fatal(err)
		}
		seen[said.Msg] = true
		if said.Turn == "" || said.Flow != flow || said.Channel != channel {
			t.Errorf("%q does not say which turn it is about: %s", said.Msg, line)
		}
		for _, key := range []string{"turn", "flow", "channel"} {
			if n := strings.Count(line, `"`+key+`":`); n != 1 {
				t.Errorf("%q has %q %d times: %s", said.Msg, key, n, line)
			}
		}
	}
	for _, msg := range messages {
		if !seen[msg] {
			t.Errorf("the log has no line %q:\n%s", msg, log)
		}
	}
}

// TestTheLogHidesNothing: the JSON has no hidden characters, and the text has them escaped.
func TestTheLogHidesNothing(t *testing.T) {
	t.Parallel()
	for _, format := range []config.Choice{"json", "text"} {
		var b bytes.Buffer
		newLog(config.Operation{LogFormat: format}, &b).Info("x", "name", "a\u202eb", "err", errors.New("c\u2066d"))
		if got := b.String(); chat.Visible(got) != got || !strings.Contains(got, "x") {
			t.Errorf("%s: %+q", format, got)
		}
	}
}

// TestTheLogHasDurationsInSeconds, which people and programs can compare, in both formats.
func TestTheLogHasDurationsInSeconds(t *testing.T) {
	t.Parallel()
	for format, want := range map[config.Choice]string{"json": `"took":83.457,"wait":0.02`, "text": "took=83.457s wait=0.02s"} {
		var b bytes.Buffer
		newLog(config.Operation{LogFormat: format}, &b).Info("x", "took", 83456789*time.Microsecond, "wait", 20*time.Millisecond)
		if got := b.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", format, got)
		}
	}
}
