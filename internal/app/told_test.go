package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/config"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// lastWords carries requests to Discord until the first message is posted, or a later one. The
// process is killed right before that, or right after it.
type lastWords struct {
	next  http.RoundTripper
	heard bool // the message gets there

	mu     sync.Mutex
	before int // how many messages are posted first
	kill   func()
	dead   bool
}

func (l *lastWords) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	posts := r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages")
	if posts && !l.dead && l.before > 0 {
		l.before--
		return l.next.RoundTrip(r)
	}
	if l.dead || posts && !l.heard {
		l.die()
		return nil, errDead
	}
	resp, err := l.next.RoundTrip(r)
	if posts && err == nil {
		_ = resp.Body.Close() // nobody reads it any more
		l.die()
		return nil, errDead
	}
	return resp, err
}

func (l *lastWords) die() {
	l.dead = true
	l.kill()
}

// killing says what else ends with the process.
func (l *lastWords) killing(kill func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kill = kill
	if l.dead {
		kill()
	}
}

// TestWhyNothingIsDoneIsToldOnce, also if the process is killed right after it has said so.
func TestWhyNothingIsDoneIsToldOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		text string
		says string
		hear func(l *lives, say func() chat.MessageID)
	}{
		{"a command of which nobody knows how far it came", "!long", "restarted in the middle of this command", func(l *lives, say func() chat.MessageID) {
			l.live(func(bot *Bot) {
				answersWith(bot, func(ctx context.Context, _ chat.Message, _ string) (string, error) {
					<-ctx.Done()
					return "", ctx.Err()
				})
				say()
			})
		}},
		{"a command from while the bot was away", "!help", "was written when I could not run it", func(l *lives, say func() chat.MessageID) {
			l.live(nil)
			say()
			time.Sleep(5 * time.Minute)
		}},
		{"a message that ends every process", "the word that kills", "after three tries", func(l *lives, say func() chat.MessageID) {
			l.live(func(bot *Bot) {
				deadly := say()
				time.Sleep(time.Second)
				for range maxAttempts {
					attempt(l.t, bot.inbox, "turn", inbox.EventID(deadly))
				}
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				l := &lives{t: t, world: w, env: apptest.Env(t, w)}
				tt.hear(l, func() chat.MessageID { return w.MustSay("ada", "general", tt.text).ID })
				l.dies(true, nil)
				l.live(nil)
				if strings.Count(apptest.Contents(w, "general"), tt.says) != 1 {
					t.Error(w.Transcript())
				}
			})
		})
	}
}

// lives are processes, one after the other. Discord knows nothing of an earlier one.
type lives struct {
	t     *testing.T
	world *discordtest.World
	env   config.Env
}

// live is the life of one that ends well.
func (l *lives) live(do func(*Bot)) { l.over(l.world.HTTP().Transport, do) }

// dies is the life of one that is killed when it posts its first message.
func (l *lives) dies(heard bool, do func(*Bot)) { l.diesAfter(0, heard, do) }

// diesAfter is the life of one that posts some messages before that.
func (l *lives) diesAfter(posts int, heard bool, do func(*Bot)) {
	last := &lastWords{next: l.world.HTTP().Transport, heard: heard, before: posts, kill: func() {}}
	l.over(last, func(bot *Bot) {
		last.killing(func() { _ = bot.core.db.Close() })
		if do != nil {
			do(bot)
		}
	})
}

func (l *lives) over(next http.RoundTripper, do func(*Bot)) {
	bot, stop := begins(l.t, l.env, Outside{HTTP: &http.Client{Transport: next}, Runtime: apptest.Endless(), Log: l.t.Output()})
	if do != nil {
		do(bot)
	}
	time.Sleep(time.Minute)
	_, _ = stop() // a process that was killed has its reasons
	l.world.Gateway().ForgetSessions()
}

// TestAnAnswerToACommandComesOnce, and whole: the process was killed right before or right after
// one of its messages, which are posted one by one.
func TestAnAnswerToACommandComesOnce(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("abcdefghi\n", 500) + "The end." // three messages
	for _, tt := range []struct {
		name   string
		answer string
		before int  // messages that were posted before
		heard  bool // the next one gets there
		want   int
	}{
		{"before its only message", "The end.", 0, false, 1},
		{"after its only message", "The end.", 0, true, 1},
		{"before the first of three", long, 0, false, 3},
		{"after the first of three", long, 0, true, 3},
		{"after the second of three", long, 1, true, 3},
		{"after the third of three", long, 2, true, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				l := &lives{t: t, world: w, env: apptest.Env(t, w)}
				l.diesAfter(tt.before, tt.heard, func(bot *Bot) {
					answersWith(bot, func(context.Context, chat.Message, string) (string, error) { return tt.answer, nil })
					w.MustSay("ada", "general", "!long")
				})
				l.live(nil)
				l.live(nil)
				if n := len(w.Messages("general")); n != 1+tt.want || strings.Count(apptest.Contents(w, "general"), "The end.") != 1 {
					t.Errorf("%d messages\n%s", n, w.Transcript())
				}
			})
		})
	}
}

// answersWith gives a bot the command !long.
func answersWith(b *Bot, run func(context.Context, chat.Message, string) (string, error)) {
	b.flows.Commands = commands.New(func(chat.UserID) bool { return true }, commands.Command{Name: "long", Summary: "Say much.", Run: run})
}

// TestWhyNothingIsDoneIsToldAfterAnOutage: nobody could be told at first. What was told though
// Discord did not say so is not told again.
func TestWhyNothingIsDoneIsToldAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		t.Run(fmt.Sprintf("it gets there: %v", accepted), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				l := &lives{t: t, world: w, env: apptest.Env(t, w)}
				l.live(nil)
				w.MustSay("ada", "general", "!help")
				time.Sleep(5 * time.Minute)
				w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: http.StatusServiceUnavailable, Accepted: accepted})
				l.live(func(*Bot) {
					time.Sleep(90 * time.Second)
					w.Recover()
					time.Sleep(time.Minute)
				})
				if strings.Count(apptest.Contents(w, "general"), "was written when I could not run it") != 1 {
					t.Error(w.Transcript())
				}
			})
		})
	}
}

// TestAnAnswerToACommandComesOnceAfterALongOutage: Discord has taken it without saying so, and
// has forgotten its nonce when it is posted once more.
func TestAnAnswerToACommandComesOnceAfterALongOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		l := &lives{t: t, world: w, env: apptest.Env(t, w)}
		fail := func(accepted bool, d time.Duration) {
			w.Recover()
			w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: http.StatusServiceUnavailable, Accepted: accepted})
			time.Sleep(d)
		}
		l.live(func(*Bot) {
			time.Sleep(time.Minute)
			w.MustSay("ada", "general", "!help")
			fail(false, time.Minute) // the answer is lost
			fail(true, time.Minute)
			fail(false, 10*time.Minute)
			w.Recover()
			time.Sleep(3 * time.Minute)
		})
		if strings.Count(apptest.Contents(w, "general"), "**Commands**") != 1 {
			t.Error(w.Transcript())
		}
	})
}
