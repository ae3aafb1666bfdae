package userapi

import (
	"errors"
	"net/http"

	"discoclaw/internal/fakediscord"
)

// use uses a slash command and waits, as Discord does, three seconds for the bot. What
// it says later comes as a message that only the member sees.
func (c *call) use() error {
	ch, err := c.channel()
	if err != nil {
		return err
	}
	var in struct {
		Command string `json:"command"`
	}
	if err := c.decode(&in); err != nil {
		return err
	}
	if err := (written{Content: in.Command}).check(); err != nil {
		return err
	}
	answer, err := c.world.Run(c.as(), string(ch.ID), in.Command)
	switch {
	case errors.Is(err, fakediscord.ErrNoAnswer):
		return refusal{http.StatusGatewayTimeout, err.Error()}
	case err != nil:
		return refusal{http.StatusBadRequest, err.Error()}
	}
	return c.told(answer)
}
