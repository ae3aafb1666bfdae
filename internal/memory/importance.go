package memory

import (
	"context"
	"errors"
	"strings"

	"discoclaw/internal/chat"
)

// Importance is from Minor to Major. An item that matters more is kept longer, and a prompt has room for those of Major importance
// before others.
const (
	Minor = 1 + iota
	Normal
	Major
)

// SetImportance gives an importance to the active items that contain a text, or to the one whose ID it is. It returns them as they were.
func (e *Engine) SetImportance(ctx context.Context, who chat.UserID, text string, importance int) (before []Item, err error) {
	needle := strings.ToLower(chat.OneLine(text))
	if needle == "" {
		return nil, errors.New("say which memory you mean")
	}
	err = e.rows.change(ctx, who, func(all []Item) []Item {
		before = nil
		for i, it := range all {
			if it.Active && (it.ID == needle || strings.Contains(strings.ToLower(it.Text), needle)) {
				before = append(before, it)
				all[i].Importance = importance
			}
		}
		return all
	})
	return before, err
}
