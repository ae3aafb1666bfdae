package tasks

import (
	"context"
	"regexp"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	engine "discoclaw/internal/tasks"
)

// Commands implements [commands.Commander]: !task manages tasks without a model.
func (c *Category) Commands() []commands.Command {
	const which = "Say which task, by its number; `!task list` shows them."
	verbs := []commands.Verb{
		{Name: "list", Type: "taskList", Example: "!task list mine", Given: map[string]any{"limit": 20}, Tidy: mine},
		{Name: "new", Type: "taskCreate", Missing: "Say what is to be done.", Example: "!task new Fix the login p1 due:2027-05-01 @ada #bug"},
		{Name: "show", Type: "taskShow", Missing: which, Example: "!task show 7"},
		{Name: "update", Type: "taskUpdate", Missing: which, Example: "!task update 7 p0 status:blocked", Tidy: exactStatus},
		{Name: "close", Type: "taskClose", Missing: which, Example: "!task close 7 shipped"},
		{Name: "sync", Type: "taskSync"},
	}
	return []commands.Command{{
		Name: "task", Summary: "Open, list, show, change or close tasks.", Where: commands.OnServers, Verbs: verbs,
		Hidden: "Not everybody here may see the tasks. Ask me in the task forum, or with `/discoclaw task`, which answers you alone.",
		Options: []commands.Option{
			{Name: commands.What, Summary: "What to do; a list of what is open if left out."},
			{Name: "task", Summary: "Which task, by its ID; not for new and list.", Complete: c.openIDs},
			{Name: "text", Summary: "Title, p0 to p4, due:2027-05-01, status:blocked, @somebody, #tag; for close the reason."},
		},
	}}
}

// openIDs returns the IDs of open tasks, for completion. If they cannot be read there are none.
func (c *Category) openIDs(ctx context.Context, who chat.User, at chat.Place, _ string) (ids []string) {
	if !c.Reads(ctx, at.Guild, who.ID) {
		return nil
	}
	list, _ := c.engine.Open(ctx, at.Guild, commands.MaxSuggestions)
	for _, t := range list {
		ids = append(ids, t.ID)
	}
	return ids
}

// mine lets !task list mine list the tasks of its author.
func mine(text string) (string, error) {
	if strings.EqualFold(strings.TrimSpace(text), "mine") {
		return "@me", nil
	}
	text, _ = exactStatus(text) // the action says what else may be listed
	return text, nil
}

var statusWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bstatus:(in progress\b|\S+)`) })

// exactStatus replaces a status by its name.
func exactStatus(text string) (string, error) {
	var wrong error
	text = statusWord().ReplaceAllStringFunc(text, func(word string) string {
		s, err := engine.ParseStatus(word[len("status:"):])
		if err != nil {
			wrong = &commands.UsageError{Problem: chat.Capital(err.Error()) + "."}
			return word
		}
		return "status:" + string(s)
	})
	return text, wrong
}
