package userapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"discoclaw/internal/fakediscord"
)

// A refusal is an error with the status that goes with it.
type refusal struct {
	status int
	text   string
}

func (r refusal) Error() string { return r.text }

// refused gives an error of the world its status.
func refused(err error) error {
	return refusal{fakediscord.StatusOf(err), err.Error()}
}

func (c *call) refuse(err error) {
	status := http.StatusInternalServerError
	var known refusal
	if errors.As(err, &known) {
		status = known.status
	}
	c.write(status, map[string]string{"error": err.Error()})
}

// answer sends what the member sees, which is saved first.
func (c *call) answer(v any) error {
	c.world.Sync()
	c.write(http.StatusOK, v)
	return nil
}

func (c *call) done() error {
	c.header()
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (c *call) write(status int, v any) {
	c.header()
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	_, _ = c.w.Write(encode(v)) // the page may be gone
}

// header has the headers of every response: no caching, no sniffing.
func (c *call) header() {
	c.w.Header().Set("Cache-Control", "no-store")
	c.w.Header().Set("X-Content-Type-Options", "nosniff")
}

// encode encodes values that cannot fail to encode.
func encode(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("userapi: encode %T: %v", v, err))
	}
	return data
}
