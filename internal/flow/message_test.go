package flow

import (
	"slices"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/flow/pipeline"
)

// TestGuardsOfMessages: the order of the guards matters, since the first that objects decides what is logged and what
// people are told.
func TestGuardsOfMessages(t *testing.T) {
	f := New(Options{
		Access: access.Policy{
			Users: []chat.UserID{"ada", "bot"}, Bots: []chat.UserID{"friend"},
			Channels: access.List[chat.ChannelID]{Set: true, IDs: []chat.ChannelID{"2"}},
		},
		Commands:      commands.New(nil, nil),
		AddressedOnly: true,
	}, pipeline.Options{})
	var names []string
	for _, g := range f.messages.guards(messageWay) {
		names = append(names, g.Name)
	}
	if want := []string{
		"author", "own message", "other bot", "bot without a mention", "kind", "person", "place", "words kept back", "secret", "part", "addressed", "content",
	}; !slices.Equal(names, want) {
		t.Errorf("the guards are %q, want %q", names, want)
	}
	f.self.Become(chat.User{ID: "bot"})
	f.gather.CardEnded(chat.Place{Channel: "2", Message: "70"}, "Noted.", "", actions.Origin{}, nil)
	in, elsewhere := chat.Place{Guild: "1", Channel: "2"}, chat.Place{Guild: "1", Channel: "3"}
	friend, called := chat.User{ID: "friend", Bot: true}, []chat.UserID{"zed", "bot"}
	ada := chat.User{ID: "ada"}
	for _, tt := range []struct {
		name    string
		message chat.Message
		objects string // the guard; empty if none does
	}{
		{"a mention", chat.Message{Place: in, Author: ada, Text: "hi <@bot>", Mentions: called}, ""},
		{"a mention alone", chat.Message{Place: in, Author: ada, Text: "<@bot>", Mentions: called}, ""},
		{"a file without words, with a mention", chat.Message{Place: in, Author: ada, Text: "<@bot>", Mentions: called, Attachments: []chat.Attachment{{}}}, ""},
		{"a reply to the bot", chat.Message{Place: in, Author: ada, Text: "hi", ReplyTo: "1", Answers: &chat.Message{Author: chat.User{ID: "bot"}}}, ""},
		{"a reply to a message of the bot that did not come along", chat.Message{Place: in, Author: ada, Text: "hi", ReplyTo: "70"}, ""},
		{"a reply to somebody", chat.Message{Place: in, Author: ada, Text: "hi", ReplyTo: "1", Answers: &chat.Message{Author: ada}}, "addressed"},
		{"a reply to who knows what", chat.Message{Place: in, Author: ada, Text: "hi", ReplyTo: "71"}, "addressed"},
		{"talk", chat.Message{Place: in, Author: ada, Text: "hi"}, "addressed"},
		{"a command", chat.Message{Place: in, Author: ada, Text: "!help"}, ""},
		{"what looks like a command", chat.Message{Place: in, Author: ada, Text: "!sing"}, "addressed"},
		{"a direct message", chat.Message{Place: chat.Place{Channel: "77"}, Author: ada, Text: "hi"}, ""},
		{"in a thread of a listed channel", chat.Message{Place: chat.Place{Guild: "1", Channel: "9", Parent: "2"}, Author: ada, Text: "<@bot>", Mentions: called}, ""},
		{"the bot's own, even if it is on the list", chat.Message{Place: in, Author: chat.User{ID: "bot", Bot: true}, Text: "hi"}, "own message"},
		{"a notice about somebody on the list", chat.Message{Place: in, Author: ada, Text: "hi", System: true}, "kind"},
		{"a stranger", chat.Message{Place: in, Author: chat.User{ID: "zed"}, Text: "<@bot>", Mentions: called}, "person"},
		{"a stranger with nothing to say", chat.Message{Place: in, Author: chat.User{ID: "zed"}}, "person"},
		{"a stranger in another channel", chat.Message{Place: elsewhere, Author: chat.User{ID: "zed"}, Text: "hi"}, "person"},
		{"another channel", chat.Message{Place: elsewhere, Author: ada, Text: "<@bot>", Mentions: called}, "place"},
		{"another bot", chat.Message{Place: in, Author: chat.User{ID: "ada", Bot: true}, Text: "<@bot>", Mentions: called}, "other bot"},
		{"a bot on the list", chat.Message{Place: in, Author: friend, Text: "<@bot>", Mentions: called}, ""},
		{"a bot on the list that calls another", chat.Message{Place: in, Author: friend, Text: "@everyone <@zed>", Mentions: []chat.UserID{"zed"}}, "bot without a mention"},
		{"a bot on the list that replies", chat.Message{Place: in, Author: friend, Text: "hi", ReplyTo: "70"}, "bot without a mention"},
		{"a bot on the list whose words are kept back", chat.Message{Place: in, Author: friend, Mentions: called}, "bot without a mention"},
		{"a bot on the list in another channel", chat.Message{Place: elsewhere, Author: friend, Text: "<@bot>", Mentions: called}, "place"},
		{"a webhook that calls itself ada", chat.Message{Place: in, Author: ada, Webhook: true, Text: "hi"}, "author"},
		{"nobody", chat.Message{Place: in, Text: "hi"}, "author"},
		{"words that Discord keeps back", chat.Message{Place: in, Author: ada, Mentions: called}, "words kept back"},
		{"such words in another channel", chat.Message{Place: elsewhere, Author: ada, Mentions: called}, "place"},
		{"a sticker", chat.Message{Place: in, Author: ada, StickerNames: []string{"wave"}, ReplyTo: "70"}, ""},
		{"a sticker for nobody", chat.Message{Place: in, Author: ada, StickerNames: []string{"wave"}}, "addressed"},
		{"a forward in a direct message", chat.Message{Place: chat.Place{Channel: "77"}, Author: ada, Forwards: &chat.Message{Text: "hi"}}, ""},
		{"a forward of what is not known", chat.Message{Place: chat.Place{Channel: "77"}, Author: ada, Forwards: &chat.Message{}}, "content"},
		{"components of a new kind", chat.Message{Place: in, Author: ada, Mentions: called, Buttons: true}, "content"},
		{"a secret", chat.Message{Place: in, Author: ada, Text: "<@bot> !secrets KEY=1", Mentions: called}, "secret"},
		{"nothing", chat.Message{Place: in, Author: ada, Text: " \n", ReplyTo: "70"}, "content"},
		{"nothing for nobody", chat.Message{Place: in, Author: ada, Text: " \n"}, "addressed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			objects := ""
			for _, g := range f.messages.guards(messageWay) {
				if g.Objects(t.Context(), pipeline.Event[chat.Message]{Body: tt.message}) != access.Admitted {
					objects = g.Name
					break
				}
			}
			if objects != tt.objects {
				t.Errorf("%q objects, want %q", objects, tt.objects)
			}
		})
	}
}

func TestOnlyBotsNeedToMentionItUnlessAddressedOnly(t *testing.T) {
	f := New(Options{Access: access.Policy{Users: []chat.UserID{"ada"}, Bots: []chat.UserID{"friend"}}}, pipeline.Options{})
	f.self.Become(chat.User{ID: "bot"})
	for author, want := range map[chat.User]access.Refusal{
		{ID: "ada"}:               access.Admitted,
		{ID: "friend", Bot: true}: "a bot that does not mention this one",
	} {
		m := chat.Message{Place: chat.Place{Guild: "1", Channel: "2"}, Author: author, Text: "hi"}
		if got := f.messages.in.Objection(t.Context(), pipeline.Event[chat.Message]{Body: m}); got != want {
			t.Errorf("%s: %q, want %q", author.ID, got, want)
		}
	}
}
