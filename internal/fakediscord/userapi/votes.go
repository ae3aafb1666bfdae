package userapi

import (
	"net/http"
	"strconv"

	"discoclaw/internal/chat"
)

func (c *call) vote() error   { return c.choose(c.world.Vote) }
func (c *call) unvote() error { return c.choose(c.world.Unvote) }

// choose passes on a member's choice of an answer of a poll, by its number from 1 on.
func (c *call) choose(do func(user string, id chat.MessageID, answer int) error) error {
	m, err := c.shared()
	if err != nil {
		return err
	}
	answer, err := strconv.Atoi(c.vars["answer"])
	if err != nil || m.Poll == nil {
		return refusal{http.StatusBadRequest, "there is no such answer to vote for"}
	}
	if err := do(c.as(), m.ID, answer); err != nil {
		return refused(err)
	}
	return c.done()
}
