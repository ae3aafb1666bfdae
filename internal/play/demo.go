package play

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// usualPace is how long the demo takes to type a word.
const usualPace = 15 * time.Millisecond

// newDemo returns a runtime that stands in for a model. It understands a few requests,
// requests real actions, and goes on with their results.
func newDemo(pace time.Duration) llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if strings.HasPrefix(req.System, "You turn a person's description of a recurring job into JSON") {
			return script.Say(described(req.Messages[0].Text)).Stream(ctx)
		}
		s := read(req)
		said := strings.ReplaceAll(reply(s), here, s.where)
		return script.Typing(named().ReplaceAllString(said, "<$0>"), pace).Stream(ctx)
	})
}

// A situation is the demo's view of a conversation.
type situation struct {
	asked   string   // the member's words
	where   string   // their channel
	along   string   // the attachments, in a sentence; empty if there are none
	results []string // of the last actions, line by line; nil at first
	rounds  int      // answers so far
}

var (
	spoken  = lazily(`(?s)^(?:.*\n\n)?(?:m\d+ )?\[[^\]]*? in (?:the thread |#)?([^\]]*?)(?: in #[^\]]*?)?\]: (.*)$`)
	linked  = lazily(`<(#\d{15,20})>`)
	named   = lazily(`#\d{15,20}`) // a linked channel
	job     = lazily(`(?s)\nWhat the job is to do:\n(.*)$`)
	later   = lazily(`(?s)\nDeferred follow-up .*?\nUser message:\n(.*)$`)
	between = lazily("(?s)\n\n(`{3,})\n(.*)\n`{3,}\n\n")
)

// read parses a request. It is made by our own prompt, so its form is known.
func read(req llm.Request) situation {
	var s situation
	if len(req.Messages) == 0 {
		return s
	}
	if m := spoken().FindStringSubmatch(req.Messages[0].Text); m != nil {
		s.where, s.asked = m[1], strings.Join(strings.Fields(linked().ReplaceAllString(m[2], "$1")), " ")
	}
	if m := later().FindStringSubmatch(req.Messages[0].Text); m != nil {
		s.asked = m[1]
	}
	if m := job().FindStringSubmatch(req.Messages[0].Text); m != nil {
		s.asked = m[1]
	}
	s.along = along(req.Messages[0])
	s.rounds = len(req.Messages) / 2
	if s.rounds > 0 {
		if m := between().FindStringSubmatch(req.Messages[len(req.Messages)-1].Text); m != nil {
			s.results = strings.Split(m[2], "\n")
		}
	}
	return s
}

var recurring = lazily(`(?is)^\s*((?:every|daily|weekdays|weekends|on the|first|last|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)[^,]*), (?:(?:tell|remind) (?:us|me) to )?(.+?)(?: (?:and post it )?in <?#([\w-]+)>?)?[.!]?\s*$`)

// described is the job that a post describes: its times, a comma, and what is to be done.
func described(text string) string {
	m := recurring().FindStringSubmatch(text)
	if m == nil {
		return "{}"
	}
	answer, err := json.Marshal(map[string]string{"schedule": m[1], "channel": m[3], "prompt": jobTo + m[2]})
	if err != nil {
		return "{}"
	}
	return string(answer)
}

// reply is the demo's answer.
func reply(s situation) string {
	for _, k := range skills() {
		m := k.asked.FindStringSubmatch(s.asked)
		if m == nil {
			continue
		}
		if s.rounds == 0 {
			return k.begin(m)
		}
		switch {
		case anyBegins(s.results, "Failed: "):
			return "That did not work, as the line above says."
		case anyBegins(s.results, "Asked: "):
			return "Nothing of that is done yet: it waits for somebody to approve it, and the card says what it would be."
		}
		if k.goOn == nil {
			return "Done."
		}
		return k.goOn(m, s)
	}
	if s.along != "" {
		return s.along + " A real model would tell you what it makes of that."
	}
	return "I am only a demonstration without a language model behind me, so I did not understand that. " + suggestions()
}

// attached is the beginning of an attached text file in the prompt.
var attached = lazily("\n([^\n]+) \\(information, not orders\\):\n(`{3,})\n")

// along describes the attachments of a message.
func along(m llm.Message) string {
	var saw []string
	if n := len(m.Images); n > 0 {
		saw = append(saw, fmt.Sprintf("I see %d picture(s).", n))
	}
	rest := m.Text
	for f := attached().FindStringSubmatch(rest); f != nil; f = attached().FindStringSubmatch(rest) {
		_, rest, _ = strings.Cut(rest, f[0])
		text, after, _ := strings.Cut(rest, "\n"+f[2]) // the fence is longer than any in the text
		saw, rest = append(saw, fmt.Sprintf("I read %d line(s) of `%s`.", strings.Count(text, "\n")+1, f[1])), after
	}
	return strings.Join(saw, " ")
}

// anyBegins reports whether one of the results has a prefix.
func anyBegins(results []string, with string) bool {
	return slices.ContainsFunc(results, func(line string) bool { return strings.HasPrefix(line, with) })
}

// listBlock is a block with a list in one of its fields.
func listBlock(kind, list string, items []string, fields ...string) string {
	var quoted []string
	for _, item := range items {
		quoted = append(quoted, quote(item))
	}
	text := strings.TrimSuffix(block(kind, fields...), "}"+actions.BlockClose)
	return fmt.Sprintf("%s,%q:[%s]}%s", text, list, strings.Join(quoted, ","), actions.BlockClose)
}

// block writes a request the way a model would.
func block(kind string, fields ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `%s{"type":%q`, actions.BlockOpen, kind)
	for i := 0; i+1 < len(fields); i += 2 {
		fmt.Fprintf(&b, ",%q:%s", fields[i], quote(fields[i+1]))
	}
	b.WriteString("}" + actions.BlockClose)
	return b.String()
}
