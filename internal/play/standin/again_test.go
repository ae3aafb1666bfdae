package standin_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/consent"
	"discoclaw/internal/llm"
	"discoclaw/internal/play/standin"
)

// TestAFollowUpChangesAPartOfTheEarlierRequest: of its words, or of the action that came of it.
func TestAFollowUpChangesAPartOfTheEarlierRequest(t *testing.T) {
	did := func(kind, fields string) string { return "\n(did " + kind + fields + ")" }
	role := []string{"make a role called cooks", did("roleCreate", `{"name":"cooks"}`), "give it to lea", did("roleAdd", `{"role":"cooks","userId":"lea"}`)}
	poll := []string{"start a poll: Lunch? pizza or soup", "There it is."}
	pinned := did("pinMessage", `{"channelId":"boats","messageId":"https://discord.com/channels/1/2/3"}`)
	for _, tt := range []struct {
		then, want string
		before     []string
	}{
		{"and also one for photos", `"name":"photos"`, []string{"make a channel called sails", did("channelCreate", `{"name":"sails"}`)}},
		{"same for #random", `"channelId":"random","slowmode":30`, []string{"slow down #ops", did("channelEdit", `{"channelId":"ops","slowmode":30}`)}},
		{"and #ops to tools", `"channelId":"ops","name":"tools"`, []string{"rename #news to updates", did("channelEdit", `{"channelId":"news","name":"updates"}`)}},
		{"what about #ops?", `"channel":"ops","limit":50`, []string{"what was said in #boats?", "#boats: 3 messages."}},
		{"and to ada", `"userId":"ada","role":"cooks"`, append(role, "who is ada?", "ada is a member here.")},
		{"remove @lea again", `"role":"cooks","userId":"lea"`, role},
		{"and ada too", `"text":"bake","userId":"ada","at":"2026-11-18T20:00+00:00"`,
			[]string{"remind me at 8 tonight to bake", did("remind", `{"at":"2026-11-18T20:00+00:00","text":"bake"}, made {"id":1}`)}},
		{"make it 9", `"id":"1"` + "\n" + `"text":"bake","at":"2026-11-18T21:00+00:00"`,
			[]string{"remind me at 8 tonight to bake", did("remind", `{"at":"2026-11-18T20:00+00:00","text":"bake"}, made {"id":1}`)}},
		{"oh and to sleep", `"text":"sleep","at":"2026-11-18T20:00+00:00"`, []string{"remind me at 8 tonight to bake", "Done."}},
		{"no wait, in Hamburg", `"text":"Lives in Hamburg."`, []string{"remember that I live in Bremen", did("memoryRemember", `{"text":"Lives in Bremen."}`)}},
		{"let's do another: red or blue sails?", `"channel":"general","question":"Red or blue sails?","answers":["red","blue"]`, poll},
		{"unpin it again", `"channelId":"2","messageId":"https://discord.com/channels/1/2/3"`, []string{"pin the last message in #boats", pinned}},
		{"rename the sails one to ropes", `"channelId":"sails","name":"ropes"`, []string{"make a channel called sails", did("channelCreate", `{"name":"sails"}`),
			"make a channel called photos", did("channelCreate", `{"name":"photos"}`)}},
		{"delete the other one", `"channelId":"sails"`, []string{"make a channel called sails", did("channelCreate", `{"name":"sails"}`),
			"make a channel called photos", did("channelCreate", `{"name":"photos"}`)}},
		{"start it again", `"cronId":"Tides"`, []string{"every day at 7, post the tides", did("cronCreate", `{"name":"Tides","schedule":"every day at 7"}`),
			"stop it", did("cronPause", `{"cronId":"Tides"}`)}},
		{"make a role for people who cook, call it galley", `"name":"galley"`, role},
		{"also at 8", `"text":"call the town hall","at":"2026-11-19T08:00+00:00"`, []string{"remind me to call the town hall tomorrow at nine", did("remind", `{"at":"2026-11-19T09:00+00:00","text":"call the town hall"}, made {"id":1}`)}},
		{"and one for @mia: book the band", `"title":"Book the band","assignee":"mia"`, []string{"make a task: clean the shed for ben by friday", did("taskCreate", `{"title":"Clean the shed","assignee":"ben"}`)}},
		{"same for fridays", `"name":"Water the plants","schedule":"every fridays at 10","prompt":"Tell everybody to water the plants."`,
			[]string{"every monday at 10 remind us to water the plants", did("cronCreate", `{"name":"Water the plants","schedule":"every monday at 10"}`)}},
		{"I meant #ops", `"channel":"ops","limit":50`, []string{"what was said in #boats?", "#boats: 3 messages."}},
		{"no, to @kofi", `"role":"cooks","userId":"lea"` + "\n" + `"role":"cooks","userId":"kofi"`, role},
		{"not lea, @mia", `"role":"cooks","userId":"lea"` + "\n" + `"role":"cooks","userId":"mia"`, role},
		{"remind noor too", `"text":"bake","userId":"noor","in":"1h"`, []string{"remind me in an hour to bake", did("remind", `{"in":"1h","text":"bake"}, made {"id":1}`)}},
		{"undo that", `"channelId":"sails"`, []string{"make a channel called sails", did("channelCreate", `{"name":"sails"}`)}},
		{"undo that", `"id":"1"`, []string{"remind me in an hour to bake", did("remind", `{"in":"1h","text":"bake"}, made {"id":1}`)}},
		{"turn it off", `"channelId":"random","slowmode":0`, []string{"slow down #random", did("channelEdit", `{"channelId":"random","slowmode":30}`)}},
		{"and divided by 2?", `"expression":"391 / 2"`, []string{"what is 17 * 23?", "17 × 23 = 391."}},
		{"make it 90 minutes", `"id":"1"` + "\n" + `"text":"bake","in":"90m"`, []string{"remind me in an hour to bake", did("remind", `{"in":"1h","text":"bake"}, made {"id":1}`)}},
		{"call it off", `"eventId":"Party"`, []string{"plan a party tomorrow at 8pm", did("eventCreate", `{"name":"Party","startTime":"2026-11-19T20:00+00:00"}`)}},
		{"make it 11", `"eventId":"Party","startTime":"2026-11-19T11:00+00:00","endTime":"2026-11-19T12:00+00:00"`, []string{"plan a party tomorrow at 10", did("eventCreate", `{"name":"Party","startTime":"2026-11-19T10:00+00:00"}`)}},
		{"in 10 minutes", `"text":"stretch","in":"10m"`, append(role, "make a task: paint", did("taskCreate", `{"title":"Paint"}`), "remind me to stretch", "When?")},
	} {
		if got := shown(answered(t, said(t, tt.then, tt.before...))); got != tt.want {
			t.Errorf("%q, then %q leads to\n%s\nwant\n%s", tt.before, tt.then, got, tt.want)
		}
	}
}

func TestAQuestionAboutAnotherTimeMovesNothing(t *testing.T) {
	before := []string{"plan a party tomorrow at 8pm", "\n(did eventCreate" + `{"name":"Party","startTime":"2026-11-19T20:00+00:00"})`}
	if got := shown(answered(t, said(t, "and tomorrow?", before...))); strings.Contains(got, "eventId") {
		t.Errorf("it asks for %s", got)
	}
}

func TestItReadsHoursAsPeopleMeanThem(t *testing.T) {
	for text, want := range map[string]string{
		"remind me at 8 tonight to bake": `18T20:00`, "remind me tonight at 8 to bake": `18T20:00`, "remind me tomorrow at nine to bake": `19T09:00`,
		"remind me at 8 to bake": `18T20:00`, "remind me tomorrow at 3 to bake": `19T15:00`, "remind me to bake at half past four": `18T16:30`,
		"remind me tomorrow at 15:30 to bake": `19T15:30`,
	} {
		if got := shown(answered(t, said(t, text))); got != `"text":"bake","at":"2026-11-`+want+`+00:00"` {
			t.Errorf("%q leads to %s", text, got)
		}
	}
}

// TestItConfirmsFollowUps of what the same person named before.
func TestItConfirmsFollowUps(t *testing.T) {
	for _, tt := range []struct {
		earlier, words, wanted string
		want                   bool
	}{
		{"make a role called cooks", "give it to lea", `give a member a role: the member "lea"; the role "cooks"`, true},
		{"make a role called cooks", "give it to lea", `give a member a role: the member "lea"; the role "mods"`, false},
		{"make a role called cooks", "give it to lea", `give a member a role: the member "zed"; the role "cooks"`, false},
		{"give lea the role cooks", "and to kofi", `give a member a role: the member "kofi"; the role "cooks"`, true},
		{"give lea the role cooks", "thanks, kofi is next", `give a member a role: the member "kofi"; the role "cooks"`, false},
		{"make a task: paint the oars", "that's for tom", `change a task, and its post with it: a task whose title is like the earlier messages' words "paint", "oars"; assignee: the member "tom"`, true},
		{"make a task: paint the oars", "that's good", `close a task, and archive its post: a task whose title is like the earlier messages' words "paint", "oars"`, false},
		{"make a poll about lunch", "soup or salad", `post a poll in a channel: the channel where the request stands; question: "lunch"; answers: "soup", "salad"`, true},
	} {
		r := consent.Request{Earlier: []consent.Said{{Words: tt.earlier, Became: "answered"}}, Words: tt.words, Wanted: []string{tt.wanted}}
		if got, err := theReader(t).Asked(t.Context(), r); err != nil || got[0] != tt.want {
			t.Errorf("%q, then %q, %q: %v, %v", tt.earlier, tt.words, tt.wanted, got, err)
		}
	}
}

// TestWhatWaitsOnACardIsNotTakenForDone: neither changed as if it were there, nor taken back.
func TestWhatWaitsOnACardIsNotTakenForDone(t *testing.T) {
	before := []string{"plan a party tomorrow at 8pm", "\n(did eventCreate" + `{"name":"Party","startTime":"2026-11-19T20:00+00:00"} waits for approval)`}
	for _, then := range []string{"move it to friday", "undo that"} {
		if got := shown(answered(t, said(t, then, before...))); strings.Contains(got, "eventId") {
			t.Errorf("%q leads to %s", then, got)
		}
	}
}

func TestANewPostIsATask(t *testing.T) {
	req := said(t, "remind me to buy rope")
	req.Messages[0].Text = strings.Replace(req.Messages[0].Text, " in #general]", " in the thread Rope in #tasks (started by the same person; tagged club)]", 1)
	if got := answered(t, req); !strings.HasPrefix(got, "This post is a task.") {
		t.Errorf("it says %q", got)
	}
}

// TestItTellsDaysAsTheClockShowsThem: a message that was sent since the clock was moved on by a day is one of today.
func TestItTellsDaysAsTheClockShowsThem(t *testing.T) {
	req := said(t, "who wrote about the boat?")
	req = next(req, answered(t, req), "Done: found 1 message\n[2026-11-17 09:00:00 UTC] in #ops [ada] Is the boat ready?")
	var b strings.Builder
	aDayOn := standin.New(0, func(at time.Time) time.Time { return at.AddDate(0, 0, 1) })
	for event, err := range aDayOn.Invoke(t.Context(), req) {
		if d, ok := event.(llm.TextDelta); ok && err == nil {
			b.WriteString(d.Text)
		}
	}
	if !strings.Contains(b.String(), "ada in #ops, today: ") {
		t.Errorf("it says %s", b.String())
	}
}
