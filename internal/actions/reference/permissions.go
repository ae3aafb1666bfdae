package reference

import (
	"fmt"
	"strings"

	"discoclaw/internal/actions"
)

// A Profile is a set of permissions that the bot can be invited with.
type Profile struct {
	Name        string
	About       string // a sentence
	Permissions []string
	Number      int64 // stands for the permissions
	Link        string
}

// A Want is what the bot needs for a category, besides what it takes to talk.
type Want struct {
	Category    actions.Category
	Permissions []string
}

// Permissions renders the tables that say what to invite the bot with: the profiles,
// and what each category adds.
func Permissions(profiles []Profile, wants []Want) string {
	var b strings.Builder
	b.WriteString("| Profile | For | Permissions | Number |\n|---|---|---|---|\n")
	for _, p := range profiles {
		fmt.Fprintf(&b, "| **%s** | %s | %s | `%d` |\n", p.Name, p.About, strings.Join(p.Permissions, ", "), p.Number)
	}
	b.WriteString("\nThe links, with your application's ID in place of `APPLICATION_ID`:\n\n```\n")
	for _, p := range profiles {
		fmt.Fprintf(&b, "%-9s %s\n", p.Name, p.Link)
	}
	b.WriteString("```\n\nWhat each category of actions needs besides the minimal profile:\n\n" +
		"| Category | Switch | By default | Permissions |\n|---|---|---|---|\n")
	for _, w := range wants {
		name, state := switchCells(w.Category.Flag())
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", w.Category.Name(), name, state, strings.Join(w.Permissions, ", "))
	}
	return b.String()
}

// switchCells say in a table what switchSentence says in a sentence.
func switchCells(f actions.Flag) (name, state string) {
	switch {
	case f.Always:
		return "`" + actions.MasterSwitch + "`", "on"
	case f.Shares != "":
		return "that of " + f.Shares, ""
	}
	name, state = "`"+f.Env+"`", "off"
	if f.Default {
		state = "on"
	}
	if f.Part != "" {
		name += " and `" + f.Part + "`"
	}
	for _, need := range f.Needs {
		name += " and `" + strings.Join(need.AnyOf, "` or `") + "`"
	}
	return name, state
}
