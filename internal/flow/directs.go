package flow

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/flow/pipeline"
)

const (
	// maxDirects is with how many people the bot opens direct messages, and openEvery how often: Discord may refuse a bot
	// that opens many in a short time.
	maxDirects = 50
	openEvery  = 2 * time.Second
	// firstOpening is the delay of the first one after the login, since what people wait for comes first.
	firstOpening = 10 * time.Second
)

// A directFinder finds the first direct message of a person that was written while the bot was away: Discord does not
// list direct messages, so they are opened with each person, once. From then on they have a watermark.
type directFinder struct {
	*deps
	gaps *gapReader
	runs atomic.Bool
}

// find opens the direct messages of people with whom they are not open yet, in the background. The past is that
// of before the login.
func (d *directFinder) find(past inbox.Past) {
	if d.catchUp == 0 || past.IsEmpty() || d.runs.Swap(true) {
		return // what runs has an earlier past
	}
	d.pipe.Go("direct messages", func(ctx context.Context) {
		defer d.runs.Store(false)
		opened, err := d.inbox.Directs(ctx)
		if err != nil {
			d.log.ErrorContext(ctx, "first direct messages are not looked for", "err", err)
			return
		}
		if !d.pipe.Pause(ctx, firstOpening) {
			return
		}
		for _, u := range d.people() {
			if !opened[u] && !d.open(ctx, u, past) {
				return
			}
		}
	})
}

// people returns whose direct messages are opened, operators first.
func (d *directFinder) people() []chat.UserID {
	list := slices.Clone(d.access.Users)
	slices.SortStableFunc(list, func(a, b chat.UserID) int { return d.rank(a) - d.rank(b) })
	if len(list) > maxDirects {
		d.log.Warn("first direct messages of some people are not looked for", "served", len(list), "most", maxDirects)
		list = list[:maxDirects]
	}
	return list
}

func (d *directFinder) rank(u chat.UserID) int {
	if slices.Contains(d.access.Operators.IDs, u) {
		return 0
	}
	return 1
}

// open opens the direct messages of a person, and has them read if something was missed there. It retries temporary
// errors. It returns false if the bot goes down.
func (d *directFinder) open(ctx context.Context, u chat.UserID, past inbox.Past) bool {
	for pause := openEvery; d.pipe.Pause(ctx, pause); pause = pipeline.RetryDelay {
		at, err := d.server.OpenDirect(ctx, u)
		if err == nil {
			d.gaps.read(d.inbox.DirectGap(past, at))
			err = d.inbox.Opened(ctx, u, at.Channel)
		}
		if !pipeline.IsPassing(err) {
			if err != nil {
				d.log.WarnContext(ctx, "cannot open direct messages", "user", u, "err", err)
			}
			return true
		}
		d.log.WarnContext(ctx, "cannot open direct messages yet", "user", u, "err", err)
	}
	return false
}
