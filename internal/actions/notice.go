package actions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Notices are the lines for the user about what the model asked for and was not done. What the model
// can mend is left out if it is asked again after this round. Operators are also told what they can do
// about it.
func (g Gate) Notices(r Round, last, operator bool) []string {
	var lines, unknown []string
	for _, name := range distinct(r.Stripped) {
		v := g.Verdict(name)
		line := v.Why
		switch {
		case v.cause != switchedOff && v.cause != blocked:
			unknown = append(unknown, strings.TrimSpace(name))
			continue
		case v.cause == blocked:
			line = "Not done: " + v.Why
		}
		if operator {
			line = chat.ForOperators(v.Refusal(line)).Error()
		}
		if line = chat.Capital(line) + "."; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if r.Shown { // the words may claim that it was done
		lines = append(lines, "-# Nothing was done: what stands in code is shown, not carried out.")
	}
	if last {
		lines = append(lines, unmended(r, unknown, operator)...)
	}
	return lines
}

// Refusal is the verdict as an error, in the given words.
func (v Verdict) Refusal(words string) error {
	err := errors.New(words)
	if v.Remedy == "" {
		return err
	}
	return chat.WithRemedy(err, v.Remedy)
}

// unmended are the lines about what the model wrote wrong and is not asked to mend.
func unmended(r Round, unknown []string, operator bool) (lines []string) {
	if len(unknown) > 0 {
		line := "I tried something that I can't do, so that was not done"
		if operator {
			line += ": " + namesInCode(unknown)
		}
		lines = append(lines, line+".")
	}
	if n := len(r.Malformed); n > 0 {
		line := "I made a mistake in writing down " + chat.Counted(n, "step, so it was not done", "steps, so they were not done")
		if operator {
			line += " (" + flaws(r.Malformed) + ")"
		}
		lines = append(lines, line+". Please ask again.")
	}
	if r.Fenced {
		lines = append(lines, "I wrote down what to do as code, which does not run: nothing of it was done. Please ask again.")
	}
	var ignored []string
	for _, o := range r.Outcomes {
		if o.Done() && !o.Repeated {
			ignored = append(ignored, o.Ignored...)
		}
	}
	if ignored = distinct(ignored); len(ignored) > 0 {
		lines = append(lines, "Not all of it was done: I don't know what to do with "+namesInCode(ignored)+".")
	}
	return lines
}

// flaws counts what is wrong with blocks.
func flaws(malformed []Malformed) string {
	counts := map[Flaw]int{}
	for _, m := range malformed {
		counts[m.Flaw]++
	}
	var parts []string
	for _, f := range []struct {
		flaw Flaw
		what string
	}{{NotJSON, "not valid JSON"}, {CutOff, "cut off before its end"}, {NoType, "without a type"}, {Unusable, "not usable"}} {
		if n := counts[f.flaw]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, f.what))
		}
	}
	return strings.Join(parts, ", ")
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
	return chat.FirstOf(names, 10, inCode)
}

func inCode(name string) string { return chat.InCode(chat.Clip(chat.OneLine(name), 60)) }
