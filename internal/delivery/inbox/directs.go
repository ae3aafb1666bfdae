package inbox

import (
	"context"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// A Past is how far channels had been read before a login, which may have missed events.
type Past struct {
	heard  int64 // the latest live message of all servers; 0 if there is none
	direct map[chat.ChannelID]int64
}

// Past returns how far channels have been read. It is called before Gaps, which says that they are heard from now on.
func (b *Inbox) Past() Past {
	_, heard := b.watermarks.heardSoFar()
	return Past{heard, b.watermarks.direct()}
}

// IsEmpty reports whether nothing was ever heard, so that nothing was missed.
func (p Past) IsEmpty() bool { return p.heard == 0 }

// DirectGap is DirectMessageGaps for direct messages that were opened since, with their latest message. It returns no
// gap if their watermark was known, or if nothing was written there since the past. The channel is read from here on.
func (b *Inbox) DirectGap(p Past, at chat.Place) []Gap {
	if _, known := p.direct[at.Channel]; known {
		return nil
	}
	if number(at.Message) <= p.heard {
		b.Track(upTo(at, p.heard))
		return nil
	}
	// With a watermark, or the next process would not find these messages if this one ends before it has read them.
	b.watermarks.advanceLazily(upTo(at, p.heard))
	return b.watermarks.opened([]Gap{gap(at, p.heard)})
}

// Directs returns whose direct messages the bot has opened.
func (b *Inbox) Directs(ctx context.Context) (map[chat.UserID]bool, error) {
	people, err := store.All(ctx, b.db, store.Column[chat.UserID], "SELECT person FROM directs")
	if err != nil {
		return nil, fmt.Errorf("look whose direct messages are open: %w", err)
	}
	opened := map[chat.UserID]bool{}
	for _, person := range people {
		opened[person] = true
	}
	return opened, nil
}

// Opened records whose direct messages a channel has, once the channel has a watermark.
func (b *Inbox) Opened(ctx context.Context, person chat.UserID, ch chat.ChannelID) error {
	if err := b.Save(ctx); err != nil {
		return err
	}
	_, err := b.db.ExecContext(ctx, "INSERT INTO directs (person, channel) VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET channel = excluded.channel",
		string(person), string(ch))
	if err != nil {
		return fmt.Errorf("write down whose direct messages are open: %w", err)
	}
	return nil
}
