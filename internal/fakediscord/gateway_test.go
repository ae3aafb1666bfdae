package fakediscord_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/test/skip"
)

// Intents of a session.
const (
	guilds    = 1 << 0
	members   = 1 << 1
	messages  = 1 << 9
	reactions = 1 << 10
	directs   = 1 << 12
	content   = 1 << 15

	usual = guilds | messages | reactions | directs | content
)

// A session is a gateway client that collects events.
type session struct {
	t      *testing.T
	ws     *websocket.Conn
	events chan dispatch
	failed chan error
}

type dispatch struct {
	Op   int             `json:"op"`
	Name string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// connect identifies and collects events. The connection ends with the test.
func connect(t *testing.T, w *discordtest.World, token string, intents int) *session {
	t.Helper()
	return connectAs(t, w, map[string]any{"token": token, "intents": intents, "properties": map[string]string{}})
}

func connectAs(t *testing.T, w *discordtest.World, identity map[string]any) *session {
	t.Helper()
	w.AwaitStart()
	ws, resp, err := websocket.Dial(t.Context(), "ws://fake.discord/gateway?v=10&encoding=json", &websocket.DialOptions{HTTPClient: w.HTTP()})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body != nil {
		defer resp.Body.Close()
	}
	ws.SetReadLimit(-1)
	s := &session{t: t, ws: ws, events: make(chan dispatch, 100), failed: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	go s.read(ctx, ws)
	if err := wsjson.Write(ctx, ws, map[string]any{"op": 2, "d": identity}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	return s
}

func (s *session) read(ctx context.Context, ws *websocket.Conn) {
	defer ws.CloseNow()
	for {
		var d dispatch
		if err := wsjson.Read(ctx, ws, &d); err != nil {
			s.failed <- err
			return
		}
		if d.Op == 0 {
			s.events <- d
		}
	}
}

// heard are the events since it was last called.
func (s *session) heard() []dispatch {
	synctest.Wait()
	var all []dispatch
	for {
		select {
		case d := <-s.events:
			all = append(all, d)
		default:
			return all
		}
	}
}

func names(all []dispatch) string {
	var out []string
	for _, d := range all {
		out = append(out, d.Name)
	}
	return strings.Join(out, " ")
}

// bubble runs a test with a world and a bot that has just come online.
func bubble(t *testing.T, layout string, intents int, f func(w *discordtest.World, s *session)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, layout)
		w.Keep(logged(t, w.World))
		f(w, connect(t, w, w.Token(), intents))
	})
}

func TestASessionBeginsWithTheGuild(t *testing.T) {
	bubble(t, "guild d: #a #hidden\nmember ada: owner\nmember bob\ndeny #hidden bot: View Channel\nthread \"t\" in #a\nthread \"old\" in #a: archived\nthread \"s\" in #hidden", usual, func(w *discordtest.World, s *session) {
		got := s.heard()
		if names(got) != "READY GUILD_CREATE" {
			t.Fatalf("heard %s", names(got))
		}
		var ready struct {
			User   struct{ ID chat.UserID }
			Guilds []struct {
				ID          chat.GuildID
				Unavailable bool
			}
		}
		decode(t, got[0], &ready)
		if ready.User.ID != w.UserID("bot") || len(ready.Guilds) != 1 || !ready.Guilds[0].Unavailable {
			t.Errorf("READY = %+v", ready)
		}
		var guild struct {
			Channels []struct {
				Name  string
				Flags int
			}
			Threads []struct{ Name string }
			Roles   []struct{ Name string }
			Members []struct{ User struct{ ID chat.UserID } }
		}
		decode(t, got[1], &guild)
		if diff := cmp.Diff("[{a 0} {___hidden___ 131072}]", fmt.Sprint(guild.Channels)); diff != "" {
			t.Errorf("channels (-want +got):\n%s", diff)
		}
		if fmt.Sprint(guild.Threads) != "[{t}]" || len(guild.Roles) != 2 || len(guild.Members) != 1 {
			t.Errorf("GUILD_CREATE = %+v, want one thread, two roles, and the bot", guild)
		}
	})
}

func decode(t *testing.T, d dispatch, v any) {
	t.Helper()
	if err := json.Unmarshal(d.Data, v); err != nil {
		t.Fatal(err)
	}
}

func TestASessionIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		token   string
		intents int
		want    websocket.StatusCode
	}{
		{"with a wrong token", "wrong", usual, 4004},
		{"with an intent that is off", "", usual, 4014},
		{"with an intent that there is not", "", usual | 1<<17, 4013},
		{"with a negative number of intents", "", -1, 4013},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild d: #a")
				w.WithoutMessageContent()
				if tt.token == "" {
					tt.token = w.Token()
				}
				s := connect(t, w, tt.token, tt.intents)
				var closed websocket.CloseError
				if err := <-s.failed; !errors.As(err, &closed) || closed.Code != tt.want {
					t.Errorf("the session ended with %v, want code %d", err, tt.want)
				}
			})
		})
	}
}

func TestTheBotGetsEvents(t *testing.T) {
	bubble(t, "guild d: #a\nrole mods: Kick Members\nmember ada: owner\nmember bob", usual|members, func(w *discordtest.World, s *session) {
		s.heard()
		m := w.MustSay("bob", "#a", "hello")
		steps := []struct {
			name string
			do   func() error
			want string
		}{
			{"a message", func() error { return nil }, "MESSAGE_CREATE"},
			{"an edit", func() error { return w.EditAs("bob", m.ID, "hi") }, "MESSAGE_UPDATE"},
			{"a reaction", func() error { return w.React("ada", m.ID, "🔥") }, "MESSAGE_REACTION_ADD"},
			{"the same again", func() error { return w.React("ada", m.ID, "🔥") }, ""},
			{"a reaction taken back", func() error { return w.Unreact("ada", m.ID, "🔥") }, "MESSAGE_REACTION_REMOVE"},
			{"a pin", func() error { return w.PinAs("ada", m.ID) }, "CHANNEL_PINS_UPDATE MESSAGE_UPDATE MESSAGE_CREATE"},
			{"a deletion", func() error { return w.DeleteAs("ada", m.ID) }, "MESSAGE_DELETE"},
			{"a thread", func() error { _, err := w.StartThread("bob", "#a", "t"); return err }, "THREAD_CREATE MESSAGE_CREATE"},
			{"its archive", func() error { return w.Archive("t") }, "THREAD_UPDATE"},
			{"its waking", func() error { return w.Unarchive("t") }, "THREAD_UPDATE"},
			{"its lock", func() error { return w.Lock("t") }, "THREAD_UPDATE"},
			{"its end", func() error { return w.DeleteChannel("t") }, "THREAD_DELETE"},
			{"a channel", func() error { _, err := w.AddChannel("#b"); return err }, "CHANNEL_CREATE"},
			{"its new name", func() error { return w.RenameChannel("#b", "c") }, "CHANNEL_UPDATE"},
			{"its end", func() error { return w.DeleteChannel("#c") }, "CHANNEL_DELETE"},
			{"a role", func() error { return w.SetPermission("mods", "Ban Members", true) }, "GUILD_ROLE_UPDATE"},
			{"who gets it", func() error { return w.GrantRole("bob", "mods") }, "GUILD_MEMBER_UPDATE"},
			{"who loses it", func() error { return w.RevokeRole("bob", "mods") }, "GUILD_MEMBER_UPDATE"},
			{"who leaves", func() error { return w.RemoveMember("bob") }, "GUILD_MEMBER_REMOVE"},
			{"a letter", func() error { _, err := w.Say("ada", "@bot", "psst"); return err }, "MESSAGE_CREATE"},
		}
		for _, step := range steps {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if got := names(s.heard()); got != step.want {
				t.Errorf("%s: heard %q, want %q", step.name, got, step.want)
			}
		}
	})
}

func TestAGuildMessageHasTheMember(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", usual, func(w *discordtest.World, s *session) {
		s.heard()
		w.MustSay("bob", "#a", fmt.Sprintf("<@%s> hello", w.UserID("ada")))
		var got struct {
			GuildID  chat.GuildID `json:"guild_id"`
			Content  string
			Member   map[string]any
			Mentions []struct{ Member map[string]any }
		}
		decode(t, s.heard()[0], &got)
		if got.GuildID != w.GuildID() || got.Member["joined_at"] == nil || len(got.Mentions) != 1 || got.Mentions[0].Member == nil {
			t.Errorf("MESSAGE_CREATE = %+v", got)
		}
	})
}

func TestTheBotGetsOnlyVisibleEventsOfItsIntents(t *testing.T) {
	bubble(t, "guild d: #a #hidden\nmember bob\ndeny #hidden bot: View Channel\nthread \"p\" in #a: private\nbot B: View Channel", guilds|messages|content, func(w *discordtest.World, s *session) {
		s.heard()
		var all []string
		w.Watch(func(e fakediscord.Event) { all = append(all, e.Name) })
		w.MustSay("bob", "#hidden", "psst")
		w.MustSay("ada", "p", "psst")
		m := w.MustSay("bob", "#a", "hello")
		for _, err := range []error{w.React("bob", m.ID, "🔥"), w.SetNick("bob", "b")} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := names(s.heard()); got != "MESSAGE_CREATE" {
			t.Errorf("heard %q, want the one message", got)
		}
		want := []string{"MESSAGE_CREATE", "MESSAGE_CREATE", "MESSAGE_CREATE", "MESSAGE_REACTION_ADD", "GUILD_MEMBER_UPDATE"}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("the watcher saw (-want +got):\n%s", diff)
		}
	})
}

func TestContentNeedsItsIntent(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", guilds|messages|directs, func(w *discordtest.World, s *session) {
		s.heard()
		w.MustSay("bob", "#a", "hello", fakediscord.Attaching("a.txt", "text/plain", []byte("x")))
		w.MustSay("bob", "#a", fmt.Sprintf("<@%s> hello", w.UserID("bot")))
		w.MustSay("bob", "@bot", "hello")
		var got []bool
		for _, d := range s.heard() {
			var m struct{ Content string }
			decode(t, d, &m)
			got = append(got, m.Content != "")
		}
		if !slices.Equal(got, []bool{false, true, true}) {
			t.Errorf("texts seen: %v, want those that mention the bot or are for it alone", got)
		}
	})
}

func TestAChannelThatBecomesVisibleIsSent(t *testing.T) {
	bubble(t, "guild d: #a\nthread \"t\" in #a", usual, func(w *discordtest.World, s *session) {
		s.heard()
		type channel struct {
			Name       string
			Flags      int
			Overwrites []struct{ Deny string } `json:"permission_overwrites"`
		}
		check := func(what string, err error, want string, hidden bool) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			all := s.heard()
			if names(all) != want {
				t.Errorf("%s: heard %s, want %s", what, names(all), want)
			}
			var last channel
			for _, d := range all {
				if d.Name == "CHANNEL_UPDATE" {
					decode(t, d, &last)
				}
			}
			if (last.Name == "___hidden___") != hidden || (last.Flags != 0) != hidden {
				t.Errorf("%s: the channel is %+v", what, last)
			}
		}
		check("denied", w.Deny("#a", "bot", chat.ViewChannel), "CHANNEL_UPDATE", true)
		check("allowed", w.Allow("#a", "bot", chat.ViewChannel), "CHANNEL_UPDATE THREAD_LIST_SYNC", false)
	})
}

func TestEventsKeepTheirOrder(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", usual, func(w *discordtest.World, s *session) {
		s.heard()
		// A watcher that acts must not overtake the event that it reacts to.
		w.Watch(func(e fakediscord.Event) {
			var m struct{ Content string }
			if err := json.Unmarshal(e.Data, &m); err != nil {
				t.Error(err)
			}
			if e.Name == "MESSAGE_CREATE" && m.Content == "ping" {
				w.MustSay("bob", "#a", "pong")
			}
		})
		w.MustSay("ada", "#a", "ping")
		var got []string
		for _, d := range s.heard() {
			var m struct{ Content string }
			decode(t, d, &m)
			got = append(got, m.Content)
		}
		if diff := cmp.Diff([]string{"ping", "pong"}, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		time.Sleep(time.Minute) // heartbeats go on
	})
}

// request sends a command over the gateway.
func (s *session) request(op int, data map[string]any) {
	s.t.Helper()
	if err := wsjson.Write(s.t.Context(), s.ws, map[string]any{"op": op, "d": data}); err != nil {
		s.t.Fatal(err)
	}
}

// A chunk is an answer to a request for members.
type chunk struct {
	Guild    chat.GuildID `json:"guild_id"`
	Members  []struct{ User struct{ Username string } }
	Index    int           `json:"chunk_index"`
	Count    int           `json:"chunk_count"`
	NotFound []chat.UserID `json:"not_found"`
	Nonce    string
	Presence *[]any `json:"presences"`
}

func (c chunk) String() string {
	var all []string
	for _, m := range c.Members {
		all = append(all, m.User.Username)
	}
	slices.Sort(all)
	return fmt.Sprintf("%d/%d %s not %v nonce %q", c.Index, c.Count, strings.Join(all, " "), c.NotFound, c.Nonce)
}

func TestRequestsForMembersAreAnsweredInChunks(t *testing.T) {
	layout := "guild d: #a\nmember ada: owner\nmember bob\nmember amy"
	for _, tt := range []struct {
		name    string
		intents int
		data    map[string]any
		want    []string
	}{
		{"all", usual | members, map[string]any{"query": "", "limit": 0, "nonce": "n"}, []string{`0/1 DiscoClaw ada amy bob not [] nonce "n"`}},
		{"all, without the intent", usual, map[string]any{"query": "", "limit": 0}, nil},
		{"by name", usual, map[string]any{"query": "A", "limit": 10}, []string{`0/1 ada amy not [] nonce ""`}},
		{"not more than asked for", usual, map[string]any{"query": "a", "limit": 1}, []string{`0/1 ada not [] nonce ""`}},
		{"by ID", usual, map[string]any{"user_ids": []string{"{bob}", "5"}}, []string{`0/1 bob not [5] nonce ""`}},
		{"nobody", usual, map[string]any{"query": "z", "limit": 1, "nonce": strings.Repeat("n", 33)}, []string{`0/1  not [] nonce ""`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, layout, tt.intents, func(w *discordtest.World, s *session) {
				s.heard()
				tt.data["guild_id"] = w.GuildID()
				if ids, ok := tt.data["user_ids"].([]string); ok {
					ids[0] = string(w.UserID("bob"))
				}
				s.request(8, tt.data)
				var got []string
				for _, d := range s.heard() {
					var c chunk
					decode(t, d, &c)
					if d.Name != "GUILD_MEMBERS_CHUNK" || c.Guild != w.GuildID() || c.Presence != nil {
						t.Errorf("%s %s", d.Name, d.Data)
					}
					got = append(got, c.String())
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("chunks (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestAChunkHasAtMostAThousandMembers, and presences only if they are asked for with their intent.
func TestAChunkHasAtMostAThousandMembers(t *testing.T) {
	skip.UnderRace(t, "it is the server of the other tests, with many members")
	bubble(t, "guild d: #a\nmember ada: owner", usual|members|1<<8, func(w *discordtest.World, s *session) {
		for i := range 1500 {
			if _, err := w.Join(fmt.Sprint("member-", i)); err != nil {
				t.Fatal(err)
			}
			s.heard()
		}
		s.request(8, map[string]any{"guild_id": w.GuildID(), "query": "", "limit": 0, "presences": true})
		var sizes []int
		for _, d := range s.heard() {
			var c chunk
			decode(t, d, &c)
			if c.Presence == nil || c.Count != 2 || c.Index != len(sizes) {
				t.Errorf("chunk %d of %d, presences %v", c.Index, c.Count, c.Presence)
			}
			sizes = append(sizes, len(c.Members))
		}
		if !slices.Equal(sizes, []int{1000, 502}) {
			t.Errorf("chunks of %v members", sizes)
		}
		s.request(8, map[string]any{"guild_id": w.GuildID(), "query": "member", "limit": 1000})
		var c chunk
		decode(t, s.heard()[0], &c)
		if len(c.Members) != 100 {
			t.Errorf("%d members whose name begins so, want 100 at most", len(c.Members))
		}
		s.request(31, map[string]any{"guild_ids": []chat.GuildID{w.GuildID(), "5"}})
		if got := names(s.heard()); got != "SOUNDBOARD_SOUNDS" {
			t.Errorf("heard %s", got)
		}
	})
}

// TestTheGuildComesWithFewMembers: all of them only with the presences intent, and on a small server.
func TestTheGuildComesWithFewMembers(t *testing.T) {
	layout := "guild d: #a lounge:voice\nrole mods: Kick Members\nmember ada: owner\nmember bob\nmember cleo: mods\nmember dan"
	for _, tt := range []struct {
		name    string
		intents int
		extra   int
		want    string
		large   bool
	}{
		{"without presences", usual | members, 0, "DiscoClaw bob", false},
		{"with them", usual | 1<<8, 0, "DiscoClaw ada bob cleo", false},
		{"on a large server", usual | 1<<8, 60, "DiscoClaw bob cleo", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, layout)
				if err := errors.Join(w.EnterVoice("bob", "lounge"), w.RemoveMember("dan")); err != nil {
					t.Fatal(err)
				}
				for i := range tt.extra {
					if _, err := w.Join(fmt.Sprint("member-", i)); err != nil {
						t.Fatal(err)
					}
				}
				var guild struct {
					Members []struct{ User struct{ Username string } }
					Count   int `json:"member_count"`
					Large   bool
				}
				decode(t, connect(t, w, w.Token(), tt.intents).heard()[1], &guild)
				var got []string
				for _, m := range guild.Members {
					got = append(got, m.User.Username)
				}
				slices.Sort(got)
				if strings.Join(got, " ") != tt.want || guild.Count != 4+tt.extra || guild.Large != tt.large {
					t.Errorf("%q, count %d, large %t; want %s", got, guild.Count, guild.Large, tt.want)
				}
			})
		})
	}
}

// TestAShardHasItsGuilds and no others; direct messages are for the first one.
func TestAShardHasItsGuilds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild d: #a\nmember ada: owner\nguild e: #b\nmember ada: owner")
		const count = 3
		var shards []*session
		seen := ""
		for n := range count {
			s := connectAs(t, w, map[string]any{"token": "Bot " + w.Token(), "intents": usual, "shard": []int{n, count}})
			shards = append(shards, s)
			seen += fmt.Sprint(n, ": ", names(s.heard()), "\n")
		}
		if strings.Count(seen, "READY") != count || strings.Count(seen, "GUILD_CREATE") != 2 {
			t.Errorf("the shards heard\n%s", seen)
		}
		w.MustSay("d/ada", "d/a", "hello")
		if _, err := w.OpenDM("ada"); err != nil {
			t.Fatal(err)
		}
		w.MustSay("ada", "@ada", "hello")
		guild, err := strconv.ParseUint(string(w.GuildID()), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for n, s := range shards {
			want := 0
			if int(guild>>22%count) == n {
				want++
			}
			if n == 0 {
				want++
			}
			if got := len(s.heard()); got != want {
				t.Errorf("shard %d heard %d messages, want %d", n, got, want)
			}
		}
	})
}

// TestContentIsForTheSessionsThatAskForIt, whichever came last.
func TestContentIsForTheSessionsThatAskForIt(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", usual, func(w *discordtest.World, s *session) {
		other := connect(s.t, w, w.Token(), usual&^content)
		s.heard()
		other.heard()
		w.MustSay("bob", "#a", "secret")
		for want, each := range map[string]*session{"secret": s, "": other} {
			var m struct{ Content string }
			decode(t, each.heard()[0], &m)
			if m.Content != want {
				t.Errorf("it reads %q, want %q", m.Content, want)
			}
		}
	})
}
