package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/plan/plantest"
)

// A part is a question that models are asked about the plan of the story, and what they answer. It goes by what the question says alone, so
// that one which is repeated after a kill gets the same answer.
type part struct {
	name  string // in which %s stands for the phase
	says  []string
	lacks string
	tool  string // called before the answer; empty for none
	input map[string]string
	text  string
}

// The story's plan is drafted without a limit, to which an audit objects.
const (
	plannedChanges = "# Plan: Greet by name\n\n## Objective\n\nPeople are greeted by their names.\n\n## Scope\n\nThe greeting and the shout%s.\n\n" +
		"## Changes\n\n[" + `{"title": "Change greet.go", "files": ["greet.go"], "change": "a remark below the package clause"}, ` +
		`{"title": "Change shout/shout.go", "files": ["shout/shout.go"], "change": "a word that is loud"}` + "]\n\n" +
		"## Risks\n\nA shout may be too loud; the check looks for that.\n\n## Testing\n\nThe check of the project has to pass.\n"
	limit = ", and nothing else at all"

	// The edits leave what they look for in place: done twice, they show.
	clause, remark    = "package greeter\n", "package greeter\n\n// A greeting for all.\n"
	greeting, comment = "func Greet()", "// Greet greets."
	quiet, broken     = "package shout\n", "package shout\n\nvar _ = BROKEN\n"
	mended            = "\"HELLO\""
)

// A person wants the plan in a message, to which a model answers with an action.
const chatPart, wanted = "message", "Forge a plan for me, please."

// parts are all questions of the story, in their order.
func parts() []part {
	return []part{
		{name: chatPart, says: []string{wanted}, text: "On it.\n" + `<discord-action>{"type":"forgeCreate","description":"greet people by their names"}</discord-action>`},
		{name: "draft", says: []string{"Write the plan now."}, text: fmt.Sprintf(plannedChanges, "")},
		{name: "audit of the draft", says: []string{"Audit the plan now."}, lacks: limit, text: blockingReview("No limit")},
		{name: "revision", says: []string{"Write the revised plan now"}, text: fmt.Sprintf(plannedChanges, limit)},
		{name: "audit of the revision", says: []string{"Audit the plan now.", limit}, text: plantest.Clean},
		{
			name: "%s: implement", says: []string{"Make the changes now", "phase 1 of 3"}, text: "I have added the remark.",
			tool: "edit_file", input: map[string]string{"file_path": "greet.go", "old_string": clause, "new_string": remark},
		},
		{
			name: "%s: implement", says: []string{"Make the changes now", "phase 2 of 3"}, text: "I have added the word.",
			tool: "edit_file", input: map[string]string{"file_path": "shout/shout.go", "old_string": quiet, "new_string": broken},
		},
		{
			name: "%s: mend", says: []string{"Find the cause and mend it", "phase 2 of 3"}, text: "I have mended the shout.",
			tool: "edit_file", input: map[string]string{"file_path": "shout/shout.go", "old_string": "BROKEN", "new_string": mended},
		},
		{name: "%s: audit", says: []string{"Judge whether these changes", "phase 3 of 3"}, lacks: comment, text: blockingReview("Greet has no comment")},
		{
			name: "%s: mend for the audit", says: []string{"Task: mend what the audit objects to"}, text: "I have added the comment.",
			tool: "edit_file", input: map[string]string{"file_path": "greet.go", "old_string": greeting, "new_string": comment + "\n" + greeting},
		},
		{name: "%s: audit of what was mended", says: []string{"Judge whether these changes", comment}, text: plantest.Clean},
	}
}

func blockingReview(title string) string {
	return fmt.Sprintf(`{"word": "{word}", "severity": "blocking", "concerns": [{"title": %q, "severity": "blocking"}]}`, title)
}

// phaseOf finds the number of the phase in a question.
var phaseOf = regexp.MustCompile(`phase (\d) of \d`)

// partOf finds the part that a request is about, by its name.
func partOf(r llmtest.Request) (string, part, bool) {
	question := askedIn(r)
	for _, p := range parts() {
		matches := p.lacks == "" || !strings.Contains(question, p.lacks)
		for _, s := range p.says {
			matches = matches && strings.Contains(question, s)
		}
		if !matches {
			continue
		}
		name := p.name
		if found := phaseOf.FindStringSubmatch(question); found != nil && strings.Contains(name, "%s") {
			name = fmt.Sprintf(name, "phase "+found[1])
		}
		return name, p, true
	}
	return "", part{}, false
}

// askedIn is the question of a request, without what tools have said since.
func askedIn(r llmtest.Request) string {
	i := slices.IndexFunc(r.Messages, func(m llmtest.Message) bool { return m.Role == "user" })
	return r.Messages[max(i, 0)].Content
}

// hasResult reports whether the tool of a part was called already.
func hasResult(r llmtest.Request) bool { return r.Messages[len(r.Messages)-1].Role == "tool" }

// answer answers a request: with a call of the tool first, if there is one.
func (p part) answer(x *llmtest.Exchange) {
	if p.tool == "" || hasResult(x.Request) {
		llmtest.Text(plantest.WithWord(p.text, askedIn(x.Request)))(x)
		return
	}
	input, err := json.Marshal(p.input)
	if err != nil {
		panic(err) // texts can be encoded
	}
	x.Call(llm.ToolCall{Name: p.tool, Input: input})
	x.Finish("tool_calls")
	x.Done()
}

// questionsOf are the names of all questions in a half of the story, in their order.
func questionsOf(h half) (list []string) {
	phase := 1
	for _, p := range parts() {
		name := p.name
		if found := phaseOf.FindStringSubmatch(strings.Join(p.says, " ")); found != nil {
			phase, _ = strconv.Atoi(found[1]) // it is a digit
		}
		if name == chatPart || strings.Contains(name, "%s") != (h == runHalf) {
			continue
		}
		if h == runHalf {
			name = fmt.Sprintf(name, fmt.Sprint("phase ", phase))
		}
		list = append(list, name)
		if p.tool != "" {
			list = append(list, name+afterTool)
		}
	}
	return list
}

// afterTool marks the question that comes with the result of a tool.
const afterTool = ", after its tool"
