package tasks

import (
	"context"

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
