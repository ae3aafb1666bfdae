package tasks

import (
	"context"
	"fmt"

	"discoclaw/internal/doctor"
)

// Check implements [doctor.Checker]: it says where the posts of tasks are. Which servers have such a forum is known only to a running bot.
func (c *Category) Check(context.Context) []doctor.Finding {
	f := doctor.Finding{What: "tasks", State: "their posts are in the forum named tasks on each server that has one; DISCOCLAW_TASKS_FORUM selects another"}
	if id := c.engine.Options.Forum; id != "" {
		f.State = fmt.Sprintf("their posts are in forum %s (DISCOCLAW_TASKS_FORUM)", id)
	}
	if c.off {
		f.State = "tasks are off (DISCOCLAW_TASKS_ENABLED=0)"
	}
	return []doctor.Finding{f}
}
