package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/config"
	"discoclaw/internal/consent"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/roles"
)

const (
	// checked is the value of DISCOCLAW_TAINT with which a model decides what people have asked for.
	checked config.Choice = "check"
	// mostMissed is how many actions of the sample that were asked for it may leave unconfirmed. People are then asked on a card.
	mostMissed = 1
)

// tryReader has the model of the role consent read the sample of [consent.Sample], without the budgets, like tryModel, and in the time that
// the bot gives it. It is not asked where it decides nothing, nor if it did not answer before.
func (d *Doctor) tryReader(ctx context.Context, answered map[llm.Choice]bool) []Finding {
	all := d.Models.All()
	choice := d.modelOf(all[slices.IndexFunc(all, func(a roles.Assignment) bool { return a.Role == roles.Consent })])
	if d.Config.Actions.Taint != checked || !d.acts() || !answered[choice] {
		return nil
	}
	r, end := d.Runtimes.Bare(choice.Runtime)
	defer end(ctx)
	model := d.Runtimes.Describe(choice)
	score := score{most: consent.Patience}
	if d.Runtimes.IsProgram(choice) {
		score.most = consent.ProgramPatience
	}
	for _, c := range consent.Sample() {
		if err := score.try(ctx, reading(r, choice), c); err != nil {
			f := modelTrouble(model, err)
			f.What = "consent"
			return []Finding{f}
		}
	}
	f := score.finding()
	f.What, f.State = "consent", model+" "+f.State
	return []Finding{f}
}

// acts reports whether any category of actions is on.
func (d *Doctor) acts() bool {
	return slices.ContainsFunc(d.Registry.Categories(), func(cat actions.Category) bool { return d.Flags[cat.Name()].On })
}

// reading asks a model as the bot does.
func reading(r llm.Runtime, choice llm.Choice) consent.Reader {
	return func(ctx context.Context, system, message string) (string, error) {
		req := llm.Request{System: system, Messages: []llm.Message{{Role: llm.User, Text: message}}, Runtime: choice.Runtime, Model: choice.Model}
		var answer strings.Builder
		for event, err := range r.Invoke(ctx, req) {
			if err != nil {
				return "", err
			}
			if d, ok := event.(llm.TextDelta); ok {
				answer.WriteString(d.Text)
			}
		}
		return answer.String(), nil
	}
}

// A score is how a model did.
type score struct {
	most             time.Duration // for an answer
	asked, confirmed int           // actions that were asked for, and those of them that it confirmed
	others, wrong    int           // the same of those that were not asked for
	late, garbled    int           // answers
}

// try has a case read. The error is the model's: it is not asked any more.
func (s *score) try(ctx context.Context, read consent.Reader, c consent.Case) error {
	limited, cancel := context.WithTimeout(ctx, s.most)
	defer cancel()
	got, err := read.Asked(limited, c.Request)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		s.late++
	case err != nil:
		s.garbled++
	}
	for i, yes := range got {
		switch asked := slices.Contains(c.Asked, i+1); {
		case asked && yes:
			s.asked, s.confirmed = s.asked+1, s.confirmed+1
		case asked:
			s.asked++
		case yes:
			s.others, s.wrong = s.others+1, s.wrong+1
		default:
			s.others++
		}
	}
	return nil
}

const otherReader = "choose another model in DISCOCLAW_CONSENT_MODEL, or set DISCOCLAW_TAINT=confirm"

// finding is the result, behind the model's name.
func (s *score) finding() Finding {
	if s.wrong > 0 {
		return Finding{Wrong: true, State: fmt.Sprintf("does not tell what people have asked for: it confirmed %d of %d sample actions that nobody had asked for; %s",
			s.wrong, s.others, otherReader)}
	}
	state := fmt.Sprintf("confirmed %d of %d sample actions that were asked for, and none of %d others", s.confirmed, s.asked, s.others)
	if s.asked-s.confirmed <= mostMissed {
		return Finding{State: state}
	}
	if s.late > 0 {
		state += fmt.Sprintf(", with %d answers too late (after %v)", s.late, s.most)
	}
	if s.garbled > 0 {
		state += fmt.Sprintf(", with %d answers that were not in the form that it was asked for", s.garbled)
	}
	return Finding{Note: true, State: state + ", so people have to approve more than need be; " + otherReader}
}
