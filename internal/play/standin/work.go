package standin

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
)

// A part is one that a model plays outside of conversations. It is known by how its system prompt begins.
type part struct {
	begins string
	play   func(req llm.Request) string
}

var parts = []part{
	{"You turn a person's description of a scheduled job into JSON", describedJob},
	{"You write the plan for a change to a software project", draft},
	{"You revise the plan for a change to a software project", draft},
	{"You audit the plan for a change to a software project", passes},
	{"You work on one phase of a plan for a software project", phase},
	{"You sum up conversations for a chat bot", recap},
	{"You keep the notes of a chat bot", notes},
	{"You sort the replies of an assistant", func(llm.Request) string {
		return `{"type": "completion", "confidence": 1, "reason": "the script is always done"}`
	}},
	{"You sort ", chooseTags},
	{"A bot is about to act for a person.", confirmed},
	{"This is a test of the connection", func(llm.Request) string { return "yes" }},
}

// work is the answer to a question outside of conversations; ok is false if the request is not one.
func work(req llm.Request) (answer string, ok bool) {
	if len(req.Messages) == 0 {
		return "", false
	}
	for _, p := range parts {
		if strings.HasPrefix(req.System, p.begins) {
			return p.play(req), true
		}
	}
	return "", false
}

// asking is the text of a question outside of conversations.
func asking(req llm.Request) string { return req.Messages[0].Text }

// describedJob is the job that a post describes.
func describedJob(req llm.Request) string {
	r, ok := readRecurring(asking(req), club{})
	if !ok {
		return "{}"
	}
	return encoded(map[string]string{"schedule": r.often, "channel": r.channel, "prompt": r.prompt})
}

var (
	askedFor  = lazily("(?s)What the person asked for:\n(`{3,})\n(.*?)\n`{3,}")
	wishes    = lazily("(?s)What the person wants changed in the plan, if it is not in there yet:\n(`{3,})\n(.*?)\n`{3,}")
	verify    = lazily("The only command that is ever run is (`+[^`]+`+)")
	textFile  = lazily(`\b([\w./-]+\.(?:md|txt))\b`)
	auditWord = lazily("`word` is always (\\w+),")
)

// draft is a plan for what a script can do by itself: write down what was asked for, in a text file of the project.
func draft(req llm.Request) string {
	wanted := ""
	if m := askedFor().FindStringSubmatch(asking(req)); m != nil {
		wanted = oneLine(m[2])
	}
	if m := wishes().FindStringSubmatch(asking(req)); m != nil {
		wanted += " " + oneLine(m[2])
	}
	file := "notes/" + fileName(wanted) + ".md"
	if m := textFile().FindStringSubmatch(wanted); m != nil && fs.ValidPath(m[1]) {
		file = m[1]
	}
	test := "A person reads the file."
	if m := verify().FindStringSubmatch(req.System); m != nil {
		test = m[1] + " still passes, and a person reads the file."
	}
	changes := encoded([]map[string]any{{
		"title": "Write it down in " + file, "files": []string{file},
		"change": "The file gets one more line, or is new with that line: " + sentence(wanted),
	}})
	return fmt.Sprintf("# Plan: %s\n\n## Objective\n\n%s\n\n"+
		"## Scope\n\nOnly `%s`. A script wrote this plan in place of a language model, so it plans a note and changes no code.\n\n"+
		"## Changes\n\n```json\n%s\n```\n\n## Risks\n\nNone for the code, which stays as it is.\n\n## Testing\n\n%s\n",
		chat.Clip(strings.TrimRight(chat.Capital(wanted), "."), 80), sentence(wanted), file, changes, test)
}

// fileName makes a name of the first words of a text.
func fileName(text string) string {
	list := contentWords(text)
	list = slices.DeleteFunc(list, func(w string) bool { return strings.ContainsFunc(w, func(r rune) bool { return r < 'a' || r > 'z' }) })
	if len(list) == 0 {
		return "plan"
	}
	return strings.Join(list[:min(len(list), 3)], "-")
}

// passes is the verdict of an auditor who has nothing to object to.
func passes(req llm.Request) string {
	m := auditWord().FindStringSubmatch(asking(req))
	if m == nil {
		return "There is no word to give a verdict with."
	}
	return encoded(map[string]any{"word": m[1], "severity": "none", "concerns": []string{}})
}

var (
	phaseFiles = lazily("Task: Make the changes that the plan describes for these files: (.*)")
	inCode     = lazily("`([^`]+)`")
	phaseSays  = lazily("(?s)What the plan says about these changes:\n(`{3,})\n(.*?)\n`{3,}")
)

// phase works on a phase of a plan.
func phase(req llm.Request) string {
	text := asking(req)
	if auditWord().MatchString(text) {
		return passes(req)
	}
	files, says := phaseFiles().FindStringSubmatch(text), phaseSays().FindStringSubmatch(text)
	if files == nil || says == nil || !req.Workspace.Level.Allows(llm.ToolsWrite) || req.Workspace.Root == "" {
		return "A script works here in place of a language model. It can write a note, and nothing else, so it changed nothing."
	}
	if done, err := replaceIn(req.Workspace.Root, says[2]); err != nil || done != "" {
		if err != nil {
			return fmt.Sprintf("A script works here in place of a language model, and could not do that: %v.", err)
		}
		return done
	}
	var done []string
	for _, m := range inCode().FindAllStringSubmatch(files[1], -1) {
		if err := note(req.Workspace.Root, m[1], noteFrom(says[2])); err != nil {
			return fmt.Sprintf("A script works here in place of a language model, and could not write %s: %v.", m[1], err)
		}
		done = append(done, m[1])
	}
	return "A line was added to " + chat.And(done) + ". A reviewer should read it."
}

// replacement is an edit that a plan describes to the letter.
var replacement = lazily("[Ii]n `([^`]+)`, replace `([^`]+)` with `([^`]*)`")

// replaceIn makes the edits that a plan describes to the letter, and says so; without any it says nothing.
func replaceIn(root, plan string) (done string, err error) {
	edits := replacement().FindAllStringSubmatch(plan, -1)
	if edits == nil {
		return "", nil
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	for _, m := range edits {
		text, err := dir.ReadFile(m[1])
		if err == nil && strings.Count(string(text), m[2]) != 1 {
			err = fmt.Errorf("%q is not there once in %s", m[2], m[1])
		}
		if err == nil {
			err = dir.WriteFile(m[1], []byte(strings.Replace(string(text), m[2], m[3], 1)), 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	return "Replaced what the plan says: " + chat.Counted(len(edits), "place", "places") + ".", nil
}

// noteFrom is the line that a plan of the script's own asks for.
func noteFrom(change string) string {
	if _, line, ok := strings.Cut(change, ": "); ok {
		change = line
	}
	return sentence(oneLine(change))
}

// note adds a line to a text file of a project. It never leaves the project, and never touches code: a line of English would break it.
func note(root, file, line string) error {
	if ext := path.Ext(file); ext != ".md" && ext != ".txt" {
		return fmt.Errorf("it is no text file")
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if err := dir.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := dir.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString(line + "\n")
	return err
}

var recapLine = lazily(`(?m)^\[([^\]]*)\]: (.*)$`)

// recap sums a conversation up.
func recap(req llm.Request) string {
	found := remarks(asking(req))
	if len(found) == 0 {
		return "Nothing was said."
	}
	return digest(found)
}

// notes are the notes of a conversation: what was said last, in a line.
func notes(req llm.Request) string {
	text := asking(req)
	answer := "Nothing was said."
	if found := remarks(text); len(found) > 0 {
		answer = digest(found)
	}
	if strings.Contains(text, "Then write a line with the one word FACTS") {
		answer += "\nFACTS\n[]"
	}
	return answer
}

func remarks(text string) (list []message) {
	for _, m := range recapLine().FindAllStringSubmatch(text, -1) {
		name, _, _ := strings.Cut(m[1], ", user ")
		list = append(list, message{author: name, text: m[2]})
	}
	return list
}

// chooseTags are the given tags that stand in the text they are for.
func chooseTags(req llm.Request) string {
	head, about, _ := strings.Cut(asking(req), "\n")
	var fit []string
	for tag := range strings.SplitSeq(strings.TrimPrefix(head, "Tags: "), ", ") {
		if tag != "" && strings.Contains(strings.ToLower(about), strings.ToLower(tag)) {
			fit = append(fit, tag)
		}
	}
	if len(fit) == 0 {
		return "none"
	}
	return strings.Join(fit[:min(len(fit), 3)], ", ")
}
