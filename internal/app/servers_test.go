package app

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/save"
)

// lairWorld has disco and a second server, the lair, with the same names. Bob has all permissions
// on both; lia, lok and lux are on the lair only.
var lairWorld = trialWorld + strings.NewReplacer("guild disco", "guild lair", "member ada", "member eve",
	"gus", "lia", "kim", "lok", "zed", "lux").Replace(trialWorld)

// secret is a text that nobody on disco may see.
const secret = "the secret of the lair"

// A frontier is a court on disco, with the state of the lair, which must not be reached from there.
type frontier struct {
	*court
	said   chat.MessageID     // a message in #ops of the lair
	lair   map[string][]thing // its state before the test
	places []string           // all IDs of the lair that a request could have
}

// A thing is an object of a server, as it is saved.
type thing map[string]any

func atTheFrontier(t *testing.T, test func(f *frontier)) {
	t.Helper()
	inCourtOf(t, lairWorld, func(c *court) {
		f := &frontier{court: c, said: c.MustSay("eve", "lair/ops", secret).ID}
		start := time.Now().Add(24 * time.Hour)
		if _, err := c.AddEvent("eve", fakediscord.ScheduledEvent{Name: secret, Location: "x", Start: start, End: start.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if err := c.PinAs("eve", f.said); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		f.lair = f.saved()
		f.places = []string{string(f.guild()), string(f.said)}
		for _, kind := range []string{"roles", "channels", "events"} {
			for _, x := range f.lair[kind] {
				f.places = append(f.places, x["id"].(string))
			}
		}
		test(f)
		if diff := cmp.Diff(f.lair, f.saved()); diff != "" {
			t.Errorf("the lair has changed (-was +is):\n%s", diff)
		}
	})
}

// guild returns the ID of the lair.
func (f *frontier) guild() chat.GuildID {
	f.t.Helper()
	ch, _ := f.Channel("lair/ops")
	return ch.Guild
}

// saved returns the state of the lair.
func (f *frontier) saved() map[string][]thing {
	f.t.Helper()
	var file bytes.Buffer
	if err := save.Write(&file, f.World.World); err != nil {
		f.t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(file.Bytes(), &all); err != nil {
		f.t.Fatal(err)
	}
	own := map[string][]thing{}
	for _, kind := range []string{"roles", "members", "channels", "events", "auditLog"} {
		var list []thing
		if err := json.Unmarshal(all[kind], &list); len(all[kind]) > 0 && err != nil {
			f.t.Fatal(err)
		}
		for _, x := range list {
			if x["guild"] == string(f.guild()) {
				own[kind] = append(own[kind], x)
			}
		}
	}
	return own
}

// foreign returns a request with the IDs of the lair in place of names, or with the mentions and
// links for them.
func (f *frontier) foreign(args string, link bool) string {
	f.t.Helper()
	names := []string{"{m}", string(f.said), "{@gus}", "{@lia}", "{@kim}", "{@lok}", "{@zed}", "{@lux}"}
	for _, ch := range f.lair["channels"] {
		id := ch["id"].(string)
		if link {
			id = "<#" + id + ">"
		}
		names = append(names, `"`+ch["name"].(string)+`"`, `"`+id+`"`)
	}
	for _, r := range f.lair["roles"] {
		id := r["id"].(string)
		if link {
			id = "<@&" + id + ">"
		}
		names = append(names, `"role":"`+r["name"].(string)+`"`, `"role":"`+id+`"`)
	}
	names = append(names, "{made}", f.lair["events"][0]["id"].(string), `"id":1`, `"id":2`)
	args = strings.NewReplacer(names...).Replace(args)
	if link {
		at := chat.Place{Guild: f.guild(), Channel: f.ChannelID("lair/ops"), Message: f.said}
		args = strings.ReplaceAll(args, string(f.said), at.Link())
	}
	return args
}

// attempt tries a request, and fails the test if it reaches the lair or reveals something of it.
func (f *frontier) attempt(who actions.Origin, name, args string) string {
	f.t.Helper()
	seen := len(f.Requests())
	line := f.try(who, name, args)
	if strings.Contains(line, secret) {
		f.t.Errorf("%s told %s", args, line)
	}
	for _, x := range f.Requests()[seen:] {
		if x.Status < 300 && slices.ContainsFunc(f.places, func(id string) bool { return strings.Contains(x.Path+string(x.Request), id) }) {
			f.t.Errorf("%s led to %s %s %s: %s", args, x.Method, x.Path, x.Request, line)
		}
	}
	return line
}

// without removes bob's role on a server while do runs.
func (f *frontier) without(bob string, do func()) {
	f.t.Helper()
	for _, step := range []func() error{
		func() error { return f.RevokeRole(bob, "helpers") },
		func() error { synctest.Wait(); do(); return nil },
		func() error { return f.GrantRole(bob, "helpers") },
	} {
		if err := step(); err != nil {
			f.t.Fatal(err)
		}
	}
	synctest.Wait()
}

// TestNoActionReachesAnotherServer: all actions are tried with IDs of another server, for somebody
// who has all permissions here, there, or on both.
func TestNoActionReachesAnotherServer(t *testing.T) {
	for _, a := range mustCore(t, nil).registry.All() {
		tr := trialOf(a)
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			atTheFrontier(t, func(f *frontier) {
				f.ready(tr) // by names that the lair has, too
				bob := f.from("bob")
				everything := func() {
					for _, link := range []bool{false, true} {
						f.attempt(bob, a.Name, f.foreign(tr.request, link))
					}
				}
				f.without("lair/bob", everything)
				f.without("disco/bob", everything)
				everything()
				if line := f.attempt(bob, a.Name, tr.request); strings.Contains(line, denied) {
					t.Errorf("by names, and with all rights: %s", line)
				}
			})
		})
	}
}

// TestPermissionsArePerServer: the member in an event of one server must not be used for
// permissions on another.
func TestPermissionsArePerServer(t *testing.T) {
	t.Parallel()
	inCourtOf(t, lairWorld, func(c *court) {
		f := &frontier{court: c}
		here := c.from("bob")
		there := here
		there.Place = chat.Place{Guild: f.guild(), Channel: c.ChannelID("lair/general")}
		timeOut := func(o actions.Origin, whom string, may bool) {
			t.Helper()
			c.MustSay("bob", "lair/ops", "hello")
			c.MustSay("bob", "disco/ops", "hello")
			c.MustSay("bob", "lair/ops", "hello again")
			synctest.Wait()
			if line := c.try(o, "timeout", `{"userId":"`+whom+`"}`); strings.HasPrefix(line, "Done: ") != may {
				t.Errorf("%s", line)
			}
		}
		for _, lost := range []string{"disco/bob", "lair/bob"} {
			// Bob also speaks where he has lost his role.
			for _, role := range []string{"disco/@everyone", "lair/@everyone"} {
				for _, right := range []chat.Permission{chat.ViewChannel, chat.SendMessages} {
					if err := c.SetPermission(role, right, true); err != nil {
						t.Fatal(err)
					}
				}
			}
			f.without(lost, func() {
				timeOut(here, "{@gus}", lost == "lair/bob")
				timeOut(there, "{@lia}", lost == "disco/bob")
			})
		}
	})
}

// TestVoiceOnAnotherServerIsLeftAlone: the bot can be in one voice channel of each server.
func TestVoiceOnAnotherServerIsLeftAlone(t *testing.T) {
	t.Parallel()
	inCourtOf(t, lairWorld, func(c *court) {
		f := &frontier{court: c}
		there := c.from("bob")
		there.Place = chat.Place{Guild: f.guild(), Channel: c.ChannelID("lair/general")}
		if line := c.try(there, "voiceJoin", `{"channel":"Lounge"}`); !strings.HasPrefix(line, "Done: ") {
			t.Fatal(line)
		}
		before, _ := c.VoiceState("lair/bot")
		for _, name := range []string{"voiceStatus", "voiceMute", "voiceDeafen", "voiceLeave"} {
			line := c.try(c.from("bob"), name, trials[name].request)
			if strings.Contains(line, "Lounge") || strings.Contains(line, string(before.Channel)) {
				t.Errorf("%s", line)
			}
		}
		if line := c.try(c.from("bob"), "voiceJoin", `{"channel":"Lounge"}`); !strings.HasPrefix(line, "Done: ") {
			t.Error(line)
		}
		if here, _ := c.VoiceState("disco/bot"); here.Channel != c.ChannelID("disco/Lounge") {
			t.Errorf("on disco the bot is in %q", here.Channel)
		}
		if after, _ := c.VoiceState("lair/bot"); after != before || after.Channel != c.ChannelID("lair/Lounge") {
			t.Errorf("on the lair the bot was %+v and is %+v", before, after)
		}
	})
}
