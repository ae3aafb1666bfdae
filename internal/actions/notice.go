package actions

import (
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Notices are the lines for the user about what was taken out of a reply, with the
// remedies.
func (g Gate) Notices(stripped []string, malformed []Malformed) []string {
	var unknown, lines []string
	off := map[string][]string{} // reason to types, so that one remedy is said once
	var reasons []string
	for _, name := range distinct(stripped) {
		switch v := g.Verdict(name); v.cause {
		default:
			unknown = append(unknown, strings.TrimSpace(name))
		case blocked:
			lines = append(lines, fmt.Sprintf("Blocked action %s (%s).", inCode(name), v.Reason()))
		case switchedOff:
			if off[v.Reason()] == nil {
				reasons = append(reasons, v.Reason())
			}
			off[v.Reason()] = append(off[v.Reason()], name)
		}
	}
	for _, reason := range reasons {
		lines = append(lines, fmt.Sprintf("Ignored %s: %s.", namesInCode(off[reason]), reason))
	}
	if len(unknown) > 0 {
		lines = append(lines, fmt.Sprintf("Ignored unavailable action type%s: %s (unknown type or category disabled).",
			plural(len(unknown)), namesInCode(unknown)))
	}
	if line := malformedNotice(malformed); line != "" {
		lines = append(lines, line)
	}
	return lines
}

func malformedNotice(malformed []Malformed) string {
	if len(malformed) == 0 {
		return ""
	}
	counts := map[Flaw]int{}
	for _, m := range malformed {
		counts[m.Flaw]++
	}
	var parts []string
	for _, f := range []struct {
		flaw Flaw
		what string
	}{{NotJSON, "not valid JSON"}, {CutOff, "cut off before its end"}, {NoType, "without a type"}} {
		if n := counts[f.flaw]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, f.what))
		}
	}
	return fmt.Sprintf("Ignored %d unreadable action block%s (%s). Ask again if something is missing.",
		len(malformed), plural(len(malformed)), strings.Join(parts, ", "))
}

// distinct drops blank names and repetitions. Padding makes no difference for the reader,
// but it does for the gate, so names stay as they are.
func distinct(names []string) []string {
	var kept []string
	seen := map[string]bool{}
	for _, name := range names {
		if key := strings.TrimSpace(name); key != "" && !seen[key] {
			seen[key] = true
			kept = append(kept, name)
		}
	}
	return kept
}

// namesInCode lists names that a model made up: any number, any length, any
// characters.
func namesInCode(names []string) string {
	const most = 10
	shown := slices.Clone(names[:min(len(names), most)])
	for i, name := range shown {
		shown[i] = inCode(name)
	}
	list := strings.Join(shown, ", ")
	if n := len(names) - most; n > 0 {
		list += fmt.Sprintf(" and %d more", n)
	}
	return list
}

func inCode(name string) string { return chat.InCode(chat.Clip(chat.OneLine(name), 60)) }

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
