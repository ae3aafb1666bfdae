package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/llm"
)

// tryTime is how long a model may take for its first word.
const tryTime = time.Minute

// tryModels asks the model of each role for a word. A model that several roles have is asked once, and so is a vendor that cannot be
// reached.
func (d *Doctor) tryModels(ctx context.Context) []Finding {
	names := map[llm.Choice][]string{}
	var choices []llm.Choice
	for _, a := range d.Models.All() {
		choice := a.Resolved
		if choice.Runtime == "" {
			choice.Runtime = d.Primary
		}
		if len(names[choice]) == 0 {
			choices = append(choices, choice)
		}
		names[choice] = append(names[choice], string(a.Role))
	}
	var list []Finding
	silent := map[string]bool{} // the runtimes that cannot be reached
	for _, choice := range choices {
		if silent[choice.Runtime] {
			continue
		}
		f, err := d.tryModel(ctx, choice)
		f.What, f.State = "model", fmt.Sprintf("for %s: %s", strings.Join(names[choice], ", "), f.State)
		if e, ok := errors.AsType[*llm.Error](err); ok && e.Kind == llm.Unavailable && e.Status == 0 {
			f.unreached, silent[choice.Runtime] = true, true
		}
		list = append(list, f)
	}
	return list
}

// tryModel asks one model, without the budgets: their records are the running bot's. A model that is not set up is not asked, and is no
// further mistake, since Doctor reports it.
func (d *Doctor) tryModel(ctx context.Context, choice llm.Choice) (Finding, error) {
	model := d.Runtimes.Describe(choice)
	if !d.Runtimes.Usable(choice.Runtime) {
		return Finding{State: fmt.Sprintf("%s was not asked: %s is not set up", model, choice.Runtime), Note: true}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	r, end := d.Runtimes.Bare(choice.Runtime)
	defer end(ctx)
	began := time.Now()
	req := llm.Request{System: "This is a test of the connection.", Messages: []llm.Message{{Role: llm.User, Text: "Answer with the word yes."}}, Runtime: choice.Runtime, Model: choice.Model}
	for event, err := range r.Invoke(ctx, req) {
		if err != nil {
			f := Finding{State: fmt.Sprintf("%s: %s", model, err), Wrong: true}
			if e, ok := errors.AsType[*llm.Error](err); ok {
				f.Fault = slices.Contains([]llm.Kind{llm.RateLimited, llm.Timeout, llm.Stalled, llm.Unavailable, llm.Broken}, e.Kind)
			}
			return f, err
		}
		switch event.(type) {
		case llm.TextDelta, llm.Thinking: // leaving the loop ends the request, so that no more is paid for
			return Finding{State: fmt.Sprintf("%s answered after %s", model, time.Since(began).Round(100*time.Millisecond))}, nil
		}
	}
	return Finding{State: model + " gave an empty answer; try again, or choose another model in RUNTIME_MODEL", Wrong: true}, nil
}
