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

// TestAnAnswerThatIsCutShortSaysSo: its first part was shown, and not written down. So nobody
// can go on with the rest.
func TestAnAnswerThatIsCutShortSaysSo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		killed bool
		want   string
	}{
		{"stopped", false, "cannot go on with this. Please ask again."},
		{"killed", true, "the bot was restarted. Please ask again."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inFlood(t, func(f *flooded) {
				f.disk.Become(fulldisk.Spent, 0)
				f.says("look around", 7*time.Second)
				f.next(tt.killed)
				f.requires("Looking.")
				f.requires(tt.want)
			}, pondering("Looking."+block(look.action(""))), pondering("Nothing."), script.Say("Nothing."))
		})
	}
}

// TestAPlaceholderThatCouldNotBeWrittenDownIsEnded when the message is answered anew.
func TestAPlaceholderThatCouldNotBeWrittenDownIsEnded(t *testing.T) {
	t.Parallel()
	inFlood(t, func(f *flooded) {
		f.disk.Become(fulldisk.Spent, 0)
		f.says("tell me", 2*time.Second)
		f.next(true)
		f.requires("The answer.")
		f.requires("will go on with this")
	}, pondering("The answer."), script.Say("The answer."))
}

// TestAnAnswerThatCouldNotBeDeliveredIsGivenByTheNextProcess: the bot would have tried again,
// and could not write that down. What the same person said afterwards is answered by then.
func TestAnAnswerThatCouldNotBeDeliveredIsGivenByTheNextProcess(t *testing.T) {
	t.Parallel()
	inFlood(t, func(f *flooded) {
		f.disk.Become(fulldisk.Spent, 0)
		f.says("tell me", 2*time.Second)
		f.world.Fail(fakediscord.Fault{Status: http.StatusServiceUnavailable})
		time.Sleep(20 * time.Second)
		f.world.Recover()
		time.Sleep(10 * time.Second)
		f.requires("The answer could not be delivered")
		f.says("and now?", 10*time.Second)
		f.requires("Now.")
		f.next(false)
		f.requires("The answer.")
		f.requires("Now.")
	}, pondering("The answer."), script.Say("Now."), script.Say("The answer."))
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
