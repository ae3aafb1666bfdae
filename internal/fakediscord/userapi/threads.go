package userapi

import (
	"fmt"
	"net/http"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// maxName is how long the name of a thread may be, counted as Discord does.
const maxName = 100

// startThread starts a thread in a channel, a thread below one of its messages, or
// a post in a forum.
func (c *call) startThread() error {
	ch, err := c.channel()
	if err != nil {
		return err
	}
	var in struct {
		Name    string         `json:"name"`
		Message chat.MessageID `json:"message"`
		Content string         `json:"content"`
		Tags    []string       `json:"tags"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	name := strings.TrimSpace(in.Name)
	if n := chat.Length(name); n == 0 || n > maxName {
		return refusal{http.StatusBadRequest, fmt.Sprintf("the name has %d characters; it needs 1 to %d", n, maxName)}
	}
	if err := (written{Content: in.Content}).check(); err != nil {
		return err
	}
	var started fakediscord.Channel
	switch {
	case ch.Type == fakediscord.ForumChannel:
		started, err = c.world.StartPost(c.as(), string(ch.ID), name, in.Content, in.Tags...)
	case in.Message != "":
		if _, err := c.messageIn(ch, in.Message); err != nil {
			return err
		}
		started, err = c.world.StartThreadOn(c.as(), in.Message, name)
	default:
		started, err = c.world.StartThread(c.as(), string(ch.ID), name)
	}
	if err != nil {
		return refused(err)
	}
	seen, ok := c.eyes.view.Channel(started.ID)
	if !ok {
		return refusal{http.StatusNotFound, "the thread was started, and is gone already"}
	}
	return c.answer(c.eyes.channel(seen))
}
