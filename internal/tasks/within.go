package tasks

import (
	"context"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// CreateIn is [Engine.Create] in a transaction of the caller, who calls Wake after the commit, so that the post follows.
// No labels are suggested.
func (e *Engine) CreateIn(ctx context.Context, tx *store.Tx, t Task) (Task, error) {
	r, err := requested(t)
	if err != nil {
		return Task{}, err
	}
	made, _, err := add(ctx, tx, e.Prefix, r)
	return made, store.Plain(err)
}

// UpdateIn is [Engine.Update] in a transaction of the caller, who calls Wake after the commit, so that the post follows.
func (e *Engine) UpdateIn(ctx context.Context, tx *store.Tx, g chat.GuildID, id string, c Change) (before, after Task, err error) {
	return change(ctx, tx, g, e.fullID(id), c.apply)
}

// FindOpen returns the task of a server that is not closed, and has a label and a title, in capitals or not; the first in the order of
// List if there are several. Without one it returns ErrNotFound. It sees what its transaction has changed.
func (e *Engine) FindOpen(ctx context.Context, tx *store.Tx, g chat.GuildID, label, title string) (Task, error) {
	statement, args := Filter{Label: label}.query(g)
	found, err := store.All(ctx, tx, scan, statement, args...)
	if err != nil {
		return Task{}, store.Plain(err)
	}
	for _, r := range found {
		if strings.EqualFold(r.Title, chat.OneLine(title)) {
			return r.Task, nil
		}
	}
	return Task{}, ErrNotFound
}
