package spend

import (
	"context"
	"errors"

	"discoclaw/internal/llm"
)

// An Image is the record of a picture that is being made.
type Image struct {
	book *Book
	entry
}

// BeginImage checks a picture against the ceilings before it is asked for, with an estimate of its price, which may be
// unknown. One of DISCOCLAW_PRICES_FILE comes first. The error is an *llm.Error if it is refused.
func (b *Book) BeginImage(ctx context.Context, p llm.Payer, model string, usd float64, known bool) (*Image, error) {
	i := &Image{book: b, entry: b.entry(p, llm.Choice{Model: model})}
	i.price(usd, known)
	switch {
	case !b.Ceilings.any():
		return i, nil
	case i.usd == nil:
		refused := unpriced(model)
		refused.Members = "I don't know what a picture by " + model + " costs, so I can't keep to my budget"
		return nil, refused
	}
	err := b.reserve(ctx, &i.entry)
	if refused, ok := errors.AsType[*llm.Error](err); ok {
		refused.Members = "this picture would cost more than what is left of my budget"
	}
	return i, err
}

func (i *Image) price(usd float64, known bool) {
	if own, ok := i.book.Prices.Find(i.asked.Model); ok && own.Image != nil {
		usd, known = *own.Image, true
	}
	if known {
		i.usd = &usd
	}
}

// Made records a picture with its price. If that is unknown, the estimate stands.
func (i *Image) Made(usd float64, known bool) {
	i.price(usd, known)
	i.book.add(i.entry)
}

// Unpaid records that a picture has cost nothing.
func (i *Image) Unpaid() {
	if i.void = true; i.id != 0 {
		i.book.add(i.entry)
	}
}
