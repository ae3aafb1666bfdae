package dialect_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
)

// bangs is a dialect of one word: every "!name!" asks for that action.
type bangs struct{ name string }

func (bangs) Name() string { return "bangs" }

func (p bangs) Find(r *dialect.Reply) []dialect.Region {
	var found []dialect.Region
	mark := "!" + p.name + "!"
	for at := 0; ; {
		i := strings.Index(r.Text[at:], mark)
		if i < 0 {
			return found
		}
		at += i + len(mark)
		found = append(found, dialect.Region{Span: dialect.Span{Start: at - len(mark), End: at}, Request: &actions.Request{Type: p.name}})
	}
}

func (p bangs) Preview(r *dialect.Reply) ([]dialect.Region, int) { return p.Find(r), len(r.Text) }

func TestDialectsShareAReply(t *testing.T) {
	blocks, act := dialect.Dialect{Pass: dialect.Blocks()}, dialect.Dialect{Pass: bangs{"act"}}
	reg := actionstest.Registry(t, actionstest.Category{Called: "c", List: []*actions.Action{actionstest.Define("act"), actionstest.Define("look")}})
	const look = actions.BlockOpen + `{"type":"look"}` + actions.BlockClose
	const both = actions.BlockOpen + `{"type":"look","about":"!act!"}` + actions.BlockClose
	for _, tt := range []struct {
		name, in string
		list     dialect.List
		want     string // the requests, then the text
	}{
		{"blocks by default", "a !act! b " + look + " c", nil, "look: a !act! b  c"},
		{"in source order", "!act! a " + look + " b !act! c", dialect.List{blocks, act}, "act look act: a  b  c"},
		{"in source order, whatever theirs", "!act! a " + look + " b !act! c", dialect.List{act, blocks}, "act look act: a  b  c"},
		{"the earlier one has it", "a " + both + " !act!", dialect.List{blocks, act}, "look act: a"},
		{"also if it is the smaller", "!act! " + both, dialect.List{act, blocks}, "act act: " + strings.Replace(both, "!act!", "", 1)},
		{"without blocks", "!act! " + look, dialect.List{act}, "act: " + look},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.list.Parser(reg.Gate(actionstest.Open(reg)))
			parsed := p.Parse(tt.in)
			var types []string
			for _, r := range parsed.Requests {
				types = append(types, r.Type)
			}
			if diff := cmp.Diff(tt.want, strings.Join(types, " ")+": "+parsed.Text); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestOnlyWhatTeachesIsTaught(t *testing.T) {
	says := func(text string) func(actions.Gate) string { return func(actions.Gate) string { return text } }
	list := dialect.List{{Pass: dialect.Blocks()}, {Teach: says("One.")}, {Teach: says("")}, {Teach: says("Two.")}}
	if got := list.Teach(actions.Gate{}); !strings.HasPrefix(got, "One.\n\nTwo.\n\nPeople") {
		t.Errorf("taught is %q", got)
	}
	if got := dialect.List(nil).Teach(actions.Gate{}); got != "" {
		t.Errorf("taught by default is %q", got)
	}
}
