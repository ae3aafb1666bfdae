package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
)

// requireOthers compares who is in voice besides the bot with "bob in hall, Helper (bot) in stage, suppressed".
func (b *bench) requireOthers(t *testing.T, want string) {
	t.Helper()
	synctest.Wait()
	var lines []string
	all, _ := b.client.Others(b.GuildID(), "")
	for _, who := range all {
		ch, _ := b.Channel(string(who.Channel))
		line := who.Name
		if who.Bot {
			line += " (bot)"
		}
		line += " in " + ch.Name
		if who.Suppressed {
			line += ", suppressed"
		}
		lines = append(lines, line)
		if there, _ := b.client.Others(b.GuildID(), who.Channel); !slices.Contains(there, who) {
			t.Errorf("%s is not among those of %s, who are %+v", who.Name, ch.Name, there)
		}
	}
	slices.Sort(lines)
	if got := strings.Join(lines, "; "); got != want {
		t.Errorf("in voice are %q, want %q", got, want)
	}
}

func (b *bench) requireChanged(t *testing.T, changed <-chan struct{}, want bool) {
	t.Helper()
	synctest.Wait()
	select {
	case <-changed:
		if !want {
			t.Error("a change was told of")
		}
	default:
		if want {
			t.Error("no change was told of")
		}
	}
}

const party = studio + "\nstranger Helper: bot\nmember eve"

func TestOthersInVoiceAreKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, party)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(b.EnterVoice("bob", "hall"))
		must(b.EnterVoice("Helper", "hall"))
		b.login(t)
		b.requireOthers(t, "Helper (bot) in hall; bob in hall") // as the server was described
		if none, _ := b.client.Others(b.GuildID(), b.ChannelID("stage")); len(none) > 0 {
			t.Errorf("on the stage are %+v", none)
		}

		_, changed := b.client.Others(b.GuildID(), b.ChannelID("hall"))
		must(b.EnterVoice("eve", "stage"))
		b.requireChanged(t, changed, true)
		must(b.EnterVoice("bob", "stage"))
		b.requireOthers(t, "Helper (bot) in hall; bob in stage, suppressed; eve in stage, suppressed")

		_, changed = b.client.Others(b.GuildID(), b.ChannelID("hall"))
		muted := `{"guild_id":"%s","channel_id":"%s","user_id":"%s","session_id":"x","self_mute":true,"suppress":true}`
		b.raw("VOICE_STATE_UPDATE", fmt.Sprintf(muted, b.GuildID(), b.ChannelID("stage"), b.UserID("bob")))
		must(b.join(t, "hall", false, false))
		b.requireChanged(t, changed, false)

		must(b.World.LeaveVoice("bob"))
		b.requireOthers(t, "Helper (bot) in hall; eve in stage, suppressed")
	})
}

// TestOthersAreToldOfAnew: in a new session, those who left meanwhile are gone, and in one that was resumed, their events are replayed.
func TestOthersAreToldOfAnew(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fakegateway.Fault{"resumed": fakegateway.Drop(), "new": fakegateway.InvalidSession(false)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBench(t, party, func(t *testing.T, b *bench) {
				for who, channel := range map[string]string{"bob": "hall", "eve": "hall", "Helper": "stage"} {
					if err := b.EnterVoice(who, channel); err != nil {
						t.Fatal(err)
					}
				}
				b.requireOthers(t, "Helper (bot) in stage, suppressed; bob in hall; eve in hall")
				b.Gateway().Inject(f)
				if err := b.World.LeaveVoice("bob"); err != nil {
					t.Fatal(err)
				}
				if err := b.EnterVoice("Helper", "hall"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				b.requireOthers(t, "Helper (bot) in hall; eve in hall")
			})
		})
	}
}

func TestOfAServerThatTheBotLeavesNobodyIsKnown(t *testing.T) {
	t.Parallel()
	onBench(t, party, func(t *testing.T, b *bench) {
		if err := b.EnterVoice("bob", "hall"); err != nil {
			t.Fatal(err)
		}
		b.requireOthers(t, "bob in hall")
		b.raw("GUILD_DELETE", fmt.Sprintf(`{"id":"%s"}`, b.GuildID()))
		b.requireOthers(t, "")
	})
}

// TestTheWayToTheSoundIsKnown until the bot is in no channel any more.
func TestTheWayToTheSoundIsKnown(t *testing.T) {
	t.Parallel()
	onBench(t, studio, func(t *testing.T, b *bench) {
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		way := func() chat.VoiceServer {
			synctest.Wait()
			return b.client.VoiceServer(b.GuildID())
		}
		must(b.join(t, "hall", false, false))
		first := way()
		if first.Endpoint == "" || first.Token == "" || first.Session == "" {
			t.Errorf("after joining, it is %+v", first)
		}
		must(b.join(t, "hall", true, false))
		if now := way(); now != first {
			t.Errorf("muted, it is %+v, and was %+v", now, first)
		}
		_, changed := b.client.VoiceState(b.GuildID())
		must(b.SetVoiceServer(false))
		b.requireChanged(t, changed, true)
		if now := way(); now.Endpoint != "" {
			t.Errorf("while there is no server, it is %+v", now)
		}
		must(b.SetVoiceServer(true))
		second := way()
		must(b.EnterVoice("bot", "stage"))
		if third := way(); second.Endpoint == "" || second.Token == first.Token || third.Token == second.Token {
			t.Errorf("it was %+v, then %+v, and after a move %+v", first, second, third)
		}
		must(b.World.LeaveVoice("bot"))
		if now := way(); now != (chat.VoiceServer{}) {
			t.Errorf("outside, it is %+v", now)
		}
		must(b.join(t, "hall", false, false))
		b.Gateway().Inject(fakegateway.InvalidSession(false))
		b.awaitSessions(t, 2)
		if now := way(); now != (chat.VoiceServer{}) {
			t.Errorf("after the end of the session, it is %+v", now)
		}
	})
}
