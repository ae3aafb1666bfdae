package commands_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
)

// An order is the input of the actions of a desk.
type order struct {
	ID    string             `json:"id" word:"first" doc:"Which."`
	Title string             `json:"title,omitempty" word:"text" doc:"What."`
	Notes string             `json:"notes,omitempty" word:"lines" doc:"More."`
	Rank  schema.Opt[int]    `json:"rank,omitzero" word:"p" doc:"How urgent." min:"0" max:"4"`
	Due   schema.Opt[string] `json:"due,omitzero" word:"due:" doc:"When."`
	Who   string             `json:"who,omitempty" word:"@,<@" doc:"Who."`
	Tags  []string           `json:"tags,omitempty" word:"#" doc:"Tags."`
}

// An offer has no words with signs.
type offer struct {
	Text string `json:"text" word:"text" doc:"What."`
}

type nothing struct{}

// A desk answers with what it is asked for.
type desk struct{}

func (desk) Fields(typ string) []schema.Field {
	t, err := schema.Of(map[string]reflect.Type{"order": reflect.TypeFor[order](), "offer": reflect.TypeFor[offer](), "rest": reflect.TypeFor[nothing]()}[typ])
	if err != nil {
		panic(err)
	}
	return t.Fields
}

func (desk) Act(_ context.Context, _ chat.Message, r commands.Request) (string, error) {
	return string(r.Args), nil
}

func TestVerbs(t *testing.T) {
	t.Parallel()
	table := commands.New(func(context.Context, chat.Message) bool { return true }, desk{}, commands.Command{
		Name: "desk", Summary: "Order and offer.", Options: []commands.Option{{Name: commands.What, Summary: "What to do."}},
		Verbs: []commands.Verb{
			{Name: "rest", Type: "rest", Given: map[string]any{"limit": 2}},
			{Name: "order", Type: "order", Missing: "Say which.", Example: "!desk order 7 tea", Tidy: func(text string) (string, error) { return strings.ReplaceAll(text, "mine", "@me"), nil }},
			{Name: "offer", Type: "offer", Missing: "Say what."},
			{Name: "hello", Run: answering("hello ")},
		},
	})
	for _, tt := range []struct{ args, want string }{
		{"", `{"type":"rest","limit":2}`},
		{"REST", `{"type":"rest","limit":2}`},
		{"rest a while", "I did not understand “a while”.\nUsage: `!desk [rest | order | offer | hello]`"},
		{"dance", "I know rest, order, offer, hello.\nUsage: `!desk [rest | order | offer | hello]`"},
		{"order", "Say which.\nFor example: `!desk order 7 tea`"},
		{"order 7", `{"type":"order","id":"7"}`},
		{"order 7 green tea p1 DUE:2027-05-01 #a #b @ada\nhot\nand strong", `{"type":"order","due":"2027-05-01","id":"7","notes":"hot\nand strong","rank":1,"tags":["a","b"],"title":"green tea","who":"@ada"}`},
		{"order 7 p9 p1x #1 @ pot", `{"type":"order","id":"7","title":"p9 p1x #1 @ pot"}`},
		{"order 7 due:none @me", `{"type":"order","due":"","id":"7","who":"1"}`},
		{"order 7 mine", `{"type":"order","id":"7","who":"1"}`},
		{"order 7 <@12> @Nobody", `{"type":"order","id":"7","who":""}`},
		{"order 7 <@12>", `{"type":"order","id":"7","who":"<@12>"}`},
		{"offer a\nb  c", `{"type":"offer","text":"a\nb  c"}`},
		{"hello you", "hello you"},
	} {
		c, _, _ := table.Find("!desk")
		got, err := table.Answer(t.Context(), c, chat.Message{Author: chat.User{ID: operator}}, tt.args)
		if got != tt.want || err != nil {
			t.Errorf("%q is answered with %q, %v, want %q", tt.args, got, err, tt.want)
		}
	}
	if got := table.Menu().Entries[0].Options[0].Choices; strings.Join(got, " ") != "rest order offer hello" {
		t.Errorf("the menu offers %q", got)
	}
}
