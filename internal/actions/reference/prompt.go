// Package reference renders the documentation of actions: a prompt for the model, and a
// page for people.
//
// Nothing here is written by hand for a particular action; all of it comes from
// the action's struct and Spec.
package reference

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// Blocks is what a prompt says about actions to a model that writes them as blocks: how to do that, the rules, the signature of every
// action that may run, and the names of the rare ones. It is the same in every turn with the same gate, so that a provider can cache it,
// and empty if nothing may run. Once says that a model gets no results, so that it can look nothing up: then nothing is left out.
func Blocks(g actions.Gate, once bool) string {
	allowed := g.Allowed()
	if len(allowed) == 0 {
		return ""
	}
	var named []string
	if once {
		allowed = slices.DeleteFunc(allowed, func(a *actions.Action) bool { return a.Helps })
	} else {
		named = rare(allowed)
	}
	lists := map[string][]string{}
	for _, a := range allowed {
		if !slices.Contains(named, a.Name) {
			heading := headingOf(a)
			lists[heading] = addSignature(lists[heading], a, once)
		}
	}
	parts := []string{howTo(g, once)}
	for _, heading := range []string{lookUp, do, asksFirst} {
		if len(lists[heading]) > 0 {
			parts = append(parts, heading+"\n"+strings.Join(lists[heading], "\n"))
		}
	}
	if len(named) > 0 {
		parts = append(parts, rarely+"\n"+strings.Join(named, ", "))
	}
	return strings.Join(append(parts, switchedOff(g)...), "\n\n")
}

// fewRare is how many rare actions have signatures. A gate with no more is that of a job with a list of actions, which names them.
const fewRare = 3

// rare names the actions that have no signature.
func rare(allowed []*actions.Action) (names []string) {
	for _, a := range allowed {
		if a.Rare {
			names = append(names, a.Name)
		}
	}
	if len(names) <= fewRare {
		return nil
	}
	return names
}

// switchedOff names the categories that are off, if there are any.
func switchedOff(g actions.Gate) []string {
	off := g.SwitchedOff()
	if len(off) == 0 {
		return nil
	}
	return []string{"Switched off here: " + strings.Join(off, ", ") + "."}
}

// The headings of the list.
const (
	lookUp    = "LOOK UP"
	do        = "DO"
	asksFirst = "ASKS FIRST (Approve/Reject card; do not ask yourself)"
	rarely    = "RARE"
)

func headingOf(a *actions.Action) string {
	switch {
	case a.Effect == actions.Queries:
		return lookUp
	case a.Destructive:
		return asksFirst
	}
	return do
}

// addSignature adds an action to a list. It shares a line with the one before it if both take the same and need no further words.
func addSignature(list []string, a *actions.Action, whole bool) []string {
	next := signature(a, whole)
	if len(list) == 0 || a.Brief != "" {
		return append(list, next)
	}
	last := &list[len(list)-1]
	names, fields, _ := strings.Cut(*last, "(")
	if _, same, _ := strings.Cut(next, "("); fields != same {
		return append(list, next)
	}
	*last = names + ", " + next
	return list
}

// signature names an action with its fields, and … for rare ones unless it is whole. Every turn pays for it, so its words are few.
func signature(a *actions.Action, whole bool) string {
	var fields []string
	more := false
	for _, f := range a.Fields() {
		if f.Rare && !whole {
			more = true
			continue
		}
		name := f.Name
		if !f.Required {
			name += "?"
		}
		switch values := strings.Join(f.Enum, "|"); {
		case values != "" && len(values) <= maxEnum:
			name += "=" + values
		case f.Default != "" && f.Default != "false":
			name += "=" + f.Default
		}
		fields = append(fields, name)
	}
	if more {
		fields = append(fields, "…")
	}
	return strings.TrimSpace(fmt.Sprintf("%s(%s) %s", a.Name, strings.Join(fields, ", "), a.Brief))
}

// maxEnum is how long a list of values may be in a signature.
const maxEnum = 40

// howTo is paid for with every turn. Each sentence answers a mistake that models make.
func howTo(g actions.Gate, once bool) string {
	only := "- Only the types and fields below exist."
	if !once {
		only += " actionHelp tells what … hides, and all about RARE types: look there first."
	}
	return "## Actions\n\nTo act, put blocks into your reply, one JSON object each, never in code or a quote. " + examples(g) + "\n\n" + only + ` Only x? may be left out; "" clears a field. Invent no ID.
` + values + `
- Blocks run top to bottom, also after a failure. Later ones can name what earlier ones made.
` + lookFirst + `
` + appears(g) + ` People see your text and a line for each thing done: say what you do, not that it worked, and nothing without its block.
` + rights + rules(g)
}

// rules are those of the categories that have them, a line each.
func rules(g actions.Gate) (lines string) {
	for c := range g.Sections() {
		if r, ok := c.(actions.Ruled); ok && r.Rule() != "" {
			lines += "\n- " + r.Rule()
		}
	}
	return lines
}

// Sentences that hold for blocks and for functions.
const (
	values    = `- channel, channelId, threadId, parent, role, userId, assignee, eventId, cronId, tagId, appliedTags: a name, mention or ID. messageId: the m2 before a message, ID, link, or "last" for your latest there. Times: 2027-05-01T18:00+02:00.`
	lookFirst = `- Do not know something? Look it up and wait: the result comes to you alone. Then answer in your own words.`
	rights    = `- You have the rights of whoever writes; after the name stand their roles, and what they may do here that not everyone may. If a right is missing, say which; do not try, nor try another way.`
)

// appears keeps models from sending their answers as messages, if they could.
func appears(g actions.Gate) string {
	if g.Verdict("sendMessage").Decision != actions.Allowed {
		return "- Your reply appears here by itself."
	}
	return "- Your reply appears here by itself; sendMessage is for other channels."
}

// examples are two whole replies, or any block where these could not be written.
func examples(g actions.Gate) string {
	for _, name := range []string{"channelCreate", "sendMessage", "pinMessage", "readMessages"} {
		if g.Verdict(name).Decision != actions.Allowed {
			return "Such as:\n\n" + Block(string(g.Allowed()[0].Examples()[0]))
		}
	}
	return `"Make #books in Projects and pin a welcome":

On it.
` + Block(`{"type":"channelCreate","name":"books","parent":"Projects"}`) + "\n" +
		Block(`{"type":"sendMessage","channel":"books","content":"Welcome!"}`) + "\n" +
		Block(`{"type":"pinMessage","channelId":"books","messageId":"last"}`) + `

"Pin Ada's last message in #help" takes two replies, as you do not see it yet. First
` + Block(`{"type":"readMessages","channel":"help"}`) + `
and once it is there as m5 or so, the pinMessage block.`
}

// Block is a request as a model writes it.
func Block(payload string) string { return actions.BlockOpen + payload + actions.BlockClose }

// Explain renders one action in detail.
func Explain(a *actions.Action) string { return explain(a, Block(string(a.Examples()[0]))) }

// Describe is Explain for the result of a query, in which the markers of blocks would be broken.
func Describe(a *actions.Action) string { return explain(a, string(a.Examples()[0])) }

func explain(a *actions.Action, example string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s\n", a.Name, a.Summary, example)
	writeFields(&b, a.Fields(), "  ")
	for _, note := range append(slices.Clone(a.Notes), provisos(a)...) {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// provisos say who may ask for an action, and that it waits for approval.
func provisos(a *actions.Action) (list []string) {
	if slices.Contains(a.Needs, chat.Operator) {
		list = append(list, "Only for those who run you.")
	}
	if a.Destructive {
		list = append(list, "It asks first, by a card: do not ask yourself.")
	}
	return list
}

func writeFields(b *strings.Builder, fields []schema.Field, indent string) {
	for _, f := range fields {
		fmt.Fprintf(b, "%s%s (%s): %s\n", indent, f.Name, conditions(f), f.Doc)
		writeFields(b, inner(f), indent+"  ")
	}
}

// inner are the fields of an object, or of the objects in a list.
func inner(f schema.Field) []schema.Field {
	if f.Kind == schema.List {
		return f.Item.Fields
	}
	return f.Fields
}

// conditions says whether a field is required and which values it takes.
func conditions(f schema.Field) string {
	parts := []string{"optional"}
	if f.Required {
		parts[0] = "required"
	}
	if limits := f.Limits(); limits != "" {
		parts = append(parts, limits)
	}
	if f.Default != "" {
		parts = append(parts, "default "+f.Default)
	}
	if f.Example != "" {
		parts = append(parts, "such as "+f.Example)
	}
	return strings.Join(parts, ", ")
}

// Functions is what a prompt says about actions if the model has them as functions, whose names, fields and
// descriptions travel beside it. It is the same in every turn with the same gate, and empty if nothing may run.
func Functions(g actions.Gate) string {
	allowed := g.Allowed()
	if len(allowed) == 0 {
		return ""
	}
	parts := []string{`## Actions

To act, call the functions you have been given.

- Only these functions and their fields exist. Invent no ID.
` + values + `
- Calls run in order, also after a failure. Later ones can name what earlier ones made, so that one reply can make a channel, write there, and pin that by "last".
` + lookFirst + `
- You are asked again only after a look-up or a failure: write beside your calls what people should read. Say what you do, not that it worked, and nothing without its call.
` + appears(g) + ` People see your text and a line for each thing done.
` + rights + rules(g)}
	var asks []string
	for _, a := range allowed {
		if headingOf(a) == asksFirst {
			asks = append(asks, a.Name)
		}
	}
	if len(asks) > 0 {
		parts = append(parts, asksFirst+"\n"+strings.Join(asks, ", "))
	}
	return strings.Join(append(parts, switchedOff(g)...), "\n\n")
}
