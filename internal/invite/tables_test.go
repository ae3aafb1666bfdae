package invite_test

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/discord"
	"discoclaw/internal/invite"
)

// tables returns the tables of the permissions that the bot can be invited with, in Markdown.
func tables(r *actions.Registry) (string, error) {
	cats := r.Categories()
	usual, _, _, err := actions.FlagsFromEnv(config.Env{}, cats)
	if err != nil {
		return "", err
	}
	all := actions.FlagsOf(cats, func(string) bool { return true })
	none := actions.FlagsOf(cats, func(string) bool { return false })
	of := func(name, about string, flags actions.CategoryFlags) profile {
		return profile{name, about, invite.For(invite.NoApplication, r, flags)}
	}
	var wants []want
	for _, cat := range cats {
		var rights []chat.Permission
		for _, a := range cat.Actions() {
			rights = append(rights, invite.Needs(a)...)
		}
		rights = slices.DeleteFunc(rights, func(p chat.Permission) bool { return slices.Contains(invite.ToTalk, p) })
		names, _ := discord.Grant(rights)
		w := want{category: cat}
		for _, n := range names {
			w.permissions = append(w.permissions, string(n))
		}
		wants = append(wants, w)
	}
	return render([]profile{
		of("minimal", "It talks, and does nothing else: `"+actions.MasterSwitch+"=0`.", none),
		of("standard", "What is on unless you switch it off.", usual),
		of("full", "Everything it can do, moderation and voice too.", all),
	}, wants), nil
}

// A profile is an invitation that the page offers.
type profile struct {
	name, about string
	invite.Invitation
}

// A want is what the bot needs for a category, besides what it takes to talk.
type want struct {
	category    actions.Category
	permissions []string
}

// render renders the tables that say what to invite the bot with: the profiles,
// and what each category adds.
func render(profiles []profile, wants []want) string {
	var b strings.Builder
	b.WriteString("| Profile | For | Permissions | Number |\n|---|---|---|---|\n")
	for _, p := range profiles {
		fmt.Fprintf(&b, "| **%s** | %s | %s | `%d` |\n", p.name, p.about, strings.Join(p.Permissions, ", "), p.Number)
	}
	b.WriteString("\nThe links, with your application's ID in place of `APPLICATION_ID`:\n\n```\n")
	for _, p := range profiles {
		fmt.Fprintf(&b, "%-9s %s\n", p.name, p.Link)
	}
	b.WriteString("```\n\nWhat each category of actions needs besides the minimal profile:\n\n" +
		"| Category | Switch | By default | Permissions |\n|---|---|---|---|\n")
	for _, w := range wants {
		name, state := switchCells(w.category.Flag())
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", w.category.Name(), name, state, strings.Join(w.permissions, ", "))
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
