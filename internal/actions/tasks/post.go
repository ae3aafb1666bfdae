package tasks

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
	engine "discoclaw/internal/tasks"
)

// Live returns what the posts of tasks need while they follow. With tags, the model chooses those of new tasks.
func (*Category) Live(busy func(chat.ChannelID) bool, ask forum.Ask, tags bool) engine.Live {
	live := engine.Live{Busy: busy}
	if tags {
		live.Suggest = func(ctx context.Context, t engine.Task, names []string) ([]string, error) {
			return ask.Tags(ctx, "tasks", "task", names, t.Title, t.Description)
		}
	}
	return live
}

// A Sync asks for a comparison of all tasks with their posts.
type Sync struct{}

func (c *Category) sync() *actions.Action {
	return define(c, actions.Spec[Sync]{
		Name:       "taskSync",
		Rare:       true,
		Summary:    "Compare all tasks with the posts of the forum, and mend what differs.",
		Sentence:   "Compare all tasks with their posts[ in {where}] and mend what differs",
		Idempotent: true,
		Examples:   []Sync{{}},
		Do: func(ctx context.Context, call actions.Call, _ Sync) (actions.Result, error) {
			of, err := c.forum(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			done, err := c.engine.Sync(ctx, call.Origin.Place.Guild)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: fmt.Sprintf("compared the tasks with %s: %s", of.Mention(), done.Words("task", "tasks"))}, nil
		},
	})
}

// A Reload asks for the tag map to be read again.
type Reload struct{}

func (c *Category) reload() *actions.Action {
	return define(c, actions.Spec[Reload]{
		Name:       "tagMapReload",
		Rare:       true,
		Summary:    "Read the file again that says which tags of the forum stand for which words.",
		Sentence:   "Read the file of the tags[ of {where}] again",
		Effect:     actions.Keeps,
		Idempotent: true,
		Examples:   []Reload{{}},
		Do: func(context.Context, actions.Call, Reload) (actions.Result, error) {
			before, now, err := c.engine.ReloadTags()
			if err != nil {
				return actions.Result{}, chat.WithRemedy(errors.New("I can't read the file of tags, so the tags stay as they were"), err.Error())
			}
			return actions.Result{Summary: forum.ReloadedWords(before, now)}, nil
		},
	})
}
