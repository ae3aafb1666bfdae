package tasks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	engine "discoclaw/internal/tasks"
)

// A Sync asks for a comparison of all tasks with their posts.
type Sync struct{}

func (c *Category) sync() *actions.Action {
	return define(c, actions.Spec[Sync]{
		Name:        "taskSync",
		Rare:        true,
		ExplainWhen: []string{"sync", "compare", "out of step", "tasksync"},
		Summary:     "Compare all tasks with the posts of the forum, and mend what differs.",
		Idempotent:  true,
		Examples:    []Sync{{}},
		Do: func(ctx context.Context, call actions.Call, _ Sync) (actions.Result, error) {
			forum, err := c.forum(ctx, call)
			if err != nil {
				return actions.Result{}, err
			}
			done, err := c.engine.Sync(ctx, call.Origin.Place.Guild)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: fmt.Sprintf("compared the tasks with %s: %s", forum.Mention(), summary(done))}, nil
		},
	})
}

// summary says what a sync has changed.
func summary(r engine.Report) string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{r.Created, "post made", "posts made"},
		{r.Updated, "post changed", "posts changed"},
		{r.Archived, "post archived", "posts archived"},
		{r.Reopened, "post reopened", "posts reopened"},
		{r.Taken, "task changed", "tasks changed"},
		{r.Adopted, "post made a task", "posts made tasks"},
		{r.Refused, "post refused", "posts refused"},
		{r.Deferred, "post to be archived when I am done there", "posts to be archived when I am done there"},
		{r.Orphans, "post of a task that has another one", "posts of tasks that have another one"},
		{r.Failed, "failure, which I retry", "failures, which I retry"},
	} {
		if p.n > 0 {
			parts = append(parts, chat.Counted(p.n, p.one, p.many))
		}
	}
	if len(parts) == 0 {
		return "everything is up to date"
	}
	return chat.And(parts)
}

// A Reload asks for the tag map to be read again.
type Reload struct{}

func (c *Category) reload() *actions.Action {
	return define(c, actions.Spec[Reload]{
		Name:        "tagMapReload",
		Rare:        true,
		ExplainWhen: []string{"tag map", "tagmap", "file of tags", "reload"},
		Summary:     "Read the file again that says which tags of the forum stand for which words.",
		Effect:      actions.Keeps,
		Idempotent:  true,
		Examples:    []Reload{{}},
		Do: func(context.Context, actions.Call, Reload) (actions.Result, error) {
			before, now, err := c.engine.ReloadTags()
			if err != nil {
				return actions.Result{}, chat.WithRemedy(errors.New("I can't read the file of tags, so the tags stay as they were"), err.Error())
			}
			const shown = 10
			text := fmt.Sprintf("read the file of tags again: %s, before %d", chat.Counted(len(now), "tag", "tags"), len(before))
			if len(now) > 0 {
				text += " (" + chat.Literal(strings.Join(now[:min(shown, len(now))], ", ")) + ")"
			}
			return actions.Result{Summary: text}, nil
		},
	})
}
