package tasks

import "discoclaw/internal/chat"

// Query is the statement of a list.
func Query(f Filter, g chat.GuildID) (string, []any) { return f.query(g) }

// ByThread is the condition of a task's post.
const ByThread = byThread
