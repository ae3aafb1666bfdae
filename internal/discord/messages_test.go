package discord_test

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
)

func TestSendPostsAMessage(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		asked := b.MustSay("ada", "#general", "anyone?")
		id, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{
			Text:    "here",
			ReplyTo: asked.ID,
			Buttons: []chat.Button{{ID: "a", Label: "Yes"}, {ID: "b", Label: "No", Danger: true}},
			Files:   []chat.File{file("notes.txt", "first")},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := b.message(t, id)
		if got.Content != "here" || got.ReplyTo != asked.ID || len(got.Buttons()) != 2 || len(got.Attachments) != 1 {
			t.Errorf("message = %+v", got)
		}
		if a := got.Attachments[0]; a.Name != "notes.txt" || string(a.Data) != "first" {
			t.Errorf("attachment = %s %q", a.Name, a.Data)
		}
		if style := got.Buttons()[1].Style; style != 4 {
			t.Errorf("the dangerous button has style %d, want 4, which is red", style)
		}
	})
}

func TestAFilesNameCannotBreakTheUpload(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		id, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{
			Files: []chat.File{file("a\"b\r\n\r\nc.txt", "x")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.message(t, id).Attachments; len(got) != 1 || string(got[0].Data) != "x" || strings.ContainsAny(got[0].Name, "\r\n") {
			t.Errorf("attachments = %+v", got)
		}
	})
}

func TestButtonsBeyondFiveGetAnotherRow(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		var buttons []chat.Button
		for _, id := range strings.Split("abcdefg", "") {
			buttons = append(buttons, chat.Button{ID: id, Label: id})
		}
		id, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "pick", Buttons: buttons})
		if err != nil {
			t.Fatal(err)
		}
		if rows := b.message(t, id).Components; len(rows) != 2 || len(rows[0].Components) != 5 || len(rows[1].Components) != 2 {
			t.Errorf("rows = %+v", rows)
		}
	})
}

func TestAReplyToADeletedMessageIsStillSent(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		asked := b.MustSay("ada", "#general", "anyone?")
		if err := b.client.Delete(t.Context(), b.ChannelID("general"), asked.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: "here", ReplyTo: asked.ID}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"here"}, b.texts("#general")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestBadMessagesAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		eleven := make([]chat.File, 11)
		for i := range eleven {
			eleven[i] = file("f", "x")
		}
		broken := chat.File{Name: "gone.txt", Open: func() (io.ReadCloser, error) { return nil, errors.New("no such file") }}
		send := func(m chat.Outgoing) error {
			_, err := b.client.Send(t.Context(), ch, m)
			return err
		}
		for _, tt := range []struct {
			name string
			do   func() error
			want string
		}{
			{"too long", func() error { return send(chat.Outgoing{Text: strings.Repeat("a", 2001)}) }, "2001 characters"},
			{"too long in UTF-16", func() error { return send(chat.Outgoing{Text: strings.Repeat("🔥", 1001)}) }, "2002 characters"},
			{"empty", func() error { return send(chat.Outgoing{Text: " \n"}) }, "needs text or a file"},
			{"too many files", func() error { return send(chat.Outgoing{Files: eleven}) }, "11 files"},
			{"a file that cannot be opened", func() error { return send(chat.Outgoing{Files: []chat.File{broken}}) }, "open gone.txt"},
			{"a file that is too large", func() error {
				return send(chat.Outgoing{Files: []chat.File{file("big.bin", strings.Repeat("x", 10<<20+1))}})
			}, "big.bin is larger than the 10 MiB"},
			{"an edit that is too long", func() error {
				return b.client.Edit(t.Context(), ch, "123456789012345678", chat.Outgoing{Text: strings.Repeat("a", 2001)})
			}, "2001 characters"},
			{"an edit with files", func() error {
				return b.client.Edit(t.Context(), ch, "123456789012345678", chat.Outgoing{Files: eleven[:1]})
			}, "cannot add files"},
			{"too many to delete", func() error { return b.client.BulkDelete(t.Context(), ch, make([]chat.MessageID, 101)) }, "101 messages"},
		} {
			if err := tt.do(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error %v, want something about %q", tt.name, err, tt.want)
			}
		}
		if got := b.requests(); len(got) != 0 {
			t.Errorf("requests were made: %q", got)
		}
	})
}

func TestInvalidIDsAreRefusedWithoutARequest(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		for _, id := range []chat.MessageID{
			"", "last", "1/threads", "../../../guilds/1", "..", "1?x=y", "1#x", "1%2F2", " 1", "pins/1", "bulk-delete",
		} {
			if err := b.client.Delete(t.Context(), ch, id); !errors.Is(err, discord.ErrNotFound) {
				t.Errorf("delete %q: %v", id, err)
			}
		}
		for _, e := range []chat.Emoji{"", ".", ".."} {
			if err := b.client.React(t.Context(), ch, "123456789012345678", e); !errors.Is(err, discord.ErrNotFound) {
				t.Errorf("react with %q: %v", e, err)
			}
		}
		for _, id := range []chat.ChannelID{"", "general", "1/../2", "1?"} {
			if _, err := b.client.Send(t.Context(), id, chat.Outgoing{Text: "hi"}); !errors.Is(err, discord.ErrNotFound) {
				t.Errorf("send to %q: %v", id, err)
			}
		}
		if _, err := b.client.MissingPermissions(t.Context(), b.GuildID(), "", ch, nil); !errors.Is(err, discord.ErrNotFound) {
			t.Errorf("rights of an empty user: %v", err)
		}
		if got := b.requests(); len(got) != 0 {
			t.Errorf("requests were made: %q", got)
		}
	})
}

func TestTheLongestTextIsAccepted(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		b.send(t, "general", strings.Repeat("🔥", 1000))
	})
}

func TestEditChangesOnlyTheGivenFields(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		id, err := b.client.Send(t.Context(), ch, chat.Outgoing{Text: "one", Buttons: []chat.Button{{ID: "a", Label: "A"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			edit    chat.Outgoing
			text    string
			buttons int
		}{
			{chat.Outgoing{Text: "two"}, "two", 1},
			{chat.Outgoing{Text: "three", Buttons: []chat.Button{{ID: "a", Label: "A"}, {ID: "b", Label: "B"}}}, "three", 2},
			{chat.Outgoing{Buttons: []chat.Button{}}, "three", 0},
		} {
			if err := b.client.Edit(t.Context(), ch, id, step.edit); err != nil {
				t.Fatal(err)
			}
			if m := b.message(t, id); m.Content != step.text || len(m.Buttons()) != step.buttons {
				t.Errorf("after %+v: %q with %d buttons, want %q with %d", step.edit, m.Content, len(m.Buttons()), step.text, step.buttons)
			}
		}
	})
}

func TestMessagesNotifyNoUser(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		ch, bob := b.ChannelID("general"), string(b.UserID("bob"))
		loud := "@everyone @here <@" + bob + "> <@&" + string(b.GuildID()) + ">"
		asked := b.MustSay("bob", "#general", "hello")
		id, err := b.client.Send(t.Context(), ch, chat.Outgoing{Text: loud, ReplyTo: asked.ID})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.client.Edit(t.Context(), ch, id, chat.Outgoing{Text: loud + "!"}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.client.Send(t.Context(), ch, chat.Outgoing{Text: loud, Files: []chat.File{file("a.txt", "a")}}); err != nil {
			t.Fatal(err)
		}
		if err := b.client.Replace(t.Context(), ch, id, chat.Outgoing{Text: loud + "?", Files: []chat.File{file("b.txt", "b")}}); err != nil {
			t.Fatal(err)
		}
		for _, m := range b.Messages("#general") {
			if len(m.Pings) > 0 {
				t.Errorf("%q notified %v", m.Content, m.Pings)
			}
		}
		for _, x := range b.Requests()[b.before:] {
			if x.Method != "POST" && x.Method != "PATCH" {
				continue
			}
			if got := jsonOf(t, x)["allowed_mentions"]; !cmp.Equal(got, map[string]any{"parse": []any{}}) {
				t.Errorf("%s sent allowed_mentions %v", x.Route, got)
			}
		}
	})
}

// TestAMessageNotifiesOnlyWhomItIsFor: what else its text mentions stays text.
func TestAMessageNotifiesOnlyWhomItIsFor(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember ada: owner\nmember bob\nbot DiscoClaw: Administrator\n", func(t *testing.T, b *bench) {
		ada, bob := b.UserID("ada"), b.UserID("bob")
		loud := "@everyone @here <@" + string(ada) + "> <@" + string(bob) + "> <@&" + string(b.GuildID()) + ">"
		id, err := b.client.Send(t.Context(), b.ChannelID("general"), chat.Outgoing{Text: loud, Mentions: []chat.UserID{bob}})
		if err != nil {
			t.Fatal(err)
		}
		if m := b.Messages("#general")[0]; !cmp.Equal(m.Pings, []chat.UserID{bob}) || m.MentionEveryone {
			t.Errorf("%q notified %v", m.Content, m.Pings)
		}
		if err := b.client.Edit(t.Context(), b.ChannelID("general"), id, chat.Outgoing{Text: loud + "!", Mentions: []chat.UserID{ada}}); err != nil {
			t.Fatal(err)
		}
		asked := []any{}
		for _, x := range b.Requests()[b.before:] {
			asked = append(asked, jsonOf(t, x)["allowed_mentions"])
		}
		want := []any{map[string]any{"parse": []any{}, "users": []any{string(bob)}}, map[string]any{"parse": []any{}}}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("allowed_mentions (-want +got):\n%s", diff)
		}
	})
}

func TestAPlainMessageHasNoUnneededFields(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		id := b.send(t, "general", "hi")
		if err := b.client.Edit(t.Context(), b.ChannelID("general"), id, chat.Outgoing{Text: "ho"}); err != nil {
			t.Fatal(err)
		}
		var fields [][]string
		for _, x := range b.Requests()[b.before:] {
			var names []string
			for name := range jsonOf(t, x) {
				names = append(names, name)
			}
			fields = append(fields, names)
		}
		want := [][]string{{"content", "nonce", "enforce_nonce", "allowed_mentions", "flags"}, {"content", "allowed_mentions"}}
		if diff := cmp.Diff(want, fields, sortStrings); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
	})
}

func TestDeleteRemovesAMessage(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		id := b.send(t, "general", "oops")
		if err := b.client.Delete(t.Context(), ch, id); err != nil {
			t.Fatal(err)
		}
		err := b.client.Delete(t.Context(), ch, id)
		if !errors.Is(err, discord.ErrNotFound) || !strings.Contains(b.named(err), "no such message in #general") {
			t.Errorf("deleting it again: %v", err)
		}
	})
}

func TestBulkDeleteTakesAnyNumberUpToAHundred(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		var ids []chat.MessageID
		for range 4 {
			ids = append(ids, b.MustSay("ada", "#general", "spam").ID)
		}
		for _, some := range [][]chat.MessageID{nil, ids[:1], ids[1:]} {
			if err := b.client.BulkDelete(t.Context(), ch, some); err != nil {
				t.Fatalf("delete %d messages: %v", len(some), err)
			}
		}
		if got := b.texts("#general"); len(got) != 0 {
			t.Errorf("left over: %q", got)
		}
		want := []string{
			"DELETE /channels/{channel}/messages/{message} 204",
			"POST /channels/{channel}/messages/bulk-delete 204",
		}
		if diff := cmp.Diff(want, b.requests()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
	})
}

func TestMessagesComeNewestFirst(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob", func(t *testing.T, b *bench) {
		ch := b.ChannelID("general")
		for _, text := range []string{"one", "two", "three"} {
			b.MustSay("bob", "#general", text)
		}
		all, err := b.client.Messages(t.Context(), ch, "", 50)
		if err != nil {
			t.Fatal(err)
		}
		earlier, err := b.client.Messages(t.Context(), ch, all[1].ID, 50)
		if err != nil {
			t.Fatal(err)
		}
		first, err := b.client.Messages(t.Context(), ch, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{textsOf(all), textsOf(earlier), textsOf(first)}
		if diff := cmp.Diff([][]string{{"three", "two", "one"}, {"one"}, {"three"}}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestMessageFillsAllFields(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general\nmember bob\nthread \"help me\" in #general", func(t *testing.T, b *bench) {
		thread := b.ChannelID("help me")
		first := b.MustSay("ada", "help me", "who?")
		said := b.MustSay("bob", "help me", "<@"+string(b.UserID("bot"))+"> look",
			fakediscord.Answering(first.ID), fakediscord.Attaching("a.png", "image/png", []byte("png")))
		got, err := b.client.Message(t.Context(), thread, said.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := chat.Message{
			ID:       said.ID,
			Place:    chat.Place{Guild: b.GuildID(), Channel: thread, Parent: b.ChannelID("general"), Message: said.ID},
			Author:   chat.User{ID: b.UserID("bob"), Name: "bob", Handle: "bob"},
			Text:     "<@" + string(b.UserID("bot")) + "> look",
			Sent:     said.Sent,
			ReplyTo:  first.ID,
			Mentions: []chat.UserID{b.UserID("bot")}, // and not ada, who is only replied to
			Attachments: []chat.Attachment{{
				Name: "a.png", Type: "image/png", Size: 3, URL: got.Attachments[0].URL,
			}},
		}
		if got.Answers == nil || got.Answers.ID != first.ID || got.Answers.Text != "who?" {
			t.Errorf("it answers %+v", got.Answers)
		}
		got.Answers = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestCrosspostPublishesOnce(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general news:announcement", func(t *testing.T, b *bench) {
		id := b.send(t, "news", "big")
		if err := b.client.Crosspost(t.Context(), b.ChannelID("news"), id); err != nil {
			t.Fatal(err)
		}
		if err := b.client.Crosspost(t.Context(), b.ChannelID("news"), id); err == nil || !strings.Contains(err.Error(), "published before") {
			t.Errorf("publishing again: %v", err)
		}
		plain := b.send(t, "general", "small")
		if err := b.client.Crosspost(t.Context(), b.ChannelID("general"), plain); err == nil || !strings.Contains(b.named(err), "#general") {
			t.Errorf("publishing in a text channel: %v", err)
		}
	})
}

var sortStrings = cmpopts.SortSlices(strings.Compare)

func file(name, content string) chat.File {
	return chat.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }}
}

func textsOf(list []chat.Message) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Text)
	}
	return out
}

// jsonOf is the JSON of a request, which uploads carry in a part of its own.
func jsonOf(t *testing.T, x fakediscord.Exchange) map[string]any {
	t.Helper()
	data := x.Request
	if kind, params, _ := mime.ParseMediaType(x.ContentType); kind == "multipart/form-data" {
		part, err := multipart.NewReader(strings.NewReader(string(data)), params["boundary"]).NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(part); err != nil {
			t.Fatal(err)
		}
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatalf("request of %s: %v", x.Route, err)
	}
	return fields
}
