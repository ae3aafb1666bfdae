package flow_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord"
)

// posting is the API route for posting messages.
const posting = "POST /channels/{channel}/messages"

// TestTheNoticeAboutADroppedEventIsPostedOnce even if the process is killed right after posting it.
func TestTheNoticeAboutADroppedEventIsPostedOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		before     func(h *host)
	}{
		{"a command that was interrupted", "restarted in the middle of this command", func(h *host) {
			h.Fail(fakediscord.Fault{Match: "DELETE /channels/{channel}/messages/{message}", Kind: fakediscord.Hang})
			h.start()
			h.ask("!secret set OPENAI_API_KEY=sk-1") // its message has to be deleted first
			time.Sleep(time.Second)
			h.kill()
			h.Recover()
		}},
		{"a command that was missed", "was written when I could not run it", func(h *host) {
			h.run(nil)
			h.ask("!help")
			time.Sleep(5 * time.Minute)
		}},
		{"a message that ends every process", "after three tries", func(h *host) { h.killThrice("the word that kills") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				tt.before(h)
				h.Gateway().ForgetSessions()
				h.start(h.atPost(0, true))
				time.Sleep(time.Minute)
				h.kill()
				h.Gateway().ForgetSessions()
				h.run(nil)
				h.shows(1, "general", tt.says)
			})
		})
	}
}

// TestACommandIsAnsweredOnceAndInFull: the process is killed right before or right after posting one of the
// messages of the answer, which are posted one by one.
func TestACommandIsAnsweredOnceAndInFull(t *testing.T) {
	t.Parallel()
	const many = 20 // tasks, whose list takes two messages
	for _, tt := range []struct {
		name   string
		tasks  int
		posted int32 // messages before the one at which it is killed
		heard  bool  // that one reaches Discord
		want   int
	}{
		{"before its only message", 1, 0, false, 1},
		{"after its only message", 1, 0, true, 1},
		{"before the first of two", many, 0, false, 2},
		{"after the first of two", many, 0, true, 2},
		{"before the second of two", many, 1, false, 2},
		{"after the second of two", many, 1, true, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.run(func() {
					for i := range tt.tasks {
						h.ask(fmt.Sprintf("!task new Water plant %d, %s", i, strings.Repeat("x", 70)))
						time.Sleep(time.Second)
					}
				})
				h.Gateway().ForgetSessions()
				h.start(h.atPost(tt.posted, tt.heard))
				asked := h.ask("!task list")
				time.Sleep(time.Minute)
				h.kill()
				h.Gateway().ForgetSessions()
				h.run(nil)
				h.run(nil)
				n, tasks := 0, 0
				for _, m := range h.Messages("general") {
					if m.ID.After(asked) {
						n, tasks = n+1, tasks+strings.Count(m.Content, "Water plant")
					}
				}
				if n != tt.want || tasks != tt.tasks {
					t.Errorf("%d tasks in %d messages, want %d in %d\n%s", tasks, n, tt.tasks, tt.want, h.Transcript())
				}
			})
		})
	}
}

// TestTheNoticeAboutADroppedCommandIsPostedAfterAnOutage. A post that Discord accepted, but whose response was lost,
// is not repeated.
func TestTheNoticeAboutADroppedCommandIsPostedAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		t.Run(fmt.Sprintf("accepted: %v", accepted), func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.run(nil)
				h.ask("!help")
				time.Sleep(5 * time.Minute)
				h.Fail(fakediscord.Fault{Match: posting, Status: http.StatusServiceUnavailable, Accepted: accepted})
				h.run(func() {
					time.Sleep(90 * time.Second)
					h.Recover()
					time.Sleep(time.Minute)
				})
				h.shows(1, "general", "was written when I could not run it")
			})
		})
	}
}

// TestACommandIsAnsweredOnceAfterALongOutage: Discord has accepted the answer, but the response was lost, and the
// nonce has expired by the time of the retry.
func TestACommandIsAnsweredOnceAfterALongOutage(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		fail := func(accepted bool, d time.Duration) {
			h.Recover()
			h.Fail(fakediscord.Fault{Match: posting, Status: http.StatusServiceUnavailable, Accepted: accepted})
			time.Sleep(d)
		}
		h.run(func() {
			time.Sleep(time.Minute)
			h.ask("!help")
			fail(false, time.Minute) // the response is lost
			fail(true, time.Minute)
			fail(false, 10*time.Minute)
			h.Recover()
			time.Sleep(3 * time.Minute)
		})
		h.shows(1, "general", "**Commands**")
	})
}

// TestACommandInterruptedBeforeItsAnswerIsAnsweredLater: it has run, and its answer is in the ledger.
func TestACommandInterruptedBeforeItsAnswerIsAnsweredLater(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.start()
		h.Fail(fakediscord.Fault{Match: posting, Kind: fakediscord.Hang})
		command := h.ask("!health")
		time.Sleep(time.Second)
		h.stop()
		h.Recover()
		h.run(nil)
		h.answeredIn(1, "by the next process", "general", command, "**Health**")
	})
}

// refusing makes a database refuse events; accepting undoes that.
const (
	refusing  = "CREATE TRIGGER refusing BEFORE INSERT ON inbox BEGIN SELECT RAISE(FAIL, 'there is no room'); END"
	accepting = "DROP TRIGGER refusing"
)

// TestACommandThatCannotBeAcceptedIsNotRun: there would be no record that it ran, so it would run again after a crash.
func TestACommandThatCannotBeAcceptedIsNotRun(t *testing.T) {
	const file = "OPENAI_API_KEY=sk-1\n"
	const refused = "so I cannot start anything safely."
	onHost(t, "guild disco: #general #ops\nmember ada: owner\n", func(h *host) {
		_, err := h.OpenDM("ada")
		h.must(err)
		h.file = filepath.Join(h.t.TempDir(), "settings.env")
		h.must(os.WriteFile(h.file, []byte(file), 0o600))
		h.env["DISCOCLAW_OPERATOR_USER_IDS"] = string(h.UserID("ada"))
		h.exec(refusing)
		h.start()
		for channel, text := range map[string]string{"general": "!restart", "ops": "!undo", "@ada": "!secret set OPENAI_API_KEY=sk-2"} {
			h.MustSay("ada", channel, text)
			time.Sleep(10 * time.Second)
			h.shows(1, channel, refused)
		}
		_, err = h.Run("ada", "general", "/discoclaw undo")
		h.must(err)
		time.Sleep(10 * time.Second)
		h.shows(1, "general", refused+" Please try again")
		time.Sleep(5 * time.Minute)
		h.kill()
		h.Gateway().ForgetSessions()
		h.exec(accepting)
		h.run(nil)
		if n := strings.Count(h.Transcript(), "so I left it alone"); n != 3 {
			t.Errorf("%d commands were left alone\n%s", n, h.Transcript())
		}
		if kept, err := os.ReadFile(h.file); err != nil || string(kept) != file {
			t.Errorf("the settings are %q, %v", kept, err)
		}
	})
}

// TestAPublicSecretIsDeletedEvenIfItCannotBeAccepted, since that cannot wait.
func TestAPublicSecretIsDeletedEvenIfItCannotBeAccepted(t *testing.T) {
	onHost(t, "guild disco: #general\nmember ada: owner\nmember ben\n", func(h *host) {
		h.serves("ada", "ben")
		h.exec(refusing)
		h.start()
		h.ask("!secret set OPENAI_API_KEY=sk-2")
		time.Sleep(10 * time.Second)
		h.kill()
		h.shows(1, "general", "I have deleted your message")
		h.shows(0, "general", "sk-2")
	})
}
