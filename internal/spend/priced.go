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
func (b *Book) Priced(r llm.Runtime, name, model string) llm.Runtime {
	return &priced{book: b, runtime: r, name: name, model: model}
}

type priced struct {
	book        *Book
	runtime     llm.Runtime
	name, model string
}

func (p *priced) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		e, err := p.book.begin(ctx, req, llm.Choice{Runtime: p.name, Model: cmp.Or(req.Model, p.model)})
		if err != nil {
			yield(nil, err)
			return
		}
		begun, broken, written := false, false, 0
		defer func() { p.book.end(e, begun || ctx.Err() != nil, written) }()
		for event, err := range p.runtime.Invoke(ctx, req) {
			if err == nil {
				begun = true
			}
			broken = err != nil
			switch ev := event.(type) {
			case llm.Usage:
				e.usage.Add(ev)
			case llm.TextDelta:
				written += len(ev.Text)
			}
			if !yield(event, err) {
				return
			}
		}
		if usd := p.book.cost(e); !broken && usd != nil {
			yield(llm.Charged{By: e.asked, USD: *usd, Known: true}, nil)
		} else if !broken {
			yield(llm.Charged{By: e.asked}, nil)
		}
	}
}

// cost returns what a call has cost by its tokens, or nil if that is unknown.
func (b *Book) cost(e entry) *float64 {
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

// begin checks a call against the ceilings, and writes its estimate down if there are any.
func (b *Book) begin(ctx context.Context, req llm.Request, asked llm.Choice) (entry, error) {
	e := b.entry(req.Payer, asked)
	if !b.Ceilings.any() {
		return e, nil
	}
	price, known := b.Prices.Find(asked.Model)
	if !known {
		return e, unpriced(asked.Model)
	}
	estimate := price.Of(Estimate(req))
	e.usd = &estimate
	return e, b.reserve(ctx, &e)
}

// unpriced is the refusal of a model without a price.
func unpriced(model string) *llm.Error {
	return &llm.Error{
		Kind: llm.OverBudget, Remedy: "add it to the file of DISCOCLAW_PRICES_FILE, or unset the budgets",
		Err: fmt.Errorf("the price of %q is not known, so that no budget can be kept", model),
	}
}

// reserve writes an estimate down, unless it is over a ceiling.
func (b *Book) reserve(ctx context.Context, e *entry) error {
	if err := b.flush(ctx); err != nil {
		return fmt.Errorf("look up what was spent: %w", err)
	}
	over, err := b.rows.reserve(ctx, e, b.Ceilings)
	if err != nil {
		return fmt.Errorf("look up what was spent: %w", err)
	}
	if over == "" {
		return nil
	}
	refused := b.refusal(over)
	refused.Repeated = e.payer.Job != "" && b.repeats(*e, over)
	return refused
}

// end records what a call has cost. If it is not known, since the answer broke off or was stopped, the estimate stands, with what was
// written of the answer if that is more; a call that failed by itself before its answer began has cost nothing.
func (b *Book) end(e entry, begun bool, written int) {
	switch {
	case e.usage != llm.Usage{}:
		e.usd = b.cost(e)
	case e.id == 0:
		return // there is nothing to record
	case !begun:
		e.void = true
	default:
		if price, known := b.Prices.Find(e.asked.Model); known && written/bytesPerToken > usualAnswer {
			more := *e.usd + price.Of(llm.Usage{Output: written/bytesPerToken - usualAnswer})
			e.usd = &more
		}
	}
	b.add(e)
}

const (
	bytesPerToken = 3
	usualAnswer   = 1000 // tokens
)

// Estimate is a guess at the tokens of a call before it is made: a token for three bytes of text, which is more than
// most texts have, and an answer of usual length.
func Estimate(req llm.Request) llm.Usage {
	const (
		perImage  = 1500
		perPage   = 2500   // of a document,
		pageBytes = 50_000 // if a page is as large as this
	)
	tokens := float64(req.Size()) / bytesPerToken
	for _, m := range req.Messages {
		tokens += float64(len(m.Images) * perImage)
		for _, d := range m.Documents {
			tokens += perPage * math.Ceil(float64(len(d.Data))/pageBytes)
		}
	}
	return llm.Usage{Input: int(math.Ceil(tokens)), Output: usualAnswer}
}

// The ceilings by their names.
const (
	overDay     = "day"
	overUserDay = "user"
	overCronRun = "run"
)

func (b *Book) refusal(over string) *llm.Error {
	const tomorrow = ", or wait until tomorrow"
	switch over {
	case overUserDay:
		return &llm.Error{
			Kind: llm.OverBudget, Members: "what you may spend on my language model in one day is used up; ask again tomorrow",
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

// repeats reports whether a job was refused for the same reason before on this day.
func (b *Book) repeats(e entry, over string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.today != e.day {
		b.today, b.refused = e.day, map[refusal]bool{}
	}
	r := refusal{over, e.payer.Job}
	before := b.refused[r]
	b.refused[r] = true
	return before
}

// errOver ends a transaction whose estimate is over a ceiling.
var errOver = errors.New("over a ceiling")

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
