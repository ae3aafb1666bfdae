package spend

import (
	"context"
	"errors"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
)

// A Purchase is the record of something that is not paid for by tokens: a picture, or speech.
type Purchase struct {
	book *Book
	own  func(models.Price) *float64 // its price in DISCOCLAW_PRICES_FILE, or in the table
	*claim
}

// BeginImage checks a picture against the ceilings before it is asked for, with an estimate of its price, which may be
// unknown. One of DISCOCLAW_PRICES_FILE comes first. The error is an *llm.Error if it is refused.
func (b *Book) BeginImage(ctx context.Context, p llm.Payer, model string, usd float64, known bool) (*Purchase, error) {
	i := &Purchase{book: b, claim: &claim{entry: b.entry(p, llm.Choice{Model: model})}, own: func(p models.Price) *float64 { return p.Image }}
	i.price(usd, known)
	return i, i.begin(ctx, "a picture by "+model, "this picture")
}

// BeginSpeech is BeginImage for a text that is to be spoken, whose price goes by its characters.
func (b *Book) BeginSpeech(ctx context.Context, p llm.Payer, model string, characters int) (*Purchase, error) {
	s := &Purchase{book: b, claim: &claim{entry: b.entry(p, llm.Choice{Model: model})}, own: func(p models.Price) *float64 {
		if p.Speech == nil {
			return nil
		}
		usd := *p.Speech * float64(characters) / 1e6
		return &usd
	}}
	s.price(0, false)
	return s, s.begin(ctx, "speech by "+model, "speaking this")
}

// begin reserves the price, if there are ceilings. What it is called is for members.
func (p *Purchase) begin(ctx context.Context, kind, this string) error {
	switch {
	case !p.book.Ceilings.any():
		return nil
	case p.usd == nil:
		refused := unpriced(p.asked.Model)
		refused.Members = "I don't know what " + kind + " costs, so I can't keep to my budget"
		return refused
	}
	p.input = *p.usd
	err := p.book.reserve(ctx, p.claim, func(int) bool { return true })
	if refused, ok := errors.AsType[*llm.Error](err); ok {
		refused.Members = this + " would cost more than what is left of my budget"
	}
	return err
}

func (p *Purchase) price(usd float64, known bool) {
	if price, ok := p.book.Prices.Find(p.asked.Model); ok && p.own(price) != nil {
		usd, known = *p.own(price), true
	}
	if known {
		p.usd = &usd
	}
}

// Made records that it was made, with its price. If that is unknown, the estimate stands.
func (p *Purchase) Made(usd float64, known bool) {
	p.price(usd, known)
	p.book.settle(p.claim)
}

// Unpaid records that it has cost nothing.
func (p *Purchase) Unpaid() {
	if p.void = true; p.id != 0 {
		p.book.settle(p.claim)
	}
}
