package hear

import (
	"context"
	"time"

	"discoclaw/internal/chat"
)

// portion is how much sound is paid for at a time.
const portion = 15 * time.Second

// A purse pays for the sound of one speaker.
type purse struct {
	pay    func(ctx context.Context, user chat.UserID, sound time.Duration) (settle func(used time.Duration), err error) // nil if it is free
	user   chat.UserID
	settle func(used time.Duration) // nil while nothing is paid for
	used   time.Duration            // of the portion
}

// take takes sound from the portion, or from the next one.
func (p *purse) take(ctx context.Context, sound time.Duration) error {
	if p.pay == nil {
		return nil
	}
	if p.settle == nil || p.used+sound > portion {
		p.close()
		settle, err := p.pay(ctx, p.user, portion)
		if err != nil {
			return err
		}
		p.settle = settle
	}
	p.used += sound
	return nil
}

// close gives back what was not used.
func (p *purse) close() {
	if p.settle != nil {
		p.settle(p.used)
	}
	p.settle, p.used = nil, 0
}
