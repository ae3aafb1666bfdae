package app

import (
	"fmt"
	"strings"

	"discoclaw/internal/config"
)

// example renders a settings file from the variables: the common ones, or all. Those with a
// default are commented out, so that a copy changes nothing.
func example(vars []config.Variable, full bool) string {
	var b strings.Builder
	if full {
		b.WriteString("# Every setting of DiscoClaw. Values that are commented out are the defaults, unless marked as an example.\n")
		b.WriteString("# The few that most people need are in .env.example.\n")
	} else {
		b.WriteString("# The settings most people need. Copy this file to .env and fill it in.\n")
		b.WriteString("# All others are in .env.example.full.\n")
	}
	b.WriteString("# Generated from the code: change it there, then run make golden.\n")
	group := ""
	for _, v := range vars {
		if !full && !v.Common {
			continue
		}
		if v.Group != group {
			group = v.Group
			fmt.Fprintf(&b, "\n# ---- %s ----\n", group)
		}
		b.WriteString("\n" + comment(v.Doc))
		switch {
		case v.Default != "":
			fmt.Fprintf(&b, "#%s=%s\n", v.Name, v.Default)
		case v.Example != "":
			fmt.Fprintf(&b, "# For example:\n#%s=%s\n", v.Name, v.Example)
		default:
			fmt.Fprintf(&b, "%s=\n", v.Name)
		}
	}
	return b.String()
}

// comment breaks text into comment lines.
func comment(text string) string {
	const width = 88
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
			b.WriteString("#")
			column = 1
		case column+len(word) >= width:
			b.WriteString("\n#")
			column = 1
		}
		b.WriteString(" " + word)
		column += len(word) + 1
	}
	return b.String() + "\n"
}
