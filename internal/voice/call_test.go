package voice_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// onCall runs a test in a hall in which the bot connects to calls.
func onCall(t *testing.T, o fakevoice.Options, test func(t *testing.T, h *hall)) {
	inHall(t, layout, func(t *testing.T, h *hall) {
		h.calls = h.UseCalls(o)
		h.use(voice.NewCalls(h.bot, link.Options{HTTP: h.HTTP(), DialUDP: h.calls.DialUDP}))
		test(t, h)
	})
}

// call has a member enter a call with a client of their own.
func (h *hall) call(member, channel string) *link.Call {
	h.t.Helper()
	h.must(h.EnterVoice(member, channel))
	return h.dial(member)
}

// dial connects a member to the call of their channel until the test ends.
func (h *hall) dial(member string) *link.Call {
	h.t.Helper()
	pass, err := h.VoicePass(member)
	h.must(err)
	id, err := dave.NewIdentity()
	h.must(err)
	t := fakevoice.TicketOf(pass)
	at := link.Server{Endpoint: pass.Endpoint, Token: t.Token, Session: t.Session, Guild: t.Guild, Channel: t.Channel, Self: t.User}
	call, err := link.Dial(h.t.Context(), at, link.Options{Identity: id, HTTP: h.HTTP(), DialUDP: h.calls.DialUDP})
	h.must(err)
	h.t.Cleanup(call.Close)
	return call
}

// requireTalk fails unless the bot and somebody else hear each other.
func (h *hall) requireTalk(other *link.Call) {
	h.t.Helper()
	time.Sleep(3 * time.Second) // for the encryption
	bot := h.Call(h.GuildID())
	if bot == nil {
		h.t.Fatalf("the bot is in no call\n%s", &h.log)
	}
	for _, pair := range [][2]*link.Call{{bot, other}, {other, bot}} {
		speaker, listener := pair[0], pair[1]
		speaker.Speaking(true)
		time.Sleep(20 * time.Millisecond)
		if err := speaker.Send([]byte("hello")); err != nil {
			h.t.Errorf("nothing can be said: %v", err)
			continue
		}
		select {
		case f := <-listener.Frames():
			if string(f.Opus) != "hello" {
				h.t.Errorf("%q was heard", f.Opus)
			}
		case <-time.After(time.Second):
			h.t.Errorf("nothing was heard\n%s", &h.log)
		}
	}
	if now, _ := bot.State(); now.Version != 1 || now.PrivacyCode == "" || len(now.People) != 1 {
		h.t.Errorf("the call is %+v", now)
	}
}

func TestTheBotTalksInACall(t *testing.T) {
	onCall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		bob := h.call("bob", "hall")
		h.must(h.join("hall"))
		h.requireStatus("hall", voice.Ready)
		h.requireTalk(bob)
		h.must(h.SetMute(t.Context(), h.GuildID(), true))
		h.requireStatus("hall", voice.Ready)
		h.must(h.Leave(t.Context(), h.GuildID()))
		h.requireStatus("", "")
		if call := h.Call(h.GuildID()); call != nil {
			t.Errorf("the bot is still in a call")
		}
	})
}

func TestACallGoesOn(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(h *hall) string{
		"when the bot is asked into another channel": func(h *hall) string { h.must(h.join("attic")); return "attic" },
		"when a moderator moves the bot":             func(h *hall) string { h.must(h.EnterVoice("bot", "attic")); return "attic" },
		"with a server that was named again":         func(h *hall) string { h.must(h.SetVoiceServer(true)); return "hall" },
		"when there is no server for a while": func(h *hall) string {
			h.must(h.SetVoiceServer(false))
			time.Sleep(9 * time.Second)
			h.must(h.SetVoiceServer(true))
			return "hall"
		},
		"when the call's connection breaks":            func(h *hall) string { h.calls.Cut(h.number("bot"), true); return "hall" },
		"when the call's session is gone":              func(h *hall) string { h.calls.Cut(h.number("bot"), false); return "hall" },
		"when the main connection breaks":              func(h *hall) string { h.drop(); return "hall" },
		"when the session of the main connection ends": func(h *hall) string { h.lose(); return "hall" },
	} {
		onCallNamed(t, name, func(t *testing.T, h *hall) {
			h.must(h.join("hall"))
			there := change(h)
			time.Sleep(10 * time.Second)
			h.requireStatus(there, voice.Ready)
			h.requireTalk(h.call("bob", there))
		})
	}
}

func onCallNamed(t *testing.T, name string, test func(t *testing.T, h *hall)) {
	t.Run(name, func(t *testing.T) { onCall(t, fakevoice.Options{}, test) })
}

// number is the ID of a member.
func (h *hall) number(member string) uint64 {
	pass, err := h.VoicePass(member)
	h.must(err)
	return fakevoice.TicketOf(pass).User
}

func TestACallThatIsOverIsLeftForGood(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *hall){
		"a moderator takes the bot out":  func(h *hall) { h.must(h.LeaveVoice("bot")) },
		"Discord ends the call":          func(h *hall) { h.calls.CloseCode(h.number("bot"), 4022) },
		"Discord asks for an update":     func(h *hall) { h.calls.CloseCode(h.number("bot"), 4017) },
		"the server says it was removed": func(h *hall) { h.calls.CloseCode(h.number("bot"), 4014) },
	} {
		onCallNamed(t, name, func(t *testing.T, h *hall) {
			h.must(h.join("hall"))
			commands := h.Gateway().Counts().Commands
			end(h)
			time.Sleep(time.Hour)
			h.requireStatus("", "")
			if n := h.Gateway().Counts().Commands - commands; n > 1 {
				t.Errorf("%d commands were sent, want at most the one that leaves", n)
			}
		})
	}
}

// TestAServerThatIsDownIsGivenUp: the bot comes back as often as it may.
func TestAServerThatIsDownIsGivenUp(t *testing.T) {
	onCall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.must(h.join("hall"))
		h.calls.Refuse(true)
		h.calls.Cut(h.number("bot"), false)
		time.Sleep(5 * time.Minute)
		h.requireStatus("", "")
		h.calls.Refuse(false)
		h.must(h.join("hall"))
		h.requireTalk(h.call("bob", "hall"))
	})
}

func TestSaysWhyItCannotConnect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		o     fakevoice.Options
		spoil func(h *hall)
		want  error
	}{
		"server down":        {fakevoice.Options{}, func(h *hall) { h.calls.Refuse(true) }, link.ErrUnreachable},
		"foreign encryption": {fakevoice.Options{Modes: []string{"rot13"}}, func(*hall) {}, link.ErrNeedsUpdate},
	} {
		t.Run(name, func(t *testing.T) {
			onCall(t, tt.o, func(t *testing.T, h *hall) {
				tt.spoil(h)
				began := time.Now()
				if err := h.join("hall"); !errors.Is(err, tt.want) {
					t.Errorf("the error is %v, want %v", err, tt.want)
				}
				if took := time.Since(began); took > 21*time.Second {
					t.Errorf("it took %v", took)
				}
				h.requireStatus("", "")
				h.calls.Refuse(false)
			})
		})
	}
}

// TestACallWithoutEncryption is one on a stage.
func TestACallWithoutEncryption(t *testing.T) {
	onCall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		h.must(h.join("stage"))
		now, _ := h.Call(h.GuildID()).State()
		if now.Version != 0 || !now.Ready {
			t.Errorf("the call is %+v", now)
		}
	})
}

// TestOneCallOnEachServerAtATime: of two channels that are asked for at once, the later is joined, and nothing of the other is left.
func TestOneCallOnEachServerAtATime(t *testing.T) {
	onCall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		first := h.start("hall")
		h.must(h.join("attic"))
		requireError(t, <-first, "something else was asked for")
		h.requireStatus("attic", voice.Ready)
		hall, err := strconv.ParseUint(string(h.ChannelID("hall")), 10, 64)
		h.must(err)
		if people := h.calls.Call(hall).People; len(people) > 0 {
			t.Errorf("the bot is still in the other call")
		}
	})
}
