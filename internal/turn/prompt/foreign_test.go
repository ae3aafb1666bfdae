package prompt_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/llm"
	"discoclaw/internal/turn/history"
	"discoclaw/internal/turn/prompt"
)

// foreign draws a text by others, in which there may be all markers, whole and in pieces.
func foreign(t *rapid.T, where string) string {
	pieces := append(dialect.Markers(), "<Discord-Action >", "< /discord-action>", "<", ">", "/", "discord-action", `{"type":"say"}`,
		"`", "```", "\n", " ", "word", "‹", "[", "]", ":", "_", "(")
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, where), "")
}

// foreignMessage is a message in which others wrote everything that there is to write.
func foreignMessage(t *rapid.T, deep bool) chat.Message {
	m := chat.Message{
		Author: chat.User{ID: "5", Name: foreign(t, "name"), Handle: foreign(t, "handle")}, Text: foreign(t, "text"), Webhook: rapid.Bool().Draw(t, "webhook"),
		Attachments: []chat.Attachment{{Name: foreign(t, "file name")}},
		Embeds:      []chat.Embed{{Title: foreign(t, "embed title"), URL: foreign(t, "embed address"), Description: foreign(t, "embed"), Footer: foreign(t, "footer"), Author: foreign(t, "embed author"), Fields: []chat.EmbedField{{Name: foreign(t, "field"), Value: foreign(t, "value")}}}},
		Poll:        &chat.Poll{Question: foreign(t, "poll"), Answers: []string{foreign(t, "answer")}},

		StickerNames: []string{foreign(t, "sticker")}, Components: foreign(t, "components"),
	}
	if deep {
		answers, forwards := foreignMessage(t, false), foreignMessage(t, false)
		answers.Forwards = &forwards
		m.Answers, m.Forwards = &answers, &forwards
	}
	return m
}

func foreignSaid(t *rapid.T) prompt.Said {
	return prompt.Said{Message: foreignMessage(t, true), Opened: chat.Opened{
		Pictures: []chat.Picture{{Name: foreign(t, "picture"), Answered: rapid.Bool().Draw(t, "answered")}},
		Texts:    []chat.Document{{Name: foreign(t, "document"), Text: foreign(t, "content")}},
		Notes:    []string{foreign(t, "note")},
	}}
}

// TestNothingForeignHasMarkers: whatever others write in whatever place that reaches a prompt, no
// marker is whole there. With a gate that is closed there is no teaching part, so none
// is whole anywhere but in the sentences of taught.
func TestNothingForeignHasMarkers(t *testing.T) {
	reg := actionstest.Registry(t, actionstest.Category{Called: "talk", List: []*actions.Action{actionstest.Define("say")}})
	closed := reg.Gate(nil)
	rapid.Check(t, func(rt *rapid.T) {
		s := prompt.Setting{
			Who:   prompt.Who{Bot: foreign(rt, "bot")},
			Where: prompt.Where{Channel: foreign(rt, "channel"), Parent: foreign(rt, "parent"), Around: chat.Surroundings{Threads: []chat.Channel{{ID: "9", Name: foreign(rt, "post"), Kind: chat.Thread, Parent: "8", AppliedTags: []string{"7"}}}}},
			Heard: prompt.Heard{Budget: 3000, History: []history.Line{
				{ID: "1", Author: foreign(rt, "author"), Text: foreign(rt, "line")}, {ID: "2", Mine: true, Text: foreign(rt, "own line"), Did: []string{foreign(rt, "did")}},
				{ID: "3", Mine: true, Text: foreign(rt, "card"), Card: "rejected by " + foreign(rt, "who")},
			}, NamedChannels: []prompt.NamedChannel{{Channel: chat.Channel{ID: "8", Name: foreign(rt, "forum"), Kind: chat.Forum, Tags: []chat.Tag{{ID: "7", Name: foreign(rt, "tag")}}}, Lines: []history.Line{{ID: "4", Author: foreign(rt, "author elsewhere"), Text: foreign(rt, "line elsewhere")}}}}},
			Knowledge: prompt.Knowledge{Notes: []string{foreign(rt, "note")}},
			Gate:      closed,
			Handles:   &chat.Handles{},
		}
		said := foreignSaid(rt)
		for _, p := range []prompter{
			prompt.Message{Setting: s, Said: []prompt.Said{said, {Message: chat.Message{Text: foreign(rt, "words")}}}},
			prompt.Reaction{Setting: s, Said: said, By: said.Author, Emoji: chat.Emoji(foreign(rt, "emoji")), Question: foreign(rt, "question")},
			prompt.Reaction{Setting: s, Said: said, By: said.Author, Emoji: chat.Emoji(foreign(rt, "emoji"))},
			prompt.Deferred{Setting: s, By: said.Author, Words: foreign(rt, "words")},
			prompt.Cron{
				Setting: s, Name: foreign(rt, "job"), ChannelN: foreign(rt, "its channel"), By: said.Author, Silent: true,
				State: json.RawMessage(foreign(rt, "state")), Words: "Look.", Given: prompt.Called(foreign(rt, "call")),
			},
		} {
			req := first(t, p)
			requireNoMarkers(rt, req)
			const own = "<discord-action>own</discord-action>"
			next := s.Next(req, answered(own), actions.Failure, foreignRound(rt), true)
			next.Messages[1].Text = strings.ReplaceAll(next.Messages[1].Text, own, "")
			requireNoMarkers(rt, next)
			requireNoMarkers(rt, s.Next(withFunctions(req), called("1", "2", "3", "4"), actions.Failure, foreignRound(rt), true))
		}
	})
}

// withFunctions is a request that could also be asked without functions.
func withFunctions(req llm.Request) llm.Request {
	plain := req
	req.Plain = &plain
	return req
}

// called is an answer with calls of these IDs.
func called(ids ...string) llm.Message {
	m := llm.Message{Role: llm.Assistant}
	for _, id := range ids {
		m.Calls = append(m.Calls, llm.ToolCall{ID: id, Name: "say"})
	}
	return m
}

// foreignRound has the results of two calls, 1 and 2, and of one that could not be read, 3, besides those of blocks.
func foreignRound(t *rapid.T) actions.Round {
	return actions.Round{
		Outcomes: []actions.Outcome{
			{Request: actions.Request{Calls: []string{"1"}}, Action: actionstest.Define("say"), Result: actions.Result{Summary: foreign(t, "result")}},
			{Request: actions.Request{Calls: []string{"2"}}, Action: actionstest.Define("say"), Result: actions.Result{Found: foreign(t, "found") + " (id:7)", Shows: []chat.Place{{Channel: "1", Message: "7"}}}},
			{Request: actions.Request{Type: foreign(t, "type")}, Err: errors.New(foreign(t, "error"))},
		},
		Stripped:  []string{foreign(t, "stripped")},
		Malformed: []actions.Malformed{{Detail: foreign(t, "detail")}, {Detail: foreign(t, "detail of a call"), Call: "3"}},
	}
}

func requireNoMarkers(t *rapid.T, req llm.Request) {
	texts := []string{req.System}
	for _, m := range req.Messages {
		texts = append(texts, m.Text)
		for _, r := range m.Results {
			texts = append(texts, r.Text)
		}
	}
	for _, text := range texts {
		bare := strings.ReplaceAll(taught.Replace(text), "{", "x") // an object is broken if the text around it has certain words
		if _, state, bad := cron.TakeState(bare); state != nil || bad || dialect.Defuse(bare) != bare {
			t.Fatalf("a marker is whole in\n%s", text)
		}
	}
}

// taught removes what prompts themselves say about markers.
var taught = strings.NewReplacer("exactly HEARTBEAT_OK", "", "reply HEARTBEAT_OK", "", "in <cron-state>{…}</cron-state>", "")

// TestTheAuthorOfAJobMaySpeakOfItsMarkers: they are part of how its prompt says what to keep, and when to be silent.
func TestTheAuthorOfAJobMaySpeakOfItsMarkers(t *testing.T) {
	t.Parallel()
	const words = "Keep the count in <cron-state>. If it is 0, answer HEARTBEAT_OK."
	req := first(t, prompt.Cron{Words: words + "<discord-action>"})
	if !strings.Contains(req.Messages[0].Text, words+"‹discord-action>") {
		t.Errorf("%s", req.Messages[0].Text)
	}
}

// TestNothingNamedIsAnOrder: a name does not mark a turn as one that has read outside text. So no name in a prompt is long,
// or has an object that a model could put between markers.
func TestNothingNamedIsAnOrder(t *testing.T) {
	t.Parallel()
	name := `{"type":"ban"}` + strings.Repeat("n", 200)
	who := chat.User{ID: "5", Name: name, Handle: "h" + name}
	s := prompt.Setting{
		Who: prompt.Who{Bot: "b" + name},
		Where: prompt.Where{Channel: name, Parent: name, Around: chat.Surroundings{
			Name: name, Roles: []string{name}, Members: 9, People: []chat.Person{{Member: chat.Member{User: who}, RoleNames: []string{name}}},
			Channels: []chat.Channel{{ID: "1", Name: name, Kind: chat.TextChannel, Parent: "2"}, {ID: "2", Name: name, Kind: chat.CategoryKind}},
			Threads:  []chat.Channel{{ID: "4", Name: name, Kind: chat.Thread, Parent: "3", AppliedTags: []string{"5"}}},
		}},
		Heard:   prompt.Heard{Budget: 3000, RecallBudget: 3000, NamedChannels: []prompt.NamedChannel{{Channel: chat.Channel{ID: "3", Name: name, Kind: chat.Forum, Tags: []chat.Tag{{ID: "5", Name: name}}}}}, History: []history.Line{{ID: "1", Author: name, Who: "5", Text: "hi"}}, Recalled: []prompt.Recalled{{Author: name, Channel: name, Text: "long ago"}}},
		Handles: &chat.Handles{},
	}
	said := prompt.Said{Message: chat.Message{Author: who, Text: "<@5>", Answers: &chat.Message{Author: chat.User{ID: "6", Name: name}}}}
	for _, p := range []prompter{
		prompt.Message{Setting: s, Said: []prompt.Said{said, said}},
		prompt.Reaction{Setting: s, Said: said, By: who, Emoji: chat.Emoji(name + ":7")},
		prompt.Deferred{Setting: s, By: who, Words: "go on"},
	} {
		req := first(t, p)
		text := req.System + req.Messages[0].Text
		if strings.Contains(text, `{"`) || strings.Contains(text, strings.Repeat("n", 100)) || strings.Count(text, `❴"`) < 8 {
			t.Errorf("a name is as it was chosen:\n%s", text)
		}
	}
}

// TestTitlesOfPostsMayBeOutsideText, wherever a prompt quotes them: in a list, as the place of the turn, and beside an old message.
func TestTitlesOfPostsMayBeOutsideText(t *testing.T) {
	t.Parallel()
	post := chat.Channel{ID: "9", Name: "ban zed", Kind: chat.Thread, Parent: "8"}
	for name, s := range map[string]prompt.Setting{
		"a list": {Where: prompt.Where{Around: chat.Surroundings{Threads: []chat.Channel{post}}},
			Heard: prompt.Heard{NamedChannels: []prompt.NamedChannel{{Channel: chat.Channel{ID: "8", Name: "tasks", Kind: chat.Forum}}}}},
		"its own thread":  {Where: prompt.Where{Channel: post.Name, Parent: "tasks", Here: post.ID}},
		"an old message":  {Heard: prompt.Heard{Recalled: []prompt.Recalled{{Channel: post.Name, Text: "long ago"}}, RecallBudget: 1000}},
		"nothing like it": {Where: prompt.Where{Channel: "general"}},
	} {
		s.Outside, s.Source = new(chat.Reading), func(chat.Message) chat.Sources { return "" }
		s.Titles = func(text string) (of chat.Sources) {
			if strings.Contains(text, post.Name) {
				of = "a message"
			}
			return of
		}
		first(t, prompt.Message{Setting: s, Said: []prompt.Said{{Message: chat.Message{Text: "hi"}}}})
		if marked := s.Outside.All() != ""; marked != (name != "nothing like it") {
			t.Errorf("%s: %v", name, marked)
		}
	}
}
