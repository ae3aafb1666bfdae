package app

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fulldisk"
	"discoclaw/internal/llm/script"
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
		w := discordtest.New(t, world)
		f := &flooded{t: t, world: w, env: inWorld(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0", "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")}
		f.out = Outside{HTTP: w.HTTP(), Runtime: script.New(append([]script.Answer{script.Say("Yes.")}, answers...)...), Log: t.Output()}
		f.disk = fulldisk.New(t, f.env["DISCOCLAW_DATA_DIR"])
		f.bot, f.stop = begins(t, f.env, f.out)
		f.says("are you there?", time.Minute)
		test(f)
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

// TestAnAnswerThatCouldNotBeWrittenDownComesOnce: that it was begun is written down, and the
// answer is not; so nobody can go on with it.
func TestAnAnswerThatCouldNotBeWrittenDownComesOnce(t *testing.T) {
	t.Parallel()
	inFlood(t, func(f *flooded) {
		f.says("tell me", time.Second)
		f.disk.Become(fulldisk.Spent, 0)
		time.Sleep(10 * time.Second)
		f.next(true)
		f.requires("The answer.")
	}, pondering("The answer."), script.Say("Another answer."))
}

// TestWhatIsAcceptedLateIsDoneOnce: a single write fails, which is that of the message. The
// process is killed before it can say what it did for it.
func TestWhatIsAcceptedLateIsDoneOnce(t *testing.T) {
	t.Parallel()
	inFlood(t, func(f *flooded) {
		f.disk.Stumble(0)
		f.world.Fail(fakediscord.Fault{Match: "PATCH /channels/{channel}/messages/{message}", Status: http.StatusServiceUnavailable})
		f.says("make a room", 6*time.Second)
		f.next(true)
		f.requires("Created #room")
		if n := len(f.world.Channels()); n != 2 {
			f.t.Errorf("%d channels\n%s", n, f.world.Transcript())
		}
	}, pondering("Sure."+block(room.action("1"))), script.Say("Sure."+block(room.action("2"))), script.Say("So be it."))
}

// TestNothingIsShownForATurnThatCannotBeWrittenDown: it is answered once there is room, by this
// process or the next.
func TestNothingIsShownForATurnThatCannotBeWrittenDown(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		then func(*flooded)
	}{
		{"room again", func(f *flooded) { f.disk.Become(fulldisk.Roomy, 0); time.Sleep(5 * time.Minute); _, _ = f.stop() }},
		{"stopped", func(f *flooded) { f.next(false) }},
		{"killed", func(f *flooded) { f.next(true) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inFlood(t, func(f *flooded) {
				f.disk.Become(fulldisk.Spent, 0)
				asked := f.says("look around", 7*time.Second)
				if n := len(f.world.Messages("general")); n != 3 || len(repliesTo(f.world, "general", asked)) > 0 {
					t.Errorf("%d messages\n%s", n, f.world.Transcript())
				}
				tt.then(f)
				f.requires("Looking.")
				f.requires("Nothing.")
				if n := len(f.world.Messages("general")); n != 5 {
					t.Errorf("%d messages\n%s", n, f.world.Transcript())
				}
			}, pondering("Looking."+block(look.action(""))), pondering("Nothing."))
		})
	}
}

// TestAReactionToWhatWasAnsweredLongAgoIsHeard: the inbox has forgotten that message, which
// does not mean that the answer below it is to a reaction that was told before.
func TestAReactionToWhatWasAnsweredLongAgoIsHeard(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, world)
		env := inWorld(t, w, "DISCOCLAW_REACTION_MAX_AGE_HOURS=0")
		out := Outside{HTTP: w.HTTP(), Runtime: script.New(script.Say("It is raining."), script.Say("Still raining."))}
		_, stop := begins(t, env, out)
		asked := w.MustSay("ada", "general", "how is the weather?")
		time.Sleep(5 * 24 * time.Hour)
		if _, err := stop(); err != nil {
			t.Fatal(err)
		}
		_, stop = begins(t, env, out)
		if err := w.React("ada", asked.ID, "👀"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if !strings.Contains(w.Transcript(), "Still raining.") {
			t.Error(w.Transcript())
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}
