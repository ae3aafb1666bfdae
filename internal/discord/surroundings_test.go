package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
)

// TestSurroundingsAreWhatAUserMayKnow: channels that the user or the bot may not see are left out, and
// no request is sent for the rest.
func TestSurroundingsAreWhatAUserMayKnow(t *testing.T) {
	const layout = `
guild disco: #general #staff #hidden #cellar Lounge:voice
category Work: #ops
role Mods: Manage Messages, Pin Messages, Create Events, Manage Threads
role @everyone: View Channel, Send Messages, Read Message History, Manage Threads
member ada: owner
member bob: Mods
member eve
bot DiscoClaw: View Channel, Send Messages
deny #staff bob: View Channel
deny #hidden DiscoClaw: View Channel
deny #cellar everyone: View Channel
allow #cellar DiscoClaw: View Channel
`
	inProcesses(t, layout, func(t *testing.T, w *discordtest.World, kept *counting) {
		b, stop := process(t, w, kept)
		defer stop()
		for _, name := range []string{"ada", "bob"} {
			w.MustSay(name, "general", "hello")
		}
		synctest.Wait()
		before := len(w.Requests())
		describe := func(who string) string {
			s := b.client.Surroundings(chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general")}, w.UserID(who))
			var names []string
			for _, ch := range s.Channels {
				names = append(names, ch.Name)
			}
			if who == "ada" && !slices.Equal(s.Private, []chat.ChannelID{w.ChannelID("cellar")}) || who == "bob" && len(s.Private) > 0 {
				t.Errorf("private: %v", s.Private)
			}
			return fmt.Sprintf("%s; %s; %v; %v; %v", s.Name, strings.Join(names, " "), s.Roles, s.Rights, s.All)
		}
		people := func() (list []string) {
			for _, p := range b.client.Surroundings(chat.Place{Guild: w.GuildID()}, w.UserID("ada")).People {
				list = append(list, fmt.Sprint(p.Name, p.RoleNames, !p.Joined.IsZero()))
			}
			return list
		}
		if s := b.client.Surroundings(chat.Place{Guild: w.GuildID()}, w.UserID("ada")); s.Members != 4 || fmt.Sprint(people()) != "[bob[Mods] true]" {
			t.Errorf("%d members, seen: %v", s.Members, people())
		}
		for who, want := range map[string]string{
			"ada": "DiscoClaw; general staff cellar Lounge Work ops; []; []; true",
			"bob": "DiscoClaw; general Lounge Work ops; [Mods]; [Manage Messages Pin Messages Create Events]; false",
		} {
			if got := describe(who); got != want {
				t.Errorf("%s knows %s, want %s", who, got, want)
			}
		}
		if s := b.client.Surroundings(chat.Place{Guild: w.GuildID()}, "123"); s.Name != "" || len(s.Channels) > 0 {
			t.Errorf("an unknown user knows %+v", s)
		}
		time.Sleep(time.Hour)
		w.MustSay("ada", "general", "what about "+chat.User{ID: w.UserID("eve")}.Mention()+"?")
		synctest.Wait()
		if got := fmt.Sprint(people()); got != "[eve[] true bob[Mods] true]" {
			t.Errorf("after a mention: %s", got)
		}
		time.Sleep(time.Minute)
		w.MustSay("ada", "general", "and now?")
		synctest.Wait()
		if got := fmt.Sprint(people()); got != "[eve[] true]" {
			t.Errorf("after an hour and a minute: %s", got)
		}
		if n := len(w.Requests()) - before; n != 0 {
			t.Errorf("%d requests", n)
		}
	})
}
