package flow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/turn"
)

// A cronVenue is where the answers of a run go. Nothing is posted before an answer is whole.
type cronVenue struct {
	turn.Venue
	source *cronSource
	run    *cronRun
}

func (v cronVenue) Open(ctx context.Context, key, label string) (turn.Reply, error) {
	answer, err := v.Venue.Open(ctx, key, label)
	return &cronReply{answer, v, key}, err
}

// A cronReply is one answer of a run.
type cronReply struct {
	turn.Reply
	cronVenue
	key string
}

// Finish posts the answer, unless it is not worth a silent job's words, and the messages of it that go elsewhere.
func (a *cronReply) Finish(ctx context.Context, b turn.Body) (chat.Receipt, error) {
	whole := a.run.shaped
	a.run.shaped = false
	unrouted, err := a.route(ctx)
	if err != nil {
		return chat.Receipt{}, err
	}
	if unrouted != "" {
		b.Text = strings.TrimSpace(unrouted + "\n\n" + b.Text)
	}
	if whole && unrouted == "" && a.run.job.Silent && !a.run.job.Routes && len(b.Pictures)+len(b.Notices) == 0 &&
		!reports(b.Text) && cron.IsDull(withoutLookUps(b.Text)) {
		return chat.Receipt{}, nil
	}
	return a.Reply.Finish(ctx, b)
}

// Leave is for turns that go on by themselves, which runs of jobs do not.
func (a *cronReply) Leave(context.Context, string) {}

// Discard posts the messages of the answer that go elsewhere.
func (a *cronReply) Discard(ctx context.Context) error {
	a.run.shaped = false
	unrouted, err := a.route(ctx)
	if err == nil && unrouted != "" {
		_, err = a.Reply.Finish(ctx, turn.Body{Text: unrouted})
		return err
	}
	if err != nil {
		return err
	}
	return a.Reply.Discard(ctx)
}

// route posts the messages of the answer in the channels that they name. Those that could not be are returned as one text, if there
// are any.
func (a *cronReply) route(ctx context.Context) (unrouted string, err error) {
	routes := a.run.routes
	var left []string
	for i, r := range routes {
		if strings.TrimSpace(r.Content) == "" {
			continue
		}
		at, err := a.source.named(ctx, a.run.origin, chat.ChannelRef(r.Channel))
		if err == nil && at.Channel != a.run.Channel {
			err = a.run.mayRoute(i)
		}
		if pipeline.IsPassing(err) {
			return "", err
		}
		if err != nil {
			left = append(left, unroutable(r, err))
			continue
		}
		venue := a.source.server.Venue(reply.Options{Place: at, Turn: a.run.turn, For: a.run.origin.Requester})
		answer, err := venue.Open(ctx, fmt.Sprintf("%s/route-%d", a.key, i), "")
		if err == nil {
			_, err = answer.Finish(ctx, turn.Body{Text: r.Content})
		}
		if chat.IsPermanent(err) {
			left = append(left, unroutable(r, err))
		} else if err != nil {
			return "", err
		}
	}
	a.run.routes = nil
	return strings.Join(left, "\n\n"), nil
}

// named finds the channel of a message that names it itself: one that the bot serves, and in which all people of the
// run may write. An error is a sentence for people.
func (s *cronSource) named(ctx context.Context, o actions.Origin, ref chat.ChannelRef) (chat.Place, error) {
	ch, err := s.server.Channel(ctx, o.Place.Guild, o.Requester, ref)
	if err != nil {
		return chat.Place{}, err
	}
	if !ch.Kind.TakesMessages() {
		return chat.Place{}, fmt.Errorf("%s takes no messages", ch.ID.Mention())
	}
	if !s.access.Listens(ch.Place()) {
		return chat.Place{}, fmt.Errorf("I am not active in %s", ch.ID.Mention())
	}
	for _, who := range o.People() {
		missing, err := s.server.MissingPermissions(ctx, o.Place.Guild, who, ch.ID, []chat.Permission{chat.ViewChannel, chat.SendMessages})
		if err != nil {
			return chat.Place{}, err
		}
		if len(missing) > 0 {
			return chat.Place{}, fmt.Errorf("%s lacks *%s* in %s", who.Mention(), missing[0], ch.ID.Mention())
		}
	}
	return ch.Place(), nil
}

// maxRoutes is how many messages of an answer may go to other channels.
const maxRoutes = 10

// mayRoute returns why a message must not go to another channel than the job's: as an action it would have needed approval, or been
// refused.
func (run *cronRun) mayRoute(n int) error {
	switch outside := run.read.All(); {
	case outside != "":
		return fmt.Errorf("the idea may come from %s, which I had read", outside.Phrase())
	case run.job.Allowed != nil && !slices.Contains(run.job.Allowed, "sendMessage"):
		return errors.New("this scheduled job may not post in other channels")
	case n >= maxRoutes:
		return fmt.Errorf("I post at most %d messages elsewhere", maxRoutes)
	}
	return nil
}

// lookedUp begins the line about what was looked up for an answer, which is no more worth posting than that.
const lookedUp = "-# Done: "

func withoutLookUps(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, lookedUp) }), "\n")
}

// reports reports whether a text has lines on what was done, or was not, which people always read.
func reports(text string) bool {
	for line := range strings.Lines(withoutLookUps(text)) {
		line = strings.TrimPrefix(line, "-# ")
		if strings.HasPrefix(line, "Done:") || strings.HasPrefix(line, "Failed:") || strings.HasPrefix(line, "Not done") || strings.HasPrefix(line, "Asked:") {
			return true
		}
	}
	return false
}

// unroutable is a message that could not be posted in its channel, for that of the job.
func unroutable(r cron.Route, why error) string {
	return fmt.Sprintf("-# This was meant for %s. I did not post it there: %v.\n%s", chat.InCode(chat.Clip(r.Channel, 60)), why, r.Content)
}
