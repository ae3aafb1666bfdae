package app

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/llm"
)

// tryTime is how long a model may take for its first word.
const tryTime = time.Minute

// TryModels asks the model of each role for a word. A model that several roles have is asked once. The client may be
// nil.
func TryModels(ctx context.Context, env config.Env, client *http.Client) []Finding {
	c, err := newCore(env, Outside{})
	if err != nil {
		return nil // the other findings say what is wrong
	}
	names := map[llm.Choice][]string{}
	var choices []llm.Choice
	for _, a := range c.models.All() {
		choice := a.Resolved
		if choice.Runtime == "" {
			choice.Runtime = c.primary
		}
		if len(names[choice]) == 0 {
			choices = append(choices, choice)
		}
		names[choice] = append(names[choice], string(a.Role))
	}
	var list []Finding
	for _, choice := range choices {
		what := "role " + strings.Join(names[choice], ", ")
		k, ok := kindOf(choice.Runtime)
		if !ok || !k.usable(c.Config) {
			list = append(list, Finding{What: what, State: fmt.Sprintf("%s is not set up: %s", choice.Runtime, k.remedy), Wrong: true})
			continue
		}
		list = append(list, c.tryModel(ctx, k, choice, what, client))
	}
	return list
}

// tryModel asks one model, without the budgets: their records are the running bot's.
func (c *Core) tryModel(ctx context.Context, k runtimeKind, choice llm.Choice, what string, client *http.Client) Finding {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	r := c.open(k, "", client)
	defer c.closePrograms(ctx)
	began := time.Now()
	req := llm.Request{System: "This is a test of the connection.", Messages: []llm.Message{{Role: llm.User, Text: "Answer with the word yes."}}, Runtime: choice.Runtime, Model: choice.Model}
	for event, err := range r.Invoke(ctx, req) {
		if err != nil {
			return Finding{What: what, State: fmt.Sprintf("%s: %s", choice, err), Wrong: true}
		}
		switch event.(type) {
		case llm.TextDelta, llm.Thinking: // leaving the loop ends the request, so that no more is paid for
			return Finding{What: what, State: fmt.Sprintf("%s answered after %s", c.modelText(k, choice), time.Since(began).Round(100*time.Millisecond))}
		}
	}
	return Finding{What: what, State: fmt.Sprintf("%s: the answer is empty", choice), Wrong: true}
}
