package spend

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
)

// A Service is what hears or speaks: a model of a vendor, or of a server on this machine. That costs nothing, and no ceiling refuses it.
type Service struct {
	Model string
	Local bool
}

// A Purchase is the record of something that is not paid for by tokens: a picture, speech, or sound that is recognised.
type Purchase struct {
	book *Meter
	own  func(models.Price, entry) *float64 // its price in DISCOCLAW_PRICES_FILE, or in the table
	free bool
	*claim
}

// BeginImage checks a picture against the ceilings before it is asked for, with an estimate of its price, which may be
// unknown. One of DISCOCLAW_PRICES_FILE comes first. The error is an *llm.Error if it is refused.
func (b *Meter) BeginImage(ctx context.Context, p llm.Payer, model string, usd float64, known bool) (*Purchase, error) {
	i := b.purchase(p, Service{Model: model}, func(p models.Price, _ entry) *float64 { return p.Image })
	i.price(usd, known)
	return i, i.begin(ctx, "a picture by "+model, "this picture")
}

// BeginSpeech is BeginImage for a text that is to be spoken, whose price goes by its characters.
func (b *Meter) BeginSpeech(ctx context.Context, p llm.Payer, s Service, characters int) (*Purchase, error) {
	i := b.purchase(p, s, func(p models.Price, e entry) *float64 { return times(p.Speech, float64(e.characters)/1e6) })
	i.characters = characters
	i.price(0, false)
	return i, i.begin(ctx, "speech by "+s.Model, "speaking this")
}

// BeginHearing is BeginImage for live sound that is to be recognised. Used says how much it was in the end.
func (b *Meter) BeginHearing(ctx context.Context, p llm.Payer, s Service, sound time.Duration) (*Purchase, error) {
	return b.beginSound(ctx, p, s, sound, func(p models.Price) *float64 { return p.Minute })
}

// BeginRecording is BeginHearing for a recording, for which some vendors take less.
func (b *Meter) BeginRecording(ctx context.Context, p llm.Payer, s Service, sound time.Duration) (*Purchase, error) {
	return b.beginSound(ctx, p, s, sound, func(p models.Price) *float64 {
		if p.Recorded != nil {
			return p.Recorded
		}
		return p.Minute
	})
}

func (b *Meter) beginSound(
	ctx context.Context, p llm.Payer, s Service, sound time.Duration, minute func(models.Price) *float64,
) (*Purchase, error) {
	i := b.purchase(p, s, func(p models.Price, e entry) *float64 { return times(minute(p), e.sound.Minutes()) })
	i.sound = sound
	i.price(0, false)
	return i, i.begin(ctx, "hearing by "+s.Model, "listening to this")
}

func (b *Meter) purchase(p llm.Payer, s Service, own func(models.Price, entry) *float64) *Purchase {
	return &Purchase{book: b, own: own, free: s.Local, claim: &claim{entry: b.entry(p, llm.Choice{Model: s.Model})}}
}

// times is the price of an amount. It is nil if the price is not known.
func times(price *float64, amount float64) *float64 {
	if price == nil {
		return nil
	}
	usd := *price * amount
	return &usd
}

// begin reserves the price, if there are ceilings. What it is called is for members.
func (p *Purchase) begin(ctx context.Context, kind, this string) error {
	switch {
	case p.free || !p.book.Ceilings.any():
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
	if price, ok := p.book.Prices.Find(p.asked.Model); ok && p.own(price, p.entry) != nil {
		usd, known = *p.own(price, p.entry), true
	}
	if p.free {
		usd, known = 0, true
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

// Used records how much sound was sent. None costs nothing.
func (p *Purchase) Used(sound time.Duration) {
	if sound <= 0 {
		p.Unpaid()
		return
	}
	p.sound = sound
	p.Made(0, false)
}

// Unpaid records that it has cost nothing.
func (p *Purchase) Unpaid() {
	if p.void = true; p.id != 0 {
		p.book.settle(p.claim)
	}
}
