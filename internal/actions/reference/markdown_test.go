package reference

import (
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/schema"
	"discoclaw/internal/chat"
)

// Markdown renders the page that people read: every action the bot has, whether
// or not it is switched on.
func Markdown(reg *actions.Registry) string {
	var b strings.Builder
	b.WriteString("# Actions\n\n" +
		"<!-- Generated from the code: change it there, then run make golden. -->\n\n" +
		"Everything the model can ask the bot to do, by category. `" + actions.MasterSwitch + "=0` in the\n" +
		"environment turns all of it off. A *query* brings data back to the model; a *destructive* action\n" +
		"waits for a person's approval.\n\n" +
		"The permissions that an action needs are those of the person who asks, in the channel that it is about. In a thread, Send\n" +
		"Messages in Threads takes the place of Send Messages. Those that it may need depend on the request.\n")
	var last actions.Category
	for c, a := range reg.All() {
		if last == nil || last.Name() != c.Name() {
			writeCategory(&b, c)
			last = c
		}
		writeAction(&b, a)
	}
	return b.String()
}

func writeCategory(b *strings.Builder, c actions.Category) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", c.Name(), switchSentence(c.Flag()))
	var prose []string
	if d, ok := c.(actions.Documented); ok {
		prose = append(prose, d.ForReference())
	}
	if r, ok := c.(actions.Ruled); ok {
		prose = append(prose, r.Rule())
	}
	if len(prose) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(prose, " "))
	}
}

func switchSentence(f actions.Flag) string {
	switch {
	case f.Always:
		return "On whenever actions are."
	case f.Shares != "":
		return fmt.Sprintf("Switched together with %s.", f.Shares)
	}
	state := "off"
	if f.Default {
		state = "on"
	}
	sentence := fmt.Sprintf("Switch: `%s`, by default %s.", f.Env, state)
	if f.Part != "" {
		sentence += fmt.Sprintf(" For models alone; `%s` is for people as well.", f.Part)
	}
	for _, need := range f.Needs {
		sentence += fmt.Sprintf(" Also needs `%s`.", strings.Join(need.AnyOf, "` or `"))
	}
	return sentence
}

func writeAction(b *strings.Builder, a *actions.Action) {
	fmt.Fprintf(b, "\n### %s\n\n%s", a.Name, a.Summary)
	for _, note := range a.Notes {
		b.WriteString(" " + note)
	}
	var kinds []string
	if a.Effect == actions.Queries {
		kinds = append(kinds, "*Query.*")
	}
	if a.Destructive {
		kinds = append(kinds, "*Destructive.*")
	}
	if a.Helps {
		kinds = append(kinds, "On wherever another action is, whatever the switch says.")
	}
	kinds = append(kinds, needs(a)...)
	if len(kinds) > 0 {
		b.WriteString("\n\n" + strings.Join(kinds, " "))
	}
	fmt.Fprintf(b, "\n\n```\n%s%s%s\n```\n", actions.BlockOpen, a.Examples()[0], actions.BlockClose)
	if len(a.Fields()) > 0 {
		b.WriteString("\n| Field | | |\n|---|---|---|\n")
		writeRows(b, a.Fields(), "")
	}
}

// needs are sentences about the permissions that the requester must have.
func needs(a *actions.Action) (sentences []string) {
	may, also := "May need ", "Needs "
	if len(a.Needs) > 0 {
		sentences = append(sentences, "Needs "+chat.PermissionNames(a.Needs)+".")
		may, also = "May also need ", "Also needs "
	}
	if len(a.MayNeed) > 0 {
		sentences = append(sentences, may+chat.PermissionNames(a.MayNeed)+".")
	}
	if a.PassesOn {
		sentences = append(sentences, also+"every permission that it gives or takes.")
	}
	return sentences
}

func writeRows(b *strings.Builder, fields []schema.Field, path string) {
	for _, f := range fields {
		name := path + f.Name
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, inCell(conditions(f)), inCell(f.Doc))
		if f.Kind == schema.List {
			name += "[]"
		}
		writeRows(b, inner(f), name+".")
	}
}

func inCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
