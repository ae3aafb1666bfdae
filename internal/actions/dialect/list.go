package dialect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
)

// A Dialect is a spelling that a turn understands.
type Dialect struct {
	Pass
	// Teach says in a paragraph how a model writes it, with what the gate lets through. It
	// may be nil: the dialect is then understood without being taught, as blocks is here,
	// which the list of actions teaches.
	Teach func(g actions.Gate) string
}

// A List is what one turn understands. Where two dialects claim the same text, the
// earlier one has it. The empty list is blocks alone.
type List []Dialect

// Parser returns the parser of a turn with that gate.
func (l List) Parser(g actions.Gate) *Parser {
	if len(l) == 0 {
		return New(g.Accepts, Blocks()).WithCapsules()
	}
	passes := make([]Pass, len(l))
	for i, d := range l {
		passes[i] = d.Pass
	}
	return New(g.Accepts, passes...).WithCapsules()
}

// Without returns the list without the dialect of a name.
func (l List) Without(name string) List {
	return slices.DeleteFunc(slices.Clone(l), func(d Dialect) bool { return d.Name() == name })
}

// asExample stands below what is taught.
const asExample = "People do not see what you write in these forms; to show them one, put it in code."

// Teach is what a prompt says about the dialects, below the list of actions.
func (l List) Teach(g actions.Gate) string {
	var taught []string
	for _, d := range l {
		if d.Teach == nil {
			continue
		}
		if text := d.Teach(g); text != "" {
			taught = append(taught, text)
		}
	}
	if taught == nil {
		return ""
	}
	return strings.Join(append(taught, asExample), "\n\n")
}

// Options say which dialects a bot understands besides blocks. The zero value is the default, without envelopes.
type Options struct {
	// Setting lists dialects by their names, with commas; "all" and "none" are known too. Those that are listed are also
	// taught. If it is empty, all but the envelope are understood and none is taught, so that prompts stay small.
	Setting string
	// Position of directives: "start", which is the default, or "anywhere".
	Position string
	// Like is the emoji of [LIKE] and LIKE. The default is 👍.
	Like string
	// Named finds the action that a name means, as [actions.Registry.Named] does. The envelope needs it.
	Named func(name string) (exact string, ok bool)
}

// understood are the dialects by default.
var understood = []string{directiveDialect, signalDialect, keywordDialect}

// Names are the dialects that a setting may list.
var Names = append(slices.Clone(understood), EnvelopeName)

// List returns the dialects, or says what is wrong with the options.
func (o Options) List() (List, error) {
	names, err := o.names()
	if err != nil {
		return nil, err
	}
	anywhere := o.Position == "anywhere"
	like := cmp.Or(Emoji(o.Like), "👍")
	passes := map[string]Dialect{
		directiveDialect: {Pass: Directives(anywhere), Teach: teachDirectives(anywhere)},
		signalDialect:    {Pass: Signals(), Teach: teachSignals},
		keywordDialect:   {Pass: Keywords(like), Teach: teachKeywords},
		EnvelopeName:     {Pass: Envelope(o.Named, like), Teach: teachEnvelope},
	}
	list := List{{Pass: Blocks()}}
	for _, name := range []string{EnvelopeName, directiveDialect, signalDialect, keywordDialect} { // the order in which they take text
		if !slices.Contains(names, name) {
			continue
		}
		d := passes[name]
		if fold(o.Setting) == "" {
			d.Teach = nil
		}
		list = append(list, d)
	}
	if slices.Contains(names, EnvelopeName) {
		return list, checkNames(o.Named)
	}
	return list, nil
}

// names are the dialects of the setting.
func (o Options) names() (names []string, err error) {
	switch fold(o.Setting) {
	case "":
		return understood, nil
	case "all":
		return Names, nil
	case "none":
		return nil, nil
	}
	for name := range strings.SplitSeq(o.Setting, ",") {
		switch name = fold(name); {
		case slices.Contains(Names, name):
			names = append(names, name)
		case name != "" && name != blockDialect: // blocks are always understood
			return nil, fmt.Errorf("there is no dialect %q; write all, none, or some of %s", name, strings.Join(Names, ", "))
		}
	}
	return names, nil
}

func fold(setting string) string { return strings.ToLower(strings.Join(strings.Fields(setting), "")) }

// taught is what a form asks for. A form without an action is about the reply itself.
type taught struct{ form, needs string }

// usable returns the forms whose action may run.
func usable(g actions.Gate, forms []taught) (list []string) {
	for _, f := range forms {
		if f.needs == "" || g.Verdict(f.needs).Decision == actions.Allowed {
			list = append(list, "`"+f.form+"`")
		}
	}
	return list
}

var taughtDirectives = []taught{
	{`<react emoji="eyes"/>`, "react"}, {`<send-file path="…" caption="…"/>`, "sendFile"},
	{`<send-message channel="name">…</send-message>`, "sendMessage"}, {`<voice>…</voice>`, voiceType},
}

func teachDirectives(anywhere bool) func(actions.Gate) string {
	return func(g actions.Gate) string {
		const silent = "If silence is better than a reply, write `<no-reply/>` and nothing else."
		tags := usable(g, taughtDirectives)
		if len(tags) == 0 {
			return silent
		}
		where := "At the very beginning of a reply"
		if anywhere {
			where = "In a reply"
		}
		return where + " you may write `<actions>…</actions>`, with any of these in it: " + strings.Join(tags, ", ") +
			". Without `message=\"ID\"`, the reaction is to the message that you answer. " + silent
	}
}

var taughtSignals = []taught{
	{"[SEARCH:query]", "webSearch"}, {"[SEARCH_EPISODIC:query]", "memorySearch"}, {"[REMEMBER:fact]", "memoryRemember"},
	{"[FORGET_THIS:fact]", "memoryForget"}, {"[CORRECT:old=>new]", "memoryForget"}, {"[CALCULATE:expression]", "calculate"},
	{"[REQUEST_TIER:1-3:what]", "memoryTier"}, {"[COMMAND:summarize_conversation]", "conversationSummary"},
}

func teachSignals(g actions.Gate) string {
	forms := usable(g, taughtSignals)
	if len(forms) == 0 {
		return ""
	}
	text := "Anywhere in a reply you may write signals: " + strings.Join(forms, ", ") + "."
	if slices.Contains(forms, "`[CALCULATE:expression]`") {
		text += " CALCULATE is replaced by its value."
	}
	if slices.Contains(forms, "`[SEARCH:query]`") {
		text += " SEARCH replaces the reply: you are asked again, with what was found."
	}
	return text
}

var taughtKeywords = []taught{{"[LIKE]", "react"}, {"[RETWEET]", "crosspost"}, {"[IGNORE]", ""}, {"[STOP]", ""}}

func teachKeywords(g actions.Gate) string {
	forms := usable(g, taughtKeywords)
	if len(g.Allowed()) > 0 {
		forms = append(forms, "`[QUOTE]`")
	}
	text := "Keywords stand on a line of their own: " + strings.Join(forms, ", ") + "."
	if slices.Contains(forms, "`[LIKE]`") {
		text += " LIKE reacts to the message that you answer."
	}
	return text + " IGNORE alone posts nothing; use it for what is not meant for you. STOP makes you silent here until you are addressed."
}

func teachEnvelope(g actions.Gate) string {
	names := []string{"NONE", "IGNORE", "CONTINUE", "STOP"}
	for _, a := range g.Allowed() {
		names = append(names, a.Name)
	}
	return "A whole reply may be one JSON object and nothing else: `" + `{"user":"your name","text":"what people read","action":"NAME","params":{}}` +
		"`. NAME is one of " + strings.Join(names, ", ") + ", and params has its fields. For several, write `" + `"actions":["A","B"],"params":{"A":{},"B":{}}` +
		"` instead. text may be empty; NONE is only text, IGNORE without text posts nothing, CONTINUE gives you another turn, and STOP makes you silent here until you are addressed."
}
