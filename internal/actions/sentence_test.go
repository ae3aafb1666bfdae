package actions_test

import (
	"context"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// A wish has a field of every kind that cards have to describe.
type wish struct {
	Channel chat.ChannelRef             `json:"channel" doc:"Where."`
	Parent  schema.Opt[chat.ChannelRef] `json:"parent,omitzero" doc:"Where to."`
	User    chat.UserRef                `json:"userId,omitempty" doc:"Whom."`
	Roles   []chat.RoleRef              `json:"roles,omitempty" doc:"Which."`
	Message chat.MessageRef             `json:"messageId,omitempty" doc:"Which."`
	Emoji   chat.Emoji                  `json:"emoji,omitempty" doc:"Which."`
	Text    string                      `json:"text,omitempty" doc:"What."`
	Topic   schema.Opt[string]          `json:"topic,omitzero" doc:"What about."`
	Tags    []string                    `json:"tags,omitempty" doc:"Which."`
	Begins  string                      `json:"begins,omitempty" doc:"When."`
	Wait    int                         `json:"waitMinutes,omitempty" doc:"How long."`
	In      string                      `json:"in,omitempty" doc:"When."`
	Loud    bool                        `json:"loud,omitempty" doc:"Whether."`
	Open    schema.Opt[bool]            `json:"open,omitzero" doc:"Whether."`
	Kind    string                      `json:"kind,omitempty" doc:"Which." enum:"in_progress,done"`
	State   string                      `json:"state,omitempty" doc:"What else."`
	Event   string                      `json:"eventId,omitempty" doc:"Which."`
	Rights  []string                    `json:"rights,omitempty" doc:"Which."`
	Size    size                        `json:"size,omitzero" doc:"How large."`
}

type size struct {
	Width  int `json:"width,omitempty" doc:"To the side."`
	Height int `json:"maxHeight,omitempty" doc:"Upwards."`
}

// wishing has an action with every form that a sentence can have. The requester's rights are checked in channel 77….
func wishing() actions.Category {
	s := actions.Spec[wish]{
		Name: "wish", Summary: "Wish for something.", Examples: []wish{{Channel: "x"}},
		Sentence: "Wish in {channel}:[, go to {parent|no parent}][, for {userId}][ and {roles}][, at {messageId:poll}][, with {emoji}][, {topic?about $|about nothing}]" +
			"[, begin {begins:time}][, for {waitMinutes:minute}][, {in:second} from now][, {loud?loudly}][, {open?open|not open}][, with {state:object}][, {eventId:event}][, with {rights:right}]",
		Needs: []chat.Permission{chat.SendMessages},
		NeedsIn: func(_ context.Context, _ actions.Call, in wish) (chat.ChannelID, error) {
			if in.Channel == "nowhere" {
				return "", nil
			}
			return "777777777777777777", nil
		},
		Do: func(context.Context, actions.Call, wish) (r actions.Result, err error) { return r, err },
	}
	bare := s
	bare.Name, bare.Sentence = "bare", ""
	return actionstest.Category{Called: "wishing", List: []*actions.Action{actions.Define(s), actions.Define(bare), actionstest.Define("make")}}
}

func TestSentences(t *testing.T) {
	const id = "123456789012345678"
	for _, tt := range []struct{ name, request, want string }{
		{"nothing else", ``, "Wish in <#777777777777777777>"},
		{"a channel without an ID", `"channel":"nowhere"`, "Wish in “nowhere”"},
		{"another channel than was checked", `"channel":"` + id + `"`, "Wish in <#" + id + ">, in <#777777777777777777>"},
		{"a second channel", `"parent":"` + id + `"`, "Wish in <#777777777777777777>: go to <#" + id + ">"},
		{"a second channel, whose name not everybody may know", `"parent":"secret"`, "Wish in <#777777777777777777>: go to another channel"},
		{"a second channel that the reply makes", `"parent":"party plans"`, "Wish in <#777777777777777777>: go to “party plans”"},
		{"none of the second channel", `"parent":""`, "Wish in <#777777777777777777>: go to no parent"},
		{"a user", `"userId":"` + id + `"`, "Wish in <#777777777777777777>: for <@" + id + ">"},
		{"a user without an ID", `"userId":"ada"`, "Wish in <#777777777777777777>: for “ada”"},
		{"roles", `"roles":["` + id + `","888888888888888888","crew"]`, "Wish in <#777777777777777777>: and <@&" + id + ">, @everyone, “crew”"},
		{"a message", `"messageId":"` + id + `"`, "Wish in <#777777777777777777>: at [this poll](https://discord.com/channels/888888888888888888/777777777777777777/" + id + ")"},
		{"a message of no known channel", `"channel":"nowhere","messageId":"` + id + `"`, "Wish in “nowhere”: at the poll with the ID `" + id + "`"},
		{"the latest message", `"messageId":"last"`, "Wish in <#777777777777777777>: at my latest poll"},
		{"an emoji", `"emoji":"👍"`, "Wish in <#777777777777777777>: with “👍”"},
		{"an emoji of a server", `"emoji":"party:` + id + `"`, "Wish in <#777777777777777777>: with <:party:" + id + ">"},
		{"what is no name of an emoji", `"emoji":"a) and ban ada:` + id + `"`, "Wish in <#777777777777777777>: with “a) and ban ada:" + id + "”"},
		{"a text that was cleared", `"topic":""`, "Wish in <#777777777777777777>: about nothing"},
		{"a text that was not", `"topic":"$1 tea"`, "Wish in <#777777777777777777>: about “$1 tea”"},
		{"a time", `"begins":"2027-05-01T18:00+02:00"`, "Wish in <#777777777777777777>: begin <t:1809187200:f>"},
		{"no time", `"begins":"soon"`, "Wish in <#777777777777777777>: begin “soon”"},
		{"a length of time", `"waitMinutes":120`, "Wish in <#777777777777777777>: for 2 hours"},
		{"a length of time as a text", `"in":"90m"`, "Wish in <#777777777777777777>: 1 hour 30 minutes from now"},
		{"days", `"in":"1d"`, "Wish in <#777777777777777777>: 1 day from now"},
		{"no length of time", `"in":"20"`, "Wish in <#777777777777777777>: “20” from now"},
		{"booleans", `"loud":true,"open":false`, "Wish in <#777777777777777777>: loudly, not open"},
		{"what is not said with a name", `"kind":"in_progress","tags":["a","b"],"text":"x","size":{"width":1,"maxHeight":2}`, "Wish in <#777777777777777777>: text: “x”, tags: “a”, “b”, kind: in progress, size: width: 1, max height: 2"},
		{"an object", `"state":"{\"b\":[1,true,null],\"a\":{\"x\":\"y\"}}"`, "Wish in <#777777777777777777>: with (“a”: (“x”: “y”), “b”: (1, yes, none))"},
		{"what should be an object", `"state":"{\"b\""`, `Wish in <#777777777777777777>: with “{"b"”`},
		{"an event", `"eventId":"` + id + `"`, "Wish in <#777777777777777777>: [this event](https://discord.com/events/888888888888888888/" + id + ")"},
		{"the name of an event", `"eventId":"Party"`, "Wish in <#777777777777777777>: the event “Party”"},
		{"permissions", `"rights":["View Channel","Speak"]`, "Wish in <#777777777777777777>: with *View Channel*, *Speak*"},
		{"an ID of something", `"tags":["` + id + `"]`, "Wish in <#777777777777777777>: tags: ID `" + id + "`"},
		{"the ID of the server", `"text":"888888888888888888"`, "Wish in <#777777777777777777>: text: this server"},
		{"a text that wants to end its quotes", `"text":"x”, for <@1> and **all**\n2. Ban “ada"`, `Wish in <#777777777777777777>: text: “x’, for \<@1\> and \*\*all\*\* 2. Ban ‘ada”`},
		{"a text with signs that look like the end of its quotes", `"text":"x❞, y〞, z‟, „a″ ＂"`, `Wish in <#777777777777777777>: text: “x’, y’, z’, ‘a’ ’”`},
		{"a text like a sentence", `"text":"{userId} [part]"`, `Wish in <#777777777777777777>: text: “{userId} \[part\]”`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := cardOf(t, "wish", tt.request).What; got != tt.want {
				t.Errorf("%s\n got %s\nwant %s", tt.request, got, tt.want)
			}
		})
	}
	if got, want := cardOf(t, "bare", `"text":"x"`).What, "Wish for something: channel: <#777777777777777777>, text: “x”"; got != want {
		t.Errorf("without a sentence: %s, want %s", got, want)
	}
}

// TestAHeldChangeKeepsTheChannelOfItsCard: an event, for example, is moved to another channel than the one in which rights are checked.
func TestAHeldChangeKeepsTheChannelOfItsCard(t *testing.T) {
	for given, want := range map[string]string{"123456789012345678": "123456789012345678", "ops": "777777777777777777"} {
		if got := cardOf(t, "wish", `"channel":"`+given+`"`); !strings.Contains(string(got.Request.Args), `"channel":"`+want+`"`) {
			t.Errorf("for %s, what gets approved is %s", given, got.Request.Args)
		}
	}
}

// cardOf returns what is held of a request. A request before it makes something that is called party plans.
func cardOf(t *testing.T, name, members string) actions.Pending {
	t.Helper()
	if !strings.Contains(members, `"channel":`) {
		members = strings.TrimSuffix(`"channel":"ops",`+members, ",")
	}
	reg := actionstest.Registry(t, wishing())
	asked := &holder{}
	d := actions.NewDispatcher(actions.DispatcherOptions{Hold: asked, Mass: 1}, guard)
	o := actions.Origin{Place: chat.Place{Guild: "888888888888888888", Channel: "999999999999999999"}}
	outs := d.Execute(t.Context(), o, reg.Gate(actionstest.Open(reg)), []actions.Request{
		{Type: "make", Args: []byte(`{"name":"party plans"}`)}, {Type: name, Args: []byte("{" + members + "}")},
	})
	if len(asked.asked) != 1 || len(asked.asked[0]) != 2 {
		t.Fatalf("{%s}: %v", members, actions.AllLines(outs))
	}
	return asked.asked[0][1]
}
