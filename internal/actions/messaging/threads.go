package messaging

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

func (c *Category) threads() []*actions.Action {
	return []*actions.Action{c.threadCreate()}
}

// A ThreadCreate starts a public thread.
type ThreadCreate struct {
	Channel            chat.ChannelRef `json:"channelId" alias:"channel" doc:"Channel name or ID, not a forum."`
	Name               string          `json:"name" doc:"The thread's name, cut after 100 characters."`
	Message            chat.MessageRef `json:"messageId,omitempty" alias:"message" doc:"Message to start from."`
	AutoArchiveMinutes int             `json:"autoArchiveMinutes,omitempty" doc:"Archive when idle for 60, 1440, 4320 or 10080 minutes." default:"1440"`
}

func (in ThreadCreate) place() chat.ChannelRef { return in.Channel }

// check: Discord knows an hour, a day, three days and a week.
func (in ThreadCreate) check() error {
	if !slices.Contains([]int{60, 1440, 4320, 10080}, in.AutoArchiveMinutes) {
		return fmt.Errorf("autoArchiveMinutes: %d is not one of 60, 1440, 4320, 10080", in.AutoArchiveMinutes)
	}
	return nil
}

func (c *Category) threadCreate() *actions.Action {
	return define(c, actions.Spec[ThreadCreate]{
		Name:     "threadCreate",
		Summary:  "Start a public thread in a channel, or from one of its messages.",
		Needs:    []chat.Permission{chat.ViewChannel, chat.CreateThreads},
		Examples: []ThreadCreate{{Channel: "general", Name: "Release 2.0"}},
		Check:    ThreadCreate.check,
		Do:       c.doThreadCreate,
	})
}

func (c *Category) doThreadCreate(ctx context.Context, call actions.Call, in ThreadCreate) (actions.Result, error) {
	ch, err := c.channel(ctx, call, in.Channel)
	if err == nil {
		err = checkThreads(ch)
	}
	if err != nil {
		return actions.Result{}, err
	}
	name, where := threadName(in.Name), "in "+called(ch)
	var from chat.MessageID
	if in.Message != "" {
		if from, err = c.message(ctx, call, ch, in.Message); err != nil {
			return actions.Result{}, err
		}
		where = "from message " + where
	}
	thread, err := c.server.StartThread(ctx, ch.ID, from, name, time.Duration(in.AutoArchiveMinutes)*time.Minute)
	if err != nil {
		return actions.Result{}, fmt.Errorf(`start thread "%s" %s: %w`, name, where, err)
	}
	return actions.Result{Summary: fmt.Sprintf(`Created thread "%s" %s (id %s)`, name, where, thread.ID)}, nil
}

// checkThreads refuses channels in which this action cannot start a thread.
func checkThreads(ch chat.Channel) error {
	switch ch.Kind {
	case chat.TextChannel, chat.Announcements:
		return nil
	case chat.Forum, chat.Media:
		return fmt.Errorf("%s is a %s channel, and posts in those cannot be made yet; ask somebody to make one, then write in it", called(ch), ch.Kind)
	case chat.Thread:
		return fmt.Errorf("%s is a thread itself, and threads have none; choose the channel around it", called(ch))
	}
	return fmt.Errorf("%s is a %s channel, which has no threads; choose a text channel", called(ch), ch.Kind)
}

// mostInName is Discord's limit for the name of a thread.
const mostInName = 100

// threadName makes a name of one line that is not too long.
func threadName(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if chat.Length(s) <= mostInName {
		return s
	}
	left := mostInName - 1 // one is for the ellipsis
	end := strings.IndexFunc(s, func(r rune) bool {
		left -= chat.Length(string(r))
		return left < 0
	})
	return strings.TrimSpace(s[:end]) + "…"
}
