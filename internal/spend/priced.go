package spend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"discoclaw/internal/llm"
)

// Priced records the calls of a runtime, and refuses those that are over a ceiling. The name is that of the runtime,
// and the model the one that it takes if a request names none.
func (b *Meter) Priced(r llm.Runtime, name, model string) llm.Runtime {
	return &priced{book: b, runtime: r, name: name, model: model}
}

// PricedAlone is Priced for a runtime that keeps no MaxOutput. Under a ceiling, its calls run while no other does.
func (b *Meter) PricedAlone(r llm.Runtime, name, model string) llm.Runtime {
	return &priced{book: b, runtime: r, name: name, model: model, alone: true}
}

type priced struct {
	book        *Meter
	runtime     llm.Runtime
	name, model string
	alone       bool
}

func (p *priced) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		left := false
		c, err := p.begin(ctx, req, func(ahead int) bool {
			left = !yield(llm.Queued{Ahead: ahead}, nil)
			return !left
		})
		if err != nil {
			if !left {
				yield(nil, err)
			}
			return
		}
		if c.output > 0 {
			req.MaxOutput = c.output
		}
		begun, whole, written := false, true, 0
		defer func() { p.book.end(c, begun || ctx.Err() != nil, whole && ctx.Err() == nil, written) }()
		for event, err := range p.runtime.Invoke(ctx, req) {
			whole = err == nil
			e, _ := errors.AsType[*llm.Error](err)
			begun = begun || whole || !p.alone && e != nil && (e.Kind == llm.Broken || e.Kind == llm.Stalled) // the vendor has the request
			switch ev := event.(type) {
			case llm.Usage:
				c.usage.Add(ev)
			case llm.TextDelta:
				written += len(ev.Text)
			}
			if e != nil && e.Kind == llm.Cut && c.output > 0 {
				e.Remedy = fmt.Sprintf("ask for less at a time: with a budget, this answer could have %d tokens", c.output)
			}
			if !yield(event, err) {
				whole = false
				return
			}
		}
		if usd := p.book.cost(c.entry); whole && usd != nil {
			yield(llm.Charged{By: c.asked, USD: *usd, Known: true}, nil)
		} else if whole {
			yield(llm.Charged{By: c.asked}, nil)
		}
	}
}

// cost returns what a call has cost by its tokens, or nil if that is unknown.
func (b *Meter) cost(e entry) *float64 {
	price, known := b.Prices.Find(e.asked.Model)
	switch {
	case e.usage.USD > 0:
		return &e.usage.USD
	case e.usage != llm.Usage{} && known:
		usd := price.Of(e.usage)
		return &usd
	}
	return nil
}

// begin checks a call against the ceilings that apply to it, and writes its estimate down if there are any.
func (p *priced) begin(ctx context.Context, req llm.Request, waits func(ahead int) bool) (*claim, error) {
	b := p.book
	c := &claim{entry: b.entry(req.Payer, llm.Choice{Runtime: p.name, Model: cmp.Or(req.Model, p.model)}), alone: p.alone}
	if !b.Ceilings.any() {
		return c, nil
	}
	if err := b.CheckPrice(c.asked.Model); err != nil {
		return nil, err
	}
	price, _ := b.Prices.Find(c.asked.Model)
	if len(b.limits(c.entry)) == 0 {
		return c, nil
	}
	tokens := inputTokens(req)
	c.input, c.perToken = price.Of(llm.Usage{Input: tokens}), price.Output/1e6
	tokens *= bytesPerToken // as a token has at least one byte
	c.more = max(0, price.Of(llm.Usage{Input: tokens, Written: tokens})-c.input)
	c.most = longestAnswer
	if req.MaxOutput > 0 {
		c.most = min(c.most, req.MaxOutput)
	}
	c.least = min(c.most, usualAnswer)
	return c, b.reserve(ctx, c, waits)
}

// CheckPrice returns why every call of a model is refused: there is a ceiling, and the price of the model is not known.
func (b *Meter) CheckPrice(model string) error {
	if _, known := b.Prices.Find(model); known || !b.Ceilings.any() {
		return nil
	}
	return unpriced(model)
}

// unpriced is the refusal of a model without a price.
func unpriced(model string) *llm.Error {
	return &llm.Error{
		Kind: llm.OverBudget, Remedy: "add it to the file of DISCOCLAW_PRICES_FILE, or unset the budgets",
		Err: fmt.Errorf("the price of %q is not known, so that no budget can be kept", model),
	}
}

// end records what a call has cost. If it is not known, a whole answer counts as one of usual length, or by what was
// written of it if that is more. Of one that broke off or was stopped, the vendor may have written on, so that it
// counts with its limit. A call that the vendor did not take has cost nothing.
func (b *Meter) end(c *claim, begun, whole bool, written int) {
	switch {
	case c.usage != llm.Usage{}:
		c.usd = b.cost(c.entry)
	case c.id == 0:
		return // there is nothing to record
	case !begun:
		c.void = true
	default:
		output := c.output
		if whole {
			output = min(output, usualAnswer)
		}
		usd := c.estimate(max(output, written/bytesPerToken))
		c.usd = &usd
	}
	b.settle(c)
}

const (
	bytesPerToken = 3
	usualAnswer   = 1000 // tokens
	longestAnswer = 4096 // tokens, under a ceiling
)

// inputTokens is a guess at the tokens of a call's input: a token for three bytes of text, which is more than most
// texts have.
func inputTokens(req llm.Request) int {
	const (
		perImage  = 1500
		perPage   = 2500   // of a document,
		pageBytes = 50_000 // if a page is as large as this
	)
	tokens := float64(max(req.Size(), req.WithoutTools().Size())) / bytesPerToken // a model that takes no tools is asked without
	for _, m := range req.Messages {
		tokens += float64(len(m.Images) * perImage)
		for _, d := range m.Documents {
			tokens += perPage * math.Ceil(float64(len(d.Data))/pageBytes)
		}
	}
	return int(math.Ceil(tokens))
}

// The ceilings by their names.
const (
	overDay     = "day"
	overUserDay = "user"
	overCronRun = "run"
)

func (b *Meter) refusal(over string) *llm.Error {
	const tomorrow = ", or wait until tomorrow"
	switch over {
	case overUserDay:
		return &llm.Error{
			Kind: llm.OverBudget, Members: "you have used up your share of my language model for today; ask again tomorrow",
			Remedy: "raise DISCOCLAW_BUDGET_USER_DAY_USD" + tomorrow, Err: fmt.Errorf("the budget of %s a day for one person is used up", Ceiling(b.Ceilings.UserDay)),
		}
	case overCronRun:
		return &llm.Error{
			Kind: llm.OverBudget, Members: "this run would cost more than one run of a scheduled job may; make the job smaller, or let it use a cheaper model",
			Remedy: "raise DISCOCLAW_BUDGET_CRON_RUN_USD, or make the job smaller", Err: fmt.Errorf("the budget of %s for one run of a scheduled job is used up", Ceiling(b.Ceilings.CronRun)),
		}
	}
	return &llm.Error{
		Kind: llm.OverBudget, Members: "today's budget for my language model is used up; ask again tomorrow",
		Remedy: "raise DISCOCLAW_BUDGET_DAY_USD" + tomorrow, Err: fmt.Errorf("the budget of %s a day is used up", Ceiling(b.Ceilings.Day)),
	}
}

// A refusal is a ceiling and the job that has reached it.
type refusal struct{ over, job string }

// repeats reports whether a job was refused for the same reason before on this day. The lock is held.
func (b *Meter) repeats(e entry, over string) bool {
	if b.today != e.day {
		b.today, b.refused = e.day, map[refusal]bool{}
	}
	r := refusal{over, e.payer.Job}
	before := b.refused[r]
	b.refused[r] = true
	return before
}

// Ceiling formats an amount for people as it was set.
func Ceiling(usd float64) string {
	if text := strconv.FormatFloat(usd, 'f', -1, 64); len(text)-strings.IndexByte(text+".", '.') > 3 {
		return "$" + text
	}
	return fmt.Sprintf("$%.2f", usd)
}

// Dollars formats an amount for people.
func Dollars(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < 0.005:
		return "less than $0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}
