package discord_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

// ahead is by how much the client has Discord's clock ahead of this machine's.
func ahead(c *discord.Client) time.Duration { return time.Until(c.Now()) }

func TestDiscordsClockIsTakenFromItsResponses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ skew, want time.Duration }{
		{0, 0},
		{3 * time.Second, 0}, // as much as a slow answer
		{-3 * time.Second, 0},
		{time.Hour, time.Hour},
		{-time.Hour, -time.Hour},
	} {
		t.Run(fmt.Sprint(tt.skew), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, "guild disco: #general\nmember bob")
				b.Skew(tt.skew)
				if got := ahead(b.client); got != 0 {
					t.Errorf("%v before Discord has said anything", got)
				}
				b.login(t)
				if got := ahead(b.client); got != tt.want {
					t.Errorf("%v, want %v", got, tt.want)
				}
				b.Skew(0)
				if err := second(b.client.Members(t.Context(), b.GuildID(), "", 1)); err != nil {
					t.Fatal(err)
				}
				if got := ahead(b.client); got != 0 {
					t.Errorf("%v after the clocks agree again", got)
				}
			})
		})
	}
}

// elsewhen responds to all requests with a status and a date.
type elsewhen struct {
	status int
	date   string
}

func (e elsewhen) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := stubborn{e.status, `{}`}.RoundTrip(r)
	if err == nil {
		resp.Header = http.Header{"Date": {e.date}}
	}
	return resp, err
}

func TestTheClockIgnoresFailedResponses(t *testing.T) {
	t.Parallel()
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	for _, tt := range []struct {
		elsewhen
		believed bool
	}{
		{elsewhen{200, later}, true},
		{elsewhen{403, later}, false},
		{elsewhen{200, "tomorrow"}, false},
		{elsewhen{200, ""}, false},
	} {
		t.Run(fmt.Sprint(tt.status, " ", tt.date), func(t *testing.T) {
			t.Parallel()
			c := discord.New(discord.Options{Token: "x", APIURL: "http://fake.discord", HTTP: &http.Client{Transport: tt.elsewhen}})
			_ = c.Delete(t.Context(), "123456789012345678", "123456789012345678")
			if got := ahead(c) > 30*time.Minute; got != tt.believed {
				t.Errorf("Discord is %v ahead", ahead(c))
			}
		})
	}
}

// TestTimeoutsAreByDiscordsClock: they last as long as was asked for, and bind for as
// long as they last.
func TestTimeoutsAreByDiscordsClock(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(fmt.Sprint(skew), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, "guild disco: #general\nmember bob")
				b.Skew(skew)
				b.login(t)
				g, bob := b.GuildID(), b.UserID("bob")
				if err := b.client.TimeOut(t.Context(), g, bob, 10*time.Minute, ""); err != nil {
					t.Fatal(err)
				}
				silenced := func() bool {
					missing, err := b.client.MissingPermissions(t.Context(), g, bob, b.ChannelID("general"), []chat.Permission{chat.SendMessages})
					if err != nil {
						t.Fatal(err)
					}
					return len(missing) > 0
				}
				if m, _ := b.Member("bob"); !m.TimedOutUntil.Equal(time.Now().Add(skew + 10*time.Minute)) {
					t.Errorf("until %v, and on Discord it is %v", m.TimedOutUntil, b.client.Now())
				}
				if !silenced() {
					t.Error("bob may speak at once")
				}
				time.Sleep(11 * time.Minute)
				if silenced() {
					t.Error("bob may not speak afterwards")
				}
			})
		})
	}
}
