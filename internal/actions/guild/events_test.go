package guild_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// party is an existing event of ada's.
func (w *world) party(e fakediscord.ScheduledEvent) fakediscord.ScheduledEvent {
	w.t.Helper()
	e.Name = "Party"
	e.Start = time.Date(2026, 4, 1, 18, 0, 0, 0, time.UTC)
	if e.Channel == "" {
		e.Location, e.End = "the park", e.Start.Add(time.Hour)
	}
	made, err := w.AddEvent("ada", e)
	w.Must(err)
	return made
}

// only is the only event.
func (w *world) only() fakediscord.ScheduledEvent {
	w.t.Helper()
	all := w.Events()
	if len(all) != 1 {
		w.t.Fatalf("there are %d events", len(all))
	}
	return all[0]
}

func TestEventCreate(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 5, 1, 16, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, in string
		want     fakediscord.ScheduledEvent
	}{
		{"at a location", `"location":"the park","endTime":"2026-05-01T20:00:00Z","description":" cake "`,
			fakediscord.ScheduledEvent{Location: "the park", End: start.Add(4 * time.Hour), Description: "cake"}},
		{"for an hour", `"location":"the park"`, fakediscord.ScheduledEvent{Location: "the park", End: start.Add(time.Hour)}},
		{"nobody knows where", `"description":""`, fakediscord.ScheduledEvent{Location: "TBD", End: start.Add(time.Hour)}},
		{"in a voice channel", `"channelId":"talk"`, fakediscord.ScheduledEvent{Channel: "talk"}},
		{"on a stage, with an end", `"channel":"podium","end":"2026-05-01 17:00"`, fakediscord.ScheduledEvent{Channel: "podium", End: start.Add(time.Hour)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inHall(t, hallLayout, func(t *testing.T, w *world) {
				out := w.Do("bob", `{"type":"eventCreate","name":"May\nday","startTime":"2026-05-01T18:00:00+02:00",`+tt.in+`}`)[0]
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				got := w.only()
				if line := out.Line(); !strings.HasPrefix(line, w.WithIDs("Done: created the event [May day](https://discord.com/events/{server}/"+string(got.ID)+"), <t:1777651200:f>")) {
					t.Error(line)
				}
				want := tt.want
				want.ID, want.Guild, want.Creator, want.Name, want.Start = got.ID, w.GuildID(), w.UserID("bot"), "May day", start
				if want.Channel != "" {
					want.Channel = w.ChannelID(string(want.Channel))
				}
				if got != want {
					t.Errorf("event %+v, want %+v", got, want)
				}
				if log := w.AuditLog(); log[len(log)-1].Reason != "asked by bob ("+string(w.UserID("bob"))+") in "+w.Asked.Place.Link() {
					t.Errorf("the log says %+v", log)
				}
				if line := w.back(out); line != "Done: called off the event **May day**" || len(w.Events()) != 0 {
					t.Errorf("taken back: %s", line)
				}
			})
		})
	}
}

func TestEventCreateRefuses(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		const failed = "Failed: eventCreate: "
		for in, want := range map[string]string{
			`"startTime":"2026-05-01"`:                                                      "name: missing",
			`"name":"x"`:                                                                    "startTime: missing",
			`"name":" ","startTime":"2026-05-01"`:                                           "name: empty",
			`"name":"x","startTime":"soon"`:                                                 `startTime: "soon" is not a time; write it as 2027-05-01T18:00:00Z`,
			`"name":"x","startTime":"2026-05-01","endTime":"late"`:                          `endTime: "late" is not a time; write it as 2027-05-01T18:00:00Z`,
			`"name":"x","startTime":"2026-05-01","endTime":"2026-05-01"`:                    "endTime 2026-05-01T00:00:00Z is not after startTime 2026-05-01T00:00:00Z",
			`"name":"x","startTime":"2026-03-02T11:00:00Z"`:                                 "<t:1772449200:f> has already passed; an event needs a later time",
			`"name":"x","startTime":"2026-05-01","location":"x","channelId":"talk"`:         "an event is in a channel or at a location; give one of the two",
			`"name":"x","startTime":"2026-05-01","channelId":"general"`:                     "<#{general}> is not a voice or stage channel; choose one, or give a location instead",
			`"name":"` + strings.Repeat("x", 101) + `","startTime":"2026-05-01"`:            "name: has 101 characters, must have at most 100",
			`"name":"x","startTime":"2026-05-01","description":"` + long(1001) + `"`:        "description: has 1001 characters, must have at most 1000",
			`"name":"x","startTime":"2026-05-01","location":"` + long(101) + `"`:            "location: has 101 characters, must have at most 100",
			`"name":"x","startTime":"2026-05-01","channelId":"nowhere","endTime":"tonight"`: `endTime: "tonight" is not a time; write it as 2027-05-01T18:00:00Z`,
		} {
			w.Require("ada", `{"type":"eventCreate",`+in+`}`, failed+want)
		}
		w.RequirePart("ada", `{"type":"eventCreate","name":"x","startTime":"2026-05-01","channelId":"basement"}`, `I can't see a channel #basement`)
		w.Require("eve", `{"type":"eventCreate","name":"x","startTime":"2026-05-01"}`, failed+"you need *Create Events* for that")
		w.Must(w.Deny("podium", "bob", chat.MuteMembers))
		w.Require("bob", `{"type":"eventCreate","name":"x","startTime":"2026-05-01","channelId":"podium"}`, failed+"you need *Mute Members* in <#{podium}> for that")
		w.Must(w.Deny("talk", "bob", chat.CreateEvents))
		w.Require("bob", `{"type":"eventCreate","name":"x","startTime":"2026-05-01","channelId":"talk"}`, failed+"you need *Create Events* in <#{talk}> for that")
		w.Must(w.Deny("lounge", "bob", chat.ViewChannel))
		w.RequirePart("bob", `{"type":"eventCreate","name":"x","startTime":"2026-05-01","channelId":"lounge"}`, failed+`I can't see a channel #lounge`)
		w.Must(w.SetPermission("bot", chat.CreateEvents, false))
		w.Require("ada", `{"type":"eventCreate","name":"x","startTime":"2026-05-01"}`,
			failed+"I need *Create Events* for that; an admin can give it to my role under Server Settings → Roles")
		w.RequirePart("ada", `{"type":"eventCreate","name":"x","startTime":"2026-05-01","channelId":"talk"}`, "I need *Create Events* in <#{talk}>")
		if n := len(w.Events()); n > 0 {
			t.Errorf("%d events were made", n)
		}
	})
}

func long(n int) string { return strings.Repeat("x", n) }

func TestEventList(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		w.Require("eve", `{"type":"eventList"}`, "Done: No scheduled events")
		here := w.party(fakediscord.ScheduledEvent{Description: "first\nline " + long(100)})
		there := w.party(fakediscord.ScheduledEvent{Channel: w.ChannelID("talk")})
		outside := fmt.Sprintf("Party (id:%s) — 2026-04-01 18:00:00 UTC to 2026-04-01 19:00:00 UTC — the park — first line %s…", here.ID, long(69))
		inside := fmt.Sprintf("Party (id:%s) — 2026-04-01 18:00:00 UTC — #talk", there.ID)
		w.Require("eve", `{"type":"eventList"}`, "Done: Scheduled events:\n"+outside+"\n"+inside)
		w.Must(w.Deny("talk", "eve", chat.ViewChannel))
		w.Require("eve", `{"type":"eventList"}`, "Done: Scheduled events:\n"+outside)
	})
}

func TestEventEdit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		inside   bool // in a channel
	}{
		{"a name", `"name":"Feast"`, false},
		{"a description", `"description":"cake"`, false},
		{"no description", `"description":""`, false},
		{"a time", `"startTime":"2026-04-02T18:00:00Z","endTime":"2026-04-02T19:00:00Z"`, false},
		{"another place", `"location":"the hall"`, false},
		{"a channel", `"channelId":"lounge","endTime":""`, false},
		{"everything inside", `"name":"Feast","description":"x","startTime":"2026-04-02T18:00:00Z","endTime":"2026-04-02T19:00:00Z"`, true},
		{"another channel", `"channelId":"podium"`, true},
		{"out of the channel", `"location":"the park","endTime":"2026-04-01T20:00:00Z"`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inHall(t, hallLayout, func(t *testing.T, w *world) {
				e := fakediscord.ScheduledEvent{Description: "games"}
				if tt.inside {
					e.Channel = w.ChannelID("talk")
				}
				was := w.party(e)
				out := w.Do("bob", `{"type":"eventEdit","eventId":"`+string(was.ID)+`",`+tt.in+`}`)[0]
				if line := out.Line(); !strings.HasPrefix(line, "Done: changed the event [") || !strings.Contains(line, "/"+string(was.ID)+"), now <t:177") {
					t.Fatal(line)
				}
				if now := w.only(); now == was {
					t.Errorf("nothing has changed: %+v", now)
				}
				w.back(out)
				if now := w.only(); now != was {
					t.Errorf("taken back:\n%+v, want\n%+v", now, was)
				}
			})
		})
	}
}

func TestAnEventIsFoundByItsName(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout+"deny lounge bob: View Channel\n", func(t *testing.T, w *world) {
		w.party(fakediscord.ScheduledEvent{Channel: w.ChannelID("talk")})
		w.party(fakediscord.ScheduledEvent{Channel: w.ChannelID("lounge")}) // has the same name, and bob may not know of it
		w.RequirePart("bob", `{"type":"eventEdit","eventId":"🎉 party","name":"Picnic"}`, "Done: changed the event [Picnic]")
		w.Require("bob", `{"type":"eventEdit","eventId":"Party","name":"Ball"}`, "Failed: eventEdit: I can't find an event called **Party**")
	})
}

func TestEventEditRefuses(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		out := w.party(fakediscord.ScheduledEvent{})
		in := w.party(fakediscord.ScheduledEvent{Channel: w.ChannelID("talk")})
		const failed = "Failed: eventEdit: "
		edit := func(e fakediscord.ScheduledEvent, in string) string {
			return `{"type":"eventEdit","eventId":"` + string(e.ID) + `",` + in + `}`
		}
		w.Require("ada", `{"type":"eventEdit","name":"x"}`, failed+"eventId: missing")
		w.RequirePart("ada", `{"type":"eventEdit","eventId":"party","name":"x"}`, failed+"which event do you mean: [Party](https://discord.com/events/", "> or [Party](https://")
		w.Require("ada", `{"type":"eventEdit","eventId":"Picnic","name":"x"}`, failed+"I can't find an event called **Picnic**")
		w.Require("ada", `{"type":"eventEdit","eventId":"123456789012345678","name":"x"}`,
			failed+"there is no such event; it may be over, or somebody has called it off")
		for in, want := range map[string]string{
			`"name":""`:                "nothing to change; give a name, startTime, endTime, description, location or channelId",
			`"startTime":"x"`:          `startTime: "x" is not a time; write it as 2027-05-01T18:00:00Z`,
			`"endTime":"x"`:            `endTime: "x" is not a time; write it as 2027-05-01T18:00:00Z`,
			`"endTime":""`:             "an event outside of channels needs an end",
			`"endTime":"2026-04-01"`:   "the event would begin <t:1775066400:f> and end <t:1775001600:f>; choose times that fit",
			`"startTime":"2026-05-01"`: "the event would begin <t:1777593600:f> and end <t:1775070000:f>; choose times that fit",
			`"startTime":"2026-05-02","endTime":"2026-05-01"`: "endTime 2026-05-01T00:00:00Z is not after startTime 2026-05-02T00:00:00Z",
			`"startTime":"2026-03-01","endTime":"2026-05-01"`: "<t:1772323200:f> has already passed; an event needs a later time",
			`"location":"x","channelId":"talk"`:               "an event is in a channel or at a location; give one of the two",
			`"channelId":"general"`:                           "<#{general}> is not a voice or stage channel; choose one, or give a location instead",
		} {
			w.Require("ada", edit(out, in), failed+want)
		}
		w.Require("ada", edit(in, `"location":"x"`), failed+"an event outside of channels needs an end")
		w.Require("eve", edit(out, `"name":"x"`), failed+"you need *Manage Events* for that")
		w.Must(w.Deny("talk", "bob", chat.ManageEvents))
		w.Require("bob", edit(in, `"name":"x"`), failed+"you need *Manage Events* in <#{talk}> for that")
		w.Require("bob", edit(out, `"channelId":"talk"`), failed+"you need *Manage Events* in <#{talk}> for that")
		w.Must(w.Allow("lounge", "eve", chat.ManageEvents))
		w.RequirePart("eve", edit(w.party(fakediscord.ScheduledEvent{Channel: w.ChannelID("lounge")}), `"location":"x","endTime":"2026-04-02"`),
			"you need *Manage Events* for that")
		w.Must(w.SetPermission("bot", chat.ManageEvents, false))
		w.RequirePart("ada", edit(out, `"name":"x"`), failed+"I need *Manage Events* for that")
	})
}

func TestEventDelete(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		e := w.party(fakediscord.ScheduledEvent{})
		request := `{"type":"eventDelete","eventId":"https://discord.com/events/1/` + string(e.ID) + `"}`
		w.Require("eve", request, "Failed: eventDelete: you need *Manage Events* for that")
		w.RequirePart("ada", `{"type":"eventDelete","eventId":"123456789012345678"}`, "there is no such event")
		w.Must(w.SetPermission("bot", chat.ManageEvents, false))
		w.RequirePart("ada", request, "I need *Manage Events* for that")
		w.Must(w.SetPermission("bot", chat.ManageEvents, true))
		w.Require("bob", request, "Done: called off the event **Party**")
		if len(w.Events()) != 0 {
			t.Error("it is still there")
		}
	})
}

// TestDeletingAnEventNeedsApproval: the card names the event.
func TestDeletingAnEventNeedsApproval(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		e := w.party(fakediscord.ScheduledEvent{})
		all, _ := w.Pending("ada", `{"type":"eventDelete","eventId":"`+string(e.ID)+`"}`)
		if len(all) != 1 {
			t.Fatalf("asked about %v", all)
		}
		held := all[0]
		want := `Call off the event “Party” (<t:1775066400:f> to <t:1775070000:f>) and delete it, with the list of those who are interested.`
		if held.What != want || !strings.Contains(string(held.Request.Args), string(e.ID)) || len(w.Events()) != 1 {
			t.Errorf("held %+v", held)
		}
	})
}

// TestAnEventThatMovesIsNotChanged: bob may change events in one channel, but not in the
// other.
func TestAnEventThatMovesIsNotChanged(t *testing.T) {
	t.Parallel()
	inHall(t, hallLayout, func(t *testing.T, w *world) {
		e := w.party(fakediscord.ScheduledEvent{Channel: w.ChannelID("talk")})
		w.Must(w.Deny("lounge", "bob", chat.ManageEvents))
		w.Between = func() {
			was := chat.Event{ID: e.ID, Name: e.Name, Channel: e.Channel}
			if _, err := w.Bot.EditEvent(t.Context(), w.GuildID(), was, chat.EventEdit{Channel: new(w.ChannelID("lounge"))}); err != nil {
				t.Fatal(err)
			}
		}
		out := w.Do("bob", `{"type":"eventDelete","eventId":"`+string(e.ID)+`"}`)[0]
		if want := "Failed: the event was moved to another place meanwhile; try again"; out.Line() != want || len(w.Events()) != 1 {
			t.Errorf("got %s, want %s", out.Line(), want)
		}
	})
}
