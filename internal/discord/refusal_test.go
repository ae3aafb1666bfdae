package discord_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

func TestRefusalsNameThePermissionAndTheRemedy(t *testing.T) {
	t.Parallel()
	onBench(t, `
guild disco: #general #ops #quiet #past
bot DiscoClaw: View Channel, Send Messages, Read Message History
role @everyone: View Channel
deny #past DiscoClaw: Read Message History
thread "help" in #general
thread "memories" in #past
deny #ops DiscoClaw: View Channel
deny #quiet DiscoClaw: Send Messages
`, func(t *testing.T, b *bench) {
		general := b.ChannelID("general")
		said := b.MustSay("ada", "general", "hello")
		for _, tt := range []struct {
			name string
			do   func() error
			want string
		}{
			{"deleting", func() error { return b.client.Delete(t.Context(), general, said.ID) },
				"I need *Manage Messages* in #general for that; an admin can give it to my role under Server Settings → Roles"},
			{"pinning", func() error { return b.client.Pin(t.Context(), general, said.ID) },
				"I need *Pin Messages* in #general for that; an admin can give it to my role under Server Settings → Roles"},
			{"reacting", func() error { return b.client.React(t.Context(), general, said.ID, "👍") },
				"I need *Add Reactions* in #general for that; an admin can give it to my role under Server Settings → Roles"},
			{"starting a thread", func() error {
				_, err := b.client.StartThread(t.Context(), general, "", "plans", 0)
				return err
			}, "I need *Create Public Threads* in #general for that; an admin can give it to my role under Server Settings → Roles"},
			{"writing in a thread", func() error {
				_, err := b.client.Send(t.Context(), b.ChannelID("help"), chat.Outgoing{Text: "hi"})
				return err
			}, "I need *Send Messages in Threads* in #help for that; an admin can give it to my role under Server Settings → Roles"},
			{"writing in a quiet channel", func() error {
				_, err := b.client.Send(t.Context(), b.ChannelID("quiet"), chat.Outgoing{Text: "hi"})
				return err
			}, "I need *Send Messages* in #quiet for that; an admin can allow it for my role there, under Edit Channel → Permissions"},
			{"reading what it cannot see", func() error {
				_, err := b.client.Messages(t.Context(), b.ChannelID("ops"), "", 5)
				return err
			}, "I need *View Channel* and *Read Message History* in #ops for that; an admin can allow them for my role there, under Edit Channel → Permissions"},
			{"reading without the right to", func() error {
				_, err := b.client.Messages(t.Context(), b.ChannelID("past"), "", 5)
				return err
			}, "I need *Read Message History* in #past for that; an admin can allow it for my role there, under Edit Channel → Permissions"},
			{"reading a thread, which has its channel's rules", func() error {
				_, err := b.client.Messages(t.Context(), b.ChannelID("memories"), "", 5)
				return err
			}, "I need *Read Message History* in #memories for that; an admin can allow it for my role in #past, under Edit Channel → Permissions"},
			{"looking at pins without the right to", func() error {
				_, err := b.client.Pins(t.Context(), b.ChannelID("past"))
				return err
			}, "I need *Read Message History* in #past for that; an admin can allow it for my role there, under Edit Channel → Permissions"},
			{"attaching", func() error {
				_, err := b.client.Send(t.Context(), general, chat.Outgoing{Files: []chat.File{file("a.txt", "a")}})
				return err
			}, "I need *Attach Files* in #general for that; an admin can give it to my role under Server Settings → Roles"},
		} {
			err := tt.do()
			if err == nil || b.named(err) != tt.want {
				t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.want)
			}
			var refused *discord.Error
			if !errors.As(err, &refused) || refused.Status != http.StatusForbidden || !refused.Permanent() {
				t.Errorf("%s: %#v", tt.name, err)
			}
		}
	})
}

func TestRefusalsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		general := b.ChannelID("general")
		said := b.MustSay("ada", "general", "hello")
		const nothing = "123456789012345678"
		for _, tt := range []struct {
			name     string
			do       func() error
			notFound bool
			want     string
		}{
			{"a message", func() error { _, err := b.client.Message(t.Context(), general, nothing); return err }, true, "no such message in #general"},
			{"a message to edit", func() error { return b.client.Edit(t.Context(), general, nothing, chat.Outgoing{Text: "x"}) }, true, "no such message"},
			{"a channel", func() error {
				_, err := b.client.Send(t.Context(), nothing, chat.Outgoing{Text: "x"})
				return err
			}, true, "no such channel"},
			{"a channel to read", func() error { _, err := b.client.Messages(t.Context(), nothing, "", 5); return err }, true, "no such channel"},
			{"an emoji", func() error { return b.client.React(t.Context(), general, said.ID, "nonsense") }, false, "no such emoji"},
			{"somebody else's message", func() error { return b.client.Edit(t.Context(), general, said.ID, chat.Outgoing{Text: "x"}) }, false, "only edit my own"},
		} {
			err := tt.do()
			if err == nil || !strings.Contains(b.named(err), tt.want) || errors.Is(err, discord.ErrNotFound) != tt.notFound {
				t.Errorf("%s: error %v, want something about %q", tt.name, err, tt.want)
			}
		}
	})
}

// stubborn is a transport with a fixed response.
type stubborn struct {
	status int
	body   string
}

func (s stubborn) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(s.body))}, nil
}

func TestOddResponsesBecomeSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer stubborn
		want   string
		kind   error
	}{
		{"fields", stubborn{400, `{"code":50035,"message":"Invalid Form Body","errors":{"embeds":{"0":{"title":{"_errors":[{"code":"X","message":"too long"}]}}},"content":{"_errors":[{"message":"odd"}]}}}`},
			"Discord refused that (status 400): Invalid Form Body; content: odd; embeds: 0: title: too long", nil},
		{"a page", stubborn{403, "<html>no</html>"}, "Discord did not say whether it was done (something else answered, with status 403); look before trying again", nil},
		{"another 404", stubborn{404, `{"code":0,"message":"404: Not Found"}`}, "Discord knows no such thing: 404: Not Found", discord.ErrNotFound},
		{"an unknown code", stubborn{400, `{"code":99999,"message":"Strange"}`}, "Discord refused that (status 400): Strange", nil},
		{"an archived thread", stubborn{400, `{"code":50083,"message":"Thread is archived"}`}, "<#123456789012345678> is archived; unarchive the thread first", discord.ErrArchived},
		{"AutoMod", stubborn{400, `{"code":200000,"message":"blocked"}`}, "the server's AutoMod does not let this text pass; change the text, or the rule under Server Settings → AutoMod", nil},
		{"no roles known", stubborn{403, `{"code":50013,"message":"Missing Permissions"}`}, "Discord does not let me do that in <#123456789012345678>; an admin can check that my role has *View Channel* and *Send Messages* there, under Server Settings → Roles and under Edit Channel → Permissions", nil},
		{"a redirection", stubborn{302, ""}, "Discord did not say whether it was done (something else answered, with status 302); look before trying again", nil},
		{"other JSON than was expected", stubborn{200, `"hello"`}, "the answer from Discord makes no sense (is DISCORD_API_URL right?)", nil},
		{"nothing where something was expected", stubborn{200, ""}, "the answer from Discord makes no sense (is DISCORD_API_URL right?)", nil},
		{"endless", stubborn{400, `{"code":10000,"message":"` + strings.Repeat("x", 5000) + `"}`}, "Discord refused that (status 400): " + strings.Repeat("x", 300) + "…", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: tt.answer}})
				_, err := c.Send(t.Context(), "123456789012345678", chat.Outgoing{Text: "hi"})
				if err == nil || err.Error() != tt.want {
					t.Errorf("\n got %v\nwant %s", err, tt.want)
				}
				if tt.kind != nil && !errors.Is(err, tt.kind) {
					t.Errorf("%v should be %v", err, tt.kind)
				}
			})
		})
	}
}

// endless answers every request with a body that does not end, and counts what is read of it. A bot that reads on and on
// gets no more after a while, so that the test ends.
type endless struct{ read int }

func (e *endless) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(e)}, nil
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read += len(p); e.read > 64<<20 {
		return 0, io.EOF
	}
	return len(p), nil
}

func TestAnEndlessAnswerIsNotRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &endless{}
		c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: e}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond) // before a second attempt
		defer cancel()
		if _, err := c.Message(ctx, "123456789012345678", "1"); err == nil {
			t.Error("it was taken for an answer")
		}
		if e.read > 17<<20 { // some of it is buffered
			t.Errorf("%d MB were read", e.read>>20)
		}
	})
}

func TestOddRateLimitsAreSurvived(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"retry_after":-1}`:     "try again in 5 seconds",
		`{"retry_after":"soon"}`: "try again in 5 seconds",
		`{"retry_after":1e300}`:  "try again in 24 h 0 min",
		`{"retry_after":0}`:      "try again in 1 second",
		`{}`:                     "try again in 5 seconds",
		``:                       "try again in 5 seconds",
	} {
		synctest.Test(t, func(t *testing.T) {
			c := discord.New(discord.Options{Token: "t", HTTP: &http.Client{Transport: stubborn{429, body}}})
			_, err := c.Send(t.Context(), "123456789012345678", chat.Outgoing{Text: "hi"})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("after %s: %v, want %q", body, err, want)
			}
		})
	}
}

// witness records the addresses of requests.
type witness struct{ urls, hosts []string }

func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	w.urls, w.hosts = append(w.urls, r.URL.String()), append(w.hosts, r.Host)
	return stubborn{status: 204}.RoundTrip(r)
}

func TestRequestsGoToTheConfiguredAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"":                               "https://discord.com/api/v10/channels/1/messages/2/reactions/%F0%9F%91%8D/@me",
		"http://127.0.0.1:1234/api/v10":  "http://127.0.0.1:1234/api/v10/channels/1/messages/2/reactions/%F0%9F%91%8D/@me",
		"http://127.0.0.1:1234/api/v10/": "http://127.0.0.1:1234/api/v10/channels/1/messages/2/reactions/%F0%9F%91%8D/@me",
	} {
		w := &witness{}
		c := discord.New(discord.Options{Token: "t", APIURL: base, HTTP: &http.Client{Transport: w}})
		if err := c.React(t.Context(), "1", "2", "👍"); err != nil {
			t.Fatal(err)
		}
		if len(w.urls) != 1 || w.urls[0] != want || w.hosts[0] != "" {
			t.Errorf("with %q: %q, hosts %q", base, w.urls, w.hosts)
		}
	}
}
