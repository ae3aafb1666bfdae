package flow

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// lateAfter is from when on something that waited for the bot to come back is late.
const lateAfter = 2 * time.Minute

// isLate says whether a message was written so long ago, while the bot was away, that its
// author may not think of it any more.
func (f *Flows) isLate(m chat.Message) bool {
	return f.missed.has(m.ID) && f.Server.Now().Sub(m.Sent) > lateAfter
}

// askedLate is when the first of some messages was written that is late; zero if none is.
func (f *Flows) askedLate(said []chat.Message) time.Time {
	for _, m := range said {
		if f.isLate(m) {
			return m.Sent
		}
	}
	return time.Time{}
}

// lateRemark tells readers that they should have heard earlier, if they should.
func lateRemark(asked, now time.Time) string {
	if ago := now.Sub(asked); asked.IsZero() || ago <= lateAfter {
		return ""
	} else if ago > 12*time.Hour {
		return fmt.Sprintf("-# Late: asked on %s, while the bot was away.", asked.UTC().Format("2 January at 15:04 UTC"))
	}
	return fmt.Sprintf("-# Late: asked at %s, while the bot was away.", asked.UTC().Format("15:04 UTC"))
}

// remarked is a venue whose first answer has a remark above it. It may be empty.
func remarked(v turn.Venue, remark string) turn.Venue {
	if remark == "" {
		return v
	}
	return &remarkedVenue{Venue: v, remark: remark}
}

type remarkedVenue struct {
	turn.Venue

	mu     sync.Mutex
	remark string
}

func (v *remarkedVenue) Open(ctx context.Context, key, label string) (turn.Reply, error) {
	reply, err := v.Venue.Open(ctx, key, label)
	if err != nil {
		return nil, err
	}
	return remarkedReply{reply, v}, nil
}

// take returns the remark, once.
func (v *remarkedVenue) take() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	remark := v.remark
	v.remark = ""
	return remark
}

type remarkedReply struct {
	turn.Reply
	venue *remarkedVenue
}

// Finish adds the remark to the answer. Files come with the last chunk, and must not come
// with another when they are delivered again: then there may be no place for the remark.
func (r remarkedReply) Finish(ctx context.Context, chunks []string, files ...chat.File) (chat.Receipt, error) {
	with := withRemark(r.venue.take(), chunks)
	if len(files) > 0 && len(with) > len(chunks) {
		with = chunks
	}
	return r.Reply.Finish(ctx, with, files...)
}

// longestPost is how many characters a message may have.
// https://discord.com/developers/docs/resources/message#create-message
const longestPost = 2000

// withRemark puts a remark above chunks, or below them if the first has no room for it: each
// chunk must stay the one that it was when an earlier process began to deliver the answer.
func withRemark(remark string, chunks []string) []string {
	if remark == "" || len(chunks) == 0 {
		return chunks
	}
	if with := remark + "\n" + chunks[0]; chat.Length(with) <= longestPost {
		return append([]string{with}, chunks[1:]...)
	}
	return append(slices.Clone(chunks), remark)
}
