package spend

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
)

// A claim is a call's part of the budget, from before the call until it is over. Claims are in memory alone: after a
// crash, the estimates in the rows count as spent.
type claim struct {
	entry
	alone bool // what it costs has no limit, so that it runs while no other does
	held  bool // it has its part; others wait for theirs

	input       float64 // the price of the input, or of the whole purchase, by the estimate
	more        float64 // what the input may cost beyond that
	perToken    float64 // the price of output
	least, most int     // tokens of output: below the least, the call is not worth its price
	output      int     // the limit of its answer, which others read until the claim ends
}

// fits sets the limit of the answer to what a rest pays for, and reports whether that is enough.
func (c *claim) fits(rest float64) bool {
	c.output = c.most
	if c.perToken > 0 {
		c.output = int(min(float64(c.most), math.Floor((rest-c.input+rounding)/c.perToken)))
	}
	return c.output >= c.least && c.input <= rest+rounding
}

// rounding is more than sums of prices are off by, and less than a call costs.
const rounding = 1e-9

// estimate is what the call costs with an answer of so many tokens.
func (c *claim) estimate(output int) float64 { return c.input + c.perToken*float64(output) }

// atMost is what the call can cost.
func (c *claim) atMost() float64 { return c.estimate(c.output) + c.more }

// A limit is a ceiling that applies to a claim.
type limit struct {
	name    string
	ceiling float64
	where   string
	args    []any
	same    func(*claim) bool // reports whether it applies to another one together with this
}

// limits returns those of an entry.
func (b *Meter) limits(e entry) []limit {
	all := []limit{
		{overDay, b.Ceilings.Day, "day = ?", []any{e.day}, func(o *claim) bool { return o.day == e.day }},
		{overUserDay, b.Ceilings.UserDay, "day = ? AND person = ?", []any{e.day, e.payer.User}, func(o *claim) bool {
			return o.day == e.day && o.payer.User == e.payer.User
		}},
		{overCronRun, b.Ceilings.CronRun, "turn = ? AND job = ? AND day >= ?",
			[]any{e.payer.Turn, e.payer.Job, e.at.Add(-48 * time.Hour).Format(time.DateOnly)}, func(o *claim) bool {
				return o.payer.Turn == e.payer.Turn && o.payer.Job == e.payer.Job
			}},
	}
	return slices.DeleteFunc(all, func(l limit) bool {
		return l.ceiling == 0 || l.name == overUserDay && e.payer.User == "" || l.name == overCronRun && e.payer.Job == ""
	})
}

// again is how often a claim that waits says so, which shows those who watch the call that it has not stalled.
const again = 5 * time.Second

// reserve gets a claim its part of the budget and writes its estimate down. If what was spent leaves too little, it
// returns an *llm.Error. If only claims of calls that are not over do, it waits for them; waits is told how many wait
// before it, and returns false to give up.
func (b *Meter) reserve(ctx context.Context, c *claim, waits func(ahead int) bool) error {
	for {
		ahead, changed, err := b.try(ctx, c)
		switch {
		case err != nil && ctx.Err() != nil:
			b.leave(c)
			return context.Cause(ctx)
		case err != nil:
			b.leave(c)
			return err
		case c.held:
			return nil
		case !waits(ahead):
			b.leave(c)
			return context.Canceled
		}
		select {
		case <-changed:
		case <-time.After(again):
		case <-ctx.Done():
			b.leave(c)
			return context.Cause(ctx)
		}
	}
}

// try holds the claim if it can be held. If it must wait, it returns how many wait before it, and a channel that is
// closed when a claim ends. Looking and writing are under one lock, so that two calls cannot both have the last cent.
func (b *Meter) try(ctx context.Context, c *claim) (ahead int, changed <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.write(ctx); err != nil {
		return 0, nil, fmt.Errorf("look up what was spent: %w", err)
	}
	if !slices.Contains(b.claims, c) {
		b.claims = append(b.claims, c)
	}
	c.at = b.Now()
	c.day = b.day(c.at) // midnight may have passed while it waited
	wait, err := b.mustWait(ctx, c)
	if err != nil {
		return 0, nil, err
	}
	if wait {
		for _, o := range b.before(c) {
			if !o.held {
				ahead++
			}
		}
		return ahead, b.changed, nil
	}
	usd := c.estimate(c.output)
	c.usd = &usd
	if err := b.rows.reserve(ctx, &c.entry); err != nil {
		return 0, nil, fmt.Errorf("write down what is to be spent: %w", err)
	}
	c.held = true
	return 0, nil, nil
}

// before returns the claims that a claim has to respect: those that are held, and those that have waited for longer, so
// that none starves.
func (b *Meter) before(c *claim) (all []*claim) {
	came := true
	for _, o := range b.claims {
		if o == c {
			came = false
		} else if o.held || came {
			all = append(all, o)
		}
	}
	return all
}

// mustWait reports whether a claim has to wait for others. The error is a refusal if what was spent leaves too little.
func (b *Meter) mustWait(ctx context.Context, c *claim) (bool, error) {
	var open []int64
	for _, o := range b.claims {
		if o.held {
			open = append(open, o.id)
		}
	}
	limits, rests := b.limits(c.entry), []float64{}
	for _, l := range limits {
		spent, err := b.rows.spent(ctx, l, open)
		if err != nil {
			return false, fmt.Errorf("look up what was spent: %w", err)
		}
		if rests = append(rests, l.ceiling-spent); !c.fits(l.ceiling - spent) {
			refused := b.refusal(l.name)
			refused.Repeated = c.payer.Job != "" && b.repeats(c.entry, l.name)
			return false, refused
		}
	}
	if len(rests) > 0 {
		c.fits(slices.Min(rests))
	}
	for i, l := range limits {
		others, needed := 0, c.atMost()
		for _, o := range b.before(c) {
			if !l.same(o) {
				continue
			}
			if others++; c.alone || o.alone {
				return true, nil
			}
			needed += o.atMost()
		}
		if others > 0 && needed > rests[i]+rounding {
			return true, nil
		}
	}
	return false, nil
}

// leave ends a claim, and wakes those that wait.
func (b *Meter) leave(c *claim) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(c)
}

func (b *Meter) drop(c *claim) {
	i := slices.Index(b.claims, c)
	if i < 0 {
		return // without ceilings there are none
	}
	b.claims = slices.Delete(b.claims, i, i+1)
	close(b.changed)
	b.changed = make(chan struct{})
}
