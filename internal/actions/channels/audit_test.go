package channels_test

import "testing"

// TestTheAuditLogSaysWhoAsked: every change of a channel, a thread or what others wrote carries
// the requester and their message.
func TestTheAuditLogSaysWhoAsked(t *testing.T) {
	t.Parallel()
	onServer(t, forumLayout, func(t *testing.T, w *world) {
		said := w.MustSay("bob", "#ops", "hello")
		want := w.WithIDs("asked by ada ({ada}) in ") + w.Asked.Place.Link()
		logged := 0
		for _, in := range []string{
			`{"type":"channelCreate","name":"new"}`,
			`{"type":"categoryCreate","name":"First","position":0}`,
			`{"type":"channelEdit","channelId":"new","topic":"x"}`,
			`{"type":"channelMove","channelId":"new","parent":"Projects"}`,
			`{"type":"channelPermissions","channelId":"new","role":"everyone","deny":["Send Messages"]}`,
			`{"type":"channelDelete","channelId":"new"}`,
			`{"type":"threadEdit","threadId":"light mode","pinned":true}`,
			`{"type":"threadEdit","threadId":"dark mode","name":"Darker","pinned":true}`,
			`{"type":"forumTagCreate","channelId":"ideas","name":"new"}`,
			`{"type":"forumTagEdit","channelId":"ideas","tagId":"new","name":"newer"}`,
			`{"type":"threadCreate","channelId":"ops","name":"talk"}`,
			`{"type":"pinMessage","channelId":"ops","messageId":"` + string(said.ID) + `"}`,
			`{"type":"unpinMessage","channelId":"ops","messageId":"` + string(said.ID) + `"}`,
			`{"type":"deleteMessage","channelId":"ops","messageId":"` + string(said.ID) + `"}`,
		} {
			sent := len(w.Requests())
			if out := w.Do("ada", in)[0]; out.Err != nil {
				t.Errorf("%s: %v", in, out.Err)
			}
			for _, x := range w.Requests()[sent:] {
				if x.Method != "GET" && x.Reason != want {
					t.Errorf("%s sends %s with %q, want %q", in, x.Route, x.Reason, want)
				}
			}
			for _, e := range w.AuditLog()[logged:] {
				if e.By != w.UserID("bot") || e.Reason != want {
					t.Errorf("%s leaves %+v in the log", in, e)
				}
			}
			logged = len(w.AuditLog())
		}
		sent := len(w.Requests())
		w.Do("ada", `{"type":"sendMessage","channel":"ops","content":"hi"}`, `{"type":"react","channelId":"ops","messageId":"last","emoji":"👍"}`)
		for _, x := range w.Requests()[sent:] {
			if x.Reason != "" {
				t.Errorf("%s has the reason %q, which Discord does not log", x.Route, x.Reason)
			}
		}
	})
}
