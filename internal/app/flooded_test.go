package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

// A flooded bot is one whose disk becomes full.
type flooded struct {
	t     *testing.T
	world *discordtest.World
	disk  *fulldisk.Disk
	env   config.Env
	out   Outside
	bot   *Bot
	stop  func() (time.Duration, error)
}

// inFlood lets something happen to a bot whose model gives some answers. It has answered one
// message before.
func inFlood(t *testing.T, test func(f *flooded), answers ...script.Answer) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		f := &flooded{t: t, world: w, env: apptest.Env(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0", "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")}
		f.out = Outside{HTTP: w.HTTP(), Runtime: script.New(append([]script.Answer{script.Say("Yes.")}, answers...)...), Log: t.Output()}
		f.disk = fulldisk.New(t, f.env["DISCOCLAW_DATA_DIR"])
		f.bot, f.stop = begins(t, f.env, f.out)
		f.says("are you there?", time.Minute)
		test(f)
		if f.stop != nil {
			_, _ = f.stop()
		}
		if strings.Contains(w.Transcript(), "[button") {
			t.Errorf("something is never finished:\n%s", w.Transcript())
		}
	})
}

// says has ada say something, and lets some time pass.
func (f *flooded) says(text string, wait time.Duration) chat.MessageID {
	id := f.world.MustSay("ada", "general", text).ID
	time.Sleep(wait)
	return id
}

// next ends the process, and has another one on a disk with room, for a while.
func (f *flooded) next(killed bool) {
	if killed {
		f.disk.Cut(func() { crash(f.bot, f.world, f.stop) })
	} else {
		_, _ = f.stop() // which cannot be written down
	}
	f.disk.Become(fulldisk.Roomy, 0)
	_, f.stop = begins(f.t, f.env, f.out)
	time.Sleep(3 * time.Minute)
	_, _ = f.stop()
	f.stop = nil
}

// requires that a text is there once.
func (f *flooded) requires(text string) {
	f.t.Helper()
	if n := strings.Count(f.world.Transcript(), text); n != 1 {
		f.t.Errorf("%q is there %d times:\n%s", text, n, f.world.Transcript())
	}
}

// pondering is an answer that takes some seconds.
func pondering(text string) script.Answer {
	return script.Answer{script.Pause(5 * time.Second), script.Text(text)}
}

// refusedForNow is what people are told of what cannot be accepted.
const refusedForNow = "My disk is full, so I cannot start anything safely. I will answer this when there is room."

// TestWhatCannotBeAcceptedIsAnsweredWhenThereIsRoom: however much and however old it is. People
// are told once, and nothing is done for them before.
func TestWhatCannotBeAcceptedIsAnsweredWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	const many = 130 // more than a page, and than what is read after an absence
	for _, tt := range []struct {
		name string
		lift func(f *flooded)
	}{
		{"by itself", func(f *flooded) { f.disk.Become(fulldisk.Roomy, 0) }},
		{"as soon as something is written", func(f *flooded) {
			f.disk.Become(fulldisk.Roomy, 0)
			f.says("and now?", time.Second)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var answers []script.Answer
			for range many {
				answers = append(answers, script.Say("Indeed."))
			}
			inFlood(t, func(f *flooded) {
				f.disk.Become(fulldisk.Spent, 0)
				var asked []chat.MessageID
				for i := range many {
					asked = append(asked, f.says(fmt.Sprint("question ", i), time.Second))
				}
				time.Sleep(24 * time.Hour)
				f.requires(refusedForNow)
				if strings.Contains(f.world.Transcript(), "Indeed.") {
					f.t.Error("something was answered that could not be written down")
				}
				tt.lift(f)
				time.Sleep(10 * time.Minute)
				for _, m := range f.world.Messages("general") {
					if m.ReplyTo == asked[len(asked)-1] && strings.Contains(m.Content, "Indeed.") {
						return
					}
				}
				f.t.Errorf("the last question was never answered:\n%s", f.world.Transcript())
			}, answers...)
		})
	}
}

// TestATurnStopsWhenTheDiskIsFull before its next effect, says so, and goes on when there is
// room, in this process or in the next one. Nothing is done twice.
func TestATurnStopsWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		then func(f *flooded)
	}{
		{"and goes on", func(f *flooded) { f.disk.Become(fulldisk.Roomy, 0); time.Sleep(3 * time.Minute) }},
		{"and the bot is stopped", func(f *flooded) { f.next(false) }},
		{"and the bot is killed", func(f *flooded) { f.next(true) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inFlood(t, func(f *flooded) {
				f.says("make a room", time.Second)
				f.disk.Become(fulldisk.Spent, 0)
				time.Sleep(10 * time.Second)
				f.requires("My disk is full, so I stopped here. I will go on with this when there is room.")
				if n := len(f.world.Channels()); n != 1 {
					f.t.Errorf("%d channels, though nothing could be written down", n)
				}
				tt.then(f)
				f.requires("Created #room")
				if n := len(f.world.Channels()); n != 2 || strings.Contains(f.world.Transcript(), "disk is full") {
					f.t.Errorf("%d channels\n%s", n, f.world.Transcript())
				}
			}, pondering("Sure."+block(room.action("1"))), script.Say("Sure."+block(room.action("2"))))
		})
	}
}

// TestWhatCouldNotBeSettledIsSettledLater: the answer is delivered, and only that it was could
// not be written down. Nobody is answered twice, whatever becomes of the process.
func TestWhatCouldNotBeSettledIsSettledLater(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed: %v", killed), func(t *testing.T) {
			t.Parallel()
			inFlood(t, func(f *flooded) {
				f.says("tell me", 2*time.Second)
				f.bot.refuse(f.t, "UPDATE ON inbox") // which settling is
				time.Sleep(10 * time.Second)
				f.requires("The answer.")
				if killed {
					crash(f.bot, f.world, f.stop)
				} else {
					_, _ = f.stop()
				}
				takesAgain(f.t, filepath.Join(f.env["DISCOCLAW_DATA_DIR"], store.FileName), "UPDATE ON inbox")
				_, f.stop = begins(f.t, f.env, f.out)
				time.Sleep(3 * time.Minute)
				f.requires("The answer.")
			}, pondering("The answer."))
		})
	}
}

// TestReactionsOnAFullDiskAreToldToTryAgain, and an answer to a question is found when there is
// room.
func TestReactionsOnAFullDiskAreToldToTryAgain(t *testing.T) {
	t.Parallel()
	inFlood(t, func(f *flooded) {
		said := f.says("ask me", time.Minute)
		question := f.world.Messages("general")[len(f.world.Messages("general"))-1].ID
		f.disk.Become(fulldisk.Spent, 0)
		if err := f.world.React("ada", said, "👀"); err != nil {
			f.t.Fatal(err)
		}
		time.Sleep(time.Minute)
		f.requires("Please react again when there is room.")
		if err := f.world.React("ada", question, "✅"); err != nil {
			f.t.Fatal(err)
		}
		time.Sleep(time.Minute)
		f.disk.Become(fulldisk.Roomy, 0)
		time.Sleep(3 * time.Minute)
		f.requires("You chose.")
	}, script.Say(block(`{"type":"reactionPrompt","question":"Ship it?","choices":["✅","❌"]}`)), script.Say("You chose."))
}

// crash ends a process that can neither say nor write down anything any more.
func crash(b *Bot, w *discordtest.World, stop func() (time.Duration, error)) {
	_ = b.core.db.Close() // what is being written has its reasons to fail
	w.Fail(fakediscord.Fault{Kind: fakediscord.Reset})
	_, _ = stop()
	w.Recover()
}

// refuse makes the bot's database one that refuses some changes.
func (b *Bot) refuse(t *testing.T, changes ...string) {
	t.Helper()
	for _, what := range changes {
		trigger := fmt.Sprintf("CREATE TRIGGER \"%s\" BEFORE %[1]s BEGIN SELECT RAISE(FAIL, 'there is no room'); END", what)
		if _, err := b.core.db.ExecContext(t.Context(), trigger); err != nil {
			t.Fatal(err)
		}
	}
}

// takesAgain lets a database take what it refused.
func takesAgain(t *testing.T, path string, changes ...string) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range changes {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("DROP TRIGGER %q", what)); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
