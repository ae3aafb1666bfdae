package app

import (
	"context"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// An attentive model repeats the numbers of the sayings in its prompt, and does what they ask for.
type attentive struct {
	mu    sync.Mutex
	heard [][]int // the numbers of the sayings in each prompt
}

// A wish is what a saying asks for besides an answer.
type wish string

const (
	nothing wish = ""
	word    wish = "word"   // a message in #log
	room    wish = "room"   // a channel
	look    wish = "look"   // a query before the answer
	errand  wish = "errand" // a deferred run in #later, which also posts to #log
)

// wishes has each wish as often as it is likely.
var wishes = []wish{nothing, nothing, nothing, word, word, room, look, errand}

// saying returns the text of the saying with number n.
func (w wish) saying(n int) string { return strings.TrimSpace(fmt.Sprintf("saying %d %s", n, w)) }

// action returns the action that fulfils the wish; empty for none.
func (w wish) action(n string) string {
	switch w {
	case word:
		return `{"type":"sendMessage","channel":"log","content":"word ` + n + `"}`
	case room:
		return `{"type":"channelCreate","name":"room-` + n + `"}`
	case look:
		return `{"type":"channelList"}`
	case errand:
		return `{"type":"defer","channel":"later","prompt":"errand ` + n + `","delaySeconds":20}`
	}
	return w.taskAction(n)
}

// Patterns of what the model is asked about.
var (
	saidTo     = regexp.MustCompile(`saying (\d+)(?: (\w+))?`)
	remarkedTo = regexp.MustCompile(`remark (\d+)`)
	sentTo     = regexp.MustCompile(`errand (\d+)`)
)

// runtime returns a model that answers everything after three seconds.
func (m *attentive) runtime() llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		return script.Answer{script.Pause(3 * time.Second), script.Text(m.answer(req))}.Stream(ctx)
	})
}

// answer returns the model's answer. Actions are only in the first round; a follow-up has text
// alone.
func (m *attentive) answer(req llm.Request) string {
	first, again := req.Messages[0].Text, len(req.Messages) > 1
	if found := remarkedTo.FindStringSubmatch(first); found != nil {
		return fmt.Sprintf("Noticed: %s.", found[1])
	}
	said := saidTo.FindAllStringSubmatch(first, -1)
	if found := sentTo.FindStringSubmatch(first); found != nil && said == nil {
		if again {
			return fmt.Sprintf("The errand is over: %s.", found[1])
		}
		return fmt.Sprintf("Errand: %s.%s", found[1], block(word.action("of errand "+found[1])))
	}
	m.listen(said)
	var numbers []string
	var done string
	looks := false
	for _, found := range said {
		w := wish(found[2])
		numbers, done, looks = append(numbers, found[1]), done+block(w.action(found[1])), looks || w == look
	}
	all := strings.Join(numbers, ", ")
	switch {
	case again && !looks:
		return fmt.Sprintf("So be it: %s.", all)
	case again:
		return fmt.Sprintf("Indeed: %s.", all)
	case looks:
		return fmt.Sprintf("Looking: %s.%s", all, done)
	}
	return fmt.Sprintf("Indeed: %s.%s", all, done)
}

// listen records the sayings of a prompt.
func (m *attentive) listen(said [][]string) {
	var numbers []int
	for _, found := range said {
		n, _ := strconv.Atoi(found[1]) // always a number
		numbers = append(numbers, n)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.heard = append(m.heard, numbers)
}

// block formats an action as a model writes it; empty for none.
func block(action string) string {
	if action == "" {
		return ""
	}
	return "<discord-action>" + action + "</discord-action>"
}

// together returns all sayings that were in a prompt with n.
func (m *attentive) together(n int) (list []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, numbers := range m.heard {
		if slices.Contains(numbers, n) {
			list = append(list, numbers...)
		}
	}
	return list
}
