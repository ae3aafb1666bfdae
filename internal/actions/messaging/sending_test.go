package messaging_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
)

func TestSendMessage(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		got := w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"hello"}`)[0]
		if want := w.WithIDs("Done: sent [a message](https://discord.com/channels/{server}/{ops}/" + w.latest("#ops") + ") to <#{ops}>"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		w.requireTexts("#ops", "hello")
	})
}

func TestAChannelCanBeWrittenInManyForms(t *testing.T) {
	t.Parallel()
	onServer(t, layout+`thread "Help me" in #ops`, func(t *testing.T, w *world) {
		id := string(w.ChannelID("#ops"))
		for _, tt := range []struct{ name, member, to string }{
			{"a name", `"channel":"ops"`, "#ops"},
			{"a name with its sign", `"channel":"#ops"`, "#ops"},
			{"capitals and white space", `"channel":" #OPS "`, "#ops"},
			{"an ID", `"channel":"` + id + `"`, "#ops"},
			{"an ID as a number", `"channel":` + id, "#ops"},
			{"a mention", `"channel":"<#` + id + `>"`, "#ops"},
			{"the other field name", `"channelId":"ops"`, "#ops"},
			{"a thread", `"channel":"help me"`, "Help me"},
			{"an announcement channel", `"channel":"news"`, "#news"},
		} {
			before := len(w.Messages(tt.to))
			w.RequirePart("ada", `{"type":"sendMessage",`+tt.member+`,"content":"hello"}`, "Done: sent [a message](", ") to <#{"+strings.TrimPrefix(tt.to, "#")+"}>")
			if n := len(w.Messages(tt.to)); n != before+1 {
				t.Errorf("%s: %d messages in %s, want %d", tt.name, n, tt.to, before+1)
			}
		}
	})
}

func TestSendMessageRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.requireEach([]example{
			{"nothing given", `{"type":"sendMessage"}`, "Failed: sendMessage: channel: missing; content: missing"},
			{"blanks", `{"type":"sendMessage","channel":" ","content":"  "}`, "Failed: sendMessage: channel: empty; content: empty"},
			{"no channel behind the sign", `{"type":"sendMessage","channel":"#","content":"x"}`, "Failed: sendMessage: channel: empty; give a channel's name or ID"},
			{"content that is no text", `{"type":"sendMessage","channel":"ops","content":{"a":1}}`, "Failed: sendMessage: content: must be text, not an object"},
			{"one character too many", `{"type":"sendMessage","channel":"ops","content":"` + strings.Repeat("x", 2001) + `"}`, "Failed: sendMessage: content: has 2001 characters, must have at most 2000"},
			{"emoji, which count twice", `{"type":"sendMessage","channel":"ops","content":"` + strings.Repeat("🔥", 1001) + `"}`, "Failed: sendMessage: content: has 2002 characters, must have at most 2000"},
			{"a forum", `{"type":"sendMessage","channel":"ideas","content":"x"}`, "Failed: sendMessage: <#{ideas}> is a forum channel, which holds no messages itself; choose one of its posts"},
			{"a voice channel", `{"type":"sendMessage","channel":"talk","content":"x"}`, "Failed: sendMessage: <#{talk}> is a voice channel, which cannot be used for messages; choose a text channel or a thread"},
			{"a category", `{"type":"sendMessage","channel":"projects","content":"x"}`, "Failed: sendMessage: <#{Projects}> is a category channel, which cannot be used for messages; choose a text channel or a thread"},
			{"no such name", `{"type":"sendMessage","channel":"basement","content":"x"}`, `Failed: sendMessage: I can't see a channel #basement`},
			{"an answer to nothing", `{"type":"sendMessage","channel":"ops","content":"x","replyTo":"yesterday"}`, `Failed: sendMessage: replyTo: "yesterday" is no message: give a handle such as m2, an ID (15 to 20 digits), a link, or "last"`},
		})
		w.RequirePart("ada", `{"type":"sendMessage","channel":"111111111111111111","content":"x"}`, "Failed: sendMessage: I can't see a channel <#111111111111111111>")
		w.requireTexts("#ops")
	})
}

func TestSendMessageCanAnswer(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		question := w.say("bob", "#ops", "is it up?")
		w.Run("ada",
			`{"type":"sendMessage","channel":"ops","content":"yes","replyTo":"`+question+`"}`,
			`{"type":"sendMessage","channel":"ops","content":"wait","replyTo":"last"}`,
			`{"type":"sendMessage","channel":"ops","content":"no","replyTo":"https://discord.com/channels/1/2/`+question+`"}`)
		all := w.Messages("#ops")
		if len(all) != 4 {
			t.Fatalf("%d messages, want 4", len(all))
		}
		for i, want := range []chat.MessageID{"", all[0].ID, all[1].ID, all[0].ID} {
			if all[i].ReplyTo != want {
				t.Errorf("%q answers %q, want %q", all[i].Content, all[i].ReplyTo, want)
			}
		}
	})
}

func TestSentMessagesNotifyNoMember(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		text := fmt.Sprintf("@everyone <@%s>", w.UserID("bob"))
		w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"`+text+`","replyTo":"`+w.say("bob", "#ops", "hi")+`"}`,
			`{"type":"sendMessage","channel":"ops","content":"x"}`,
			`{"type":"editMessage","channelId":"ops","messageId":"last","content":"`+text+`"}`)
		for _, m := range w.Messages("#ops") {
			if len(m.Pings) > 0 {
				t.Errorf("%q notified %v", m.Content, m.Pings)
			}
		}
	})
}

// TestSuppression: the reply is in the channel of the request, so a message there would say
// everything twice.
func TestSuppression(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		askedIn string
		change  func(*actions.Origin)
		to      string
		sent    bool
	}{
		{name: "the current channel", askedIn: "#general", to: "general"},
		{name: "another channel", askedIn: "#general", to: "ops", sent: true},
		{name: "the current thread", askedIn: "Help me", to: "help me"},
		{name: "the channel around the thread", askedIn: "Help me", to: "general", sent: true},
		{name: "the current post", askedIn: "A plan", to: "a plan"},
		{name: "the forum around the post", askedIn: "A plan", to: "ideas"},
		{name: "a run that answers nobody", askedIn: "#general", change: func(o *actions.Origin) { o.Flow, o.Place.Message = actions.FlowCron, "" }, to: "general", sent: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, layout+"thread \"Help me\" in #general\nthread \"A plan\" in ideas", func(t *testing.T, w *world) {
				w.askedIn(tt.askedIn)
				if tt.change != nil {
					tt.change(&w.Asked)
				}
				to, _ := w.Channel(tt.to)
				before := len(w.Messages(string(to.ID)))
				out := w.Do("ada", `{"type":"sendMessage","channel":"`+tt.to+`","content":"hello"}`)
				want := fmt.Sprintf("Done: put the message to %s into my reply: that is shown there by itself, so what I say there belongs in its text", to.ID.Mention())
				if got := out[0].Line(); (got == want) == tt.sent || out[0].Err != nil {
					t.Errorf("got %s", got)
				}
				if got := len(w.Messages(string(to.ID))) > before; got != tt.sent {
					t.Errorf("sent: %v, want %v", got, tt.sent)
				}
				if lines := actions.Lines(out); len(lines) > 0 {
					t.Errorf("the user is shown %q, though a message speaks for itself", lines)
				}
			})
		})
	}
}

// TestASuppressedMessageIsNotTakenForAnOlderOne: "post a welcome here and pin it" must not
// pin the bot's message of yesterday.
func TestASuppressedMessageIsNotTakenForAnOlderOne(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		if _, err := w.Bot.Send(t.Context(), w.ChannelID("#general"), chat.Outgoing{Text: "yesterday's"}); err != nil {
			t.Fatal(err)
		}
		got := w.Run("ada",
			`{"type":"sendMessage","channel":"general","content":"welcome"}`,
			`{"type":"pinMessage","channelId":"general","messageId":"last"}`)
		if want := w.WithIDs("Failed: pinMessage: the last message in <#{general}> is the reply that I am still writing"); got[1] != want {
			t.Errorf("got %s, want %s", got[1], want)
		}
		w.Require("ada", `{"type":"pinMessage","channelId":"general","messageId":"last"}`, "Done: pinned [a message](https://discord.com/channels/{server}/{general}/1477998909849600012) in <#{general}>")
	})
}

func TestActionsAreRefusedOutsideOfAServer(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.Asked.Place.Guild = ""
		w.Require("ada", `{"type":"sendMessage","channel":"ops","content":"x"}`, "Failed: sendMessage: this works on a server only")
	})
}

func (w *world) write(name, content string) string {
	w.t.Helper()
	path := filepath.Join(w.files, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func TestSendFile(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		path := w.write("reports/may.txt", "all is well")
		for _, tt := range []struct{ name, in, channel, caption string }{
			{"a relative path", `{"type":"sendFile","channel":"ops","filePath":"reports/may.txt"}`, "#ops", ""},
			{"an absolute path and a caption", `{"type":"sendFile","channel":"#ops","filePath":"` + path + `","content":"look"}`, "#ops", "look"},
			{"the current channel", `{"type":"sendFile","channel":"general","filePath":"reports/may.txt"}`, "#general", ""},
		} {
			out := w.Do("ada", tt.in)
			if want := fmt.Sprintf("/%s) to %s", w.latest(tt.channel), w.ChannelID(tt.channel).Mention()); !strings.HasPrefix(out[0].Line(), "Done: sent [the file may.txt](https://") || !strings.HasSuffix(out[0].Line(), want) {
				t.Errorf("got %s, want %s", out[0].Line(), want)
			}
			m, _ := w.Message(chat.MessageID(w.latest(tt.channel)))
			if m.Content != tt.caption || len(m.Attachments) != 1 || m.Attachments[0].Name != "may.txt" || string(m.Attachments[0].Data) != "all is well" {
				t.Errorf("the message is %q with %+v", m.Content, m.Attachments)
			}
			if lines := actions.Lines(out); len(lines) > 0 {
				t.Errorf("the user is shown %q, though a file speaks for itself", lines)
			}
		}
		// Later actions can refer to it.
		got := w.Run("ada", `{"type":"sendFile","channel":"ops","filePath":"reports/may.txt"}`, `{"type":"pinMessage","channelId":"ops","messageId":"last"}`)
		if !strings.HasPrefix(got[1], "Done: pinned ") {
			t.Error(got[1])
		}
	})
}

func TestSendFileRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.write("a.txt", "hello")
		w.write(".env", "TOKEN=secret")
		w.write(".config/a.txt", "secret")
		secret := filepath.Join(t.TempDir(), "secret.txt")
		if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(w.files, "link.txt")); err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct{ name, in, want string }{
			{"nothing given", `{"type":"sendFile"}`, "channel: missing; filePath: missing"},
			{"blanks", `{"type":"sendFile","channel":"","filePath":" "}`, "channel: empty; filePath: empty"},
			{"a caption too long", `{"type":"sendFile","channel":"ops","filePath":"a.txt","content":"` + strings.Repeat("x", 2001) + `"}`, "content: has 2001 characters, must have at most 2000"},
			{"a file that is not there", `{"type":"sendFile","channel":"ops","filePath":"b.txt"}`, "I can't find the file `b.txt`"},
			{"another type", `{"type":"sendFile","channel":"ops","filePath":"b.exe"}`, "I don't send files like `b.exe`"},
			{"settings", `{"type":"sendFile","channel":"ops","filePath":".env"}`, "I don't send files like `.env`"},
			{"a hidden folder", `{"type":"sendFile","channel":"ops","filePath":".config/a.txt"}`, `".config" is hidden, and hidden files are not sent`},
			{"elsewhere", `{"type":"sendFile","channel":"ops","filePath":"` + secret + `"}`, "not in a folder that I may send files from; these are " + filepath.Base(w.files)},
			{"upwards", `{"type":"sendFile","channel":"ops","filePath":"../../etc/hosts.txt"}`, "not in a folder that I may send files from"},
			{"a link to elsewhere", `{"type":"sendFile","channel":"ops","filePath":"link.txt"}`, "not in a folder that I may send files from"},
			{"a forum", `{"type":"sendFile","channel":"ideas","filePath":"a.txt"}`, "<#{ideas}> is a forum channel"},
			{"no such channel", `{"type":"sendFile","channel":"basement","filePath":"a.txt"}`, `I can't see a channel #basement`},
		} {
			w.RequirePart("ada", tt.in, "Failed: sendFile: ", tt.want)
		}
		w.Offer(messaging.New(w.Bot, messaging.Options{Roots: []string{w.files}, MaxSize: func(g chat.GuildID) int {
			if g != w.GuildID() {
				t.Errorf("the limit of server %q was asked for", g)
			}
			return 4
		}}))
		w.Require("ada", `{"type":"sendFile","channel":"ops","filePath":"a.txt"}`, "Failed: sendFile: a.txt has 5 bytes, and this server takes files of at most 4")
		w.Offer(messaging.New(w.Bot, messaging.Options{}))
		w.Require("ada", `{"type":"sendFile","channel":"ops","filePath":"a.txt"}`, "Failed: sendFile: no folder is set up to send files from")
		w.requireTexts("#ops")
	})
}
