package crons

import (
	"context"
	"errors"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
)

// A Sync asks for a comparison of all jobs with their posts.
type Sync struct{}

func (c *Category) sync() *actions.Action {
	return actions.Define(actions.Spec[Sync]{
		Name:        "cronSync",
		Rare:        true,
		ExplainWhen: []string{"sync", "compare", "out of step", "cronsync"},
		Summary:     "Compare all scheduled jobs with their posts, and mend what differs.",
		Sentence:    "Compare all scheduled jobs with their posts and mend what differs",
		Effect:      actions.Keeps,
		Idempotent:  true,
		Examples:    []Sync{{}},
		Do: func(ctx context.Context, call actions.Call, _ Sync) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			done, err := c.Posts.Sync(ctx, g)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: "compared the scheduled jobs with their posts: " + done.Words("scheduled job", "scheduled jobs")}, nil
		},
	})
}

// A Reload asks for the tag map to be read again.
type Reload struct{}

func (c *Category) reload() *actions.Action {
	return actions.Define(actions.Spec[Reload]{
		Name:        "cronTagMapReload",
		Rare:        true,
		ExplainWhen: []string{"tag map", "tagmap", "file of tags", "reload"},
		Summary:     "Read the file of the tags of scheduled jobs again.",
		Sentence:    "Read the file of the scheduled jobs' tags again",
		Effect:      actions.Keeps,
		Idempotent:  true,
		Examples:    []Reload{{}},
		Do: func(context.Context, actions.Call, Reload) (actions.Result, error) {
			before, now, err := c.Posts.ReloadTags()
			if err != nil {
				return actions.Result{}, chat.WithRemedy(errors.New("I can't read the file of tags, so the tags stay as they were"), err.Error())
			}
			return actions.Result{Summary: forum.ReloadedWords(before, now)}, nil
		},
	})
}
