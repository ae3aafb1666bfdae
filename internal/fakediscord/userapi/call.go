package userapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// maxBody is far above what the longest message needs.
const maxBody = 64 << 10

// A call is one request.
type call struct {
	*Handler
	w    http.ResponseWriter
	r    *http.Request
	vars map[string]string // from the path
	eyes eyes              // of the member that it acts for
}

// serve admits, routes and answers a request.
func (c *call) serve() error {
	if err := loopback(c.r); err != nil {
		return err
	}
	parts, err := split(c.r.URL.EscapedPath())
	if err != nil {
		return err
	}
	if parts[0] == "attachments" {
		return c.attachment(parts[1:])
	}
	if err := ours(c.r); err != nil {
		return err
	}
	do, vars, err := c.find(c.r.Method, parts)
	if err != nil {
		return err
	}
	c.vars = vars
	if c.eyes, err = c.member(c.r.URL.Query().Get("as")); err != nil {
		return err
	}
	return do(c)
}

// split takes an escaped path apart.
func split(path string) ([]string, error) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, p := range parts {
		plain, err := url.PathUnescape(p)
		if err != nil {
			return nil, refusal{http.StatusBadRequest, "the path is not escaped as it should be"}
		}
		parts[i] = plain
	}
	return parts, nil
}

// member finds the member that a request acts for. A display name counts too if it is no
// member's user name.
func (h *Handler) member(as string) (eyes, error) {
	if as == "" {
		return eyes{}, refusal{http.StatusBadRequest, "the request does not say whom it speaks for; add as=NAME to its address"}
	}
	m, found := h.world.Member(as)
	for _, other := range h.world.Members() {
		if !found && strings.EqualFold(other.Nick, as) {
			m, found = other, true
		}
	}
	name := chat.Clip(as, 40)
	switch {
	case !found:
		return eyes{}, refusal{http.StatusNotFound, fmt.Sprintf("there is nobody called %q", name)}
	case m.Bot:
		return eyes{}, refusal{http.StatusForbidden, "the bot speaks for itself; choose a person"}
	case m.Left:
		return eyes{}, refusal{http.StatusForbidden, fmt.Sprintf("%s is not on the server any more", m.Name)}
	}
	view, err := h.world.ViewOf(string(m.ID))
	return eyes{Handler: h, me: m.ID, view: view}, err
}

// as is the member that the request acts for, as the world's methods want it.
func (c *call) as() string { return string(c.eyes.me) }

// channel is the channel of the path. The error for a hidden channel is the same as for an
// unknown one.
func (c *call) channel() (fakediscord.SeenChannel, error) {
	id, err := c.id("channel")
	if err != nil {
		return fakediscord.SeenChannel{}, err
	}
	ch, seen := c.eyes.view.Channel(chat.ChannelID(id))
	if !seen {
		return ch, refusal{http.StatusNotFound, fmt.Sprintf("there is no channel %s", id)}
	}
	return ch, nil
}

// message is the message of the path, if it is visible to the member.
func (c *call) message() (fakediscord.Message, error) {
	ch, err := c.channel()
	if err != nil {
		return fakediscord.Message{}, err
	}
	id, err := c.id("message")
	if err != nil {
		return fakediscord.Message{}, err
	}
	return c.messageIn(ch, chat.MessageID(id))
}

// shared is the message of the path, unless it is ephemeral. An ephemeral message can only
// be read, dismissed, and its buttons pressed.
func (c *call) shared() (fakediscord.Message, error) {
	m, err := c.message()
	if err == nil && m.OnlyFor != "" {
		err = refusal{http.StatusForbidden, "only you see this message, so there is nothing to do with it"}
	}
	return m, err
}

func (c *call) messageIn(ch fakediscord.SeenChannel, id chat.MessageID) (fakediscord.Message, error) {
	m, seen := c.eyes.view.Message(ch.ID, id)
	if !seen {
		return m, refusal{http.StatusNotFound, fmt.Sprintf("there is no message %s here", chat.Clip(string(id), 40))}
	}
	return m, nil
}

// id is an ID of the path.
func (c *call) id(name string) (string, error) {
	id := c.vars[name]
	if !chat.IsID(id) {
		return "", refusal{http.StatusBadRequest, fmt.Sprintf("%q is not the ID of a %s, which has 15 to 20 digits", chat.Clip(id, 40), name)}
	}
	return id, nil
}

// limit reads the limit of a list.
func (c *call) limit(otherwise, most int) (int, error) {
	text := c.r.URL.Query().Get("limit")
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, refusal{http.StatusBadRequest, fmt.Sprintf("limit is %q; it goes from 1 to %d", chat.Clip(text, 40), most)}
	}
	return n, nil
}

// decode reads the JSON of the request into v.
func (c *call) decode(v any) error {
	data, err := io.ReadAll(http.MaxBytesReader(c.w, c.r.Body, maxBody))
	if err != nil {
		return unread(err, maxBody)
	}
	return decode(data, v)
}

func decode(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil // as if it were {}
	}
	if err := json.Unmarshal(data, v); err != nil {
		return refusal{http.StatusBadRequest, "the request is not the JSON that belongs here: " + strings.TrimPrefix(err.Error(), "json: ")}
	}
	return nil
}

// unread is the error of a body that could not be read.
func unread(err error, most int) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d KiB", most>>10)}
	}
	return refusal{http.StatusBadRequest, fmt.Sprintf("the request cannot be read: %v", err)}
}
