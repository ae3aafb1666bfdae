package fakediscord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// A call is one request in its route's handler, with the world locked.
type call struct {
	*World
	*guild // of the path or of its channel; nil for direct messages and what belongs to no guild
	r      *http.Request
	route  *route
	vars   map[string]string // from the path
	body   []byte
	bot    *Member // on that guild

	payload []byte // the JSON of the request, taken out of a form if there is one
	files   []upload
}

// An upload is a file in a form.
type upload struct {
	field string // files[0]
	name  string
	kind  string
	data  []byte
}

// readForm finds the JSON of the request and the files beside it.
func (c *call) readForm() error {
	kind, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		c.payload = c.body
		return nil
	}
	form := multipart.NewReader(bytes.NewReader(c.body), params["boundary"])
	for {
		part, err := form.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return invalid("", "BASE_TYPE_BAD_FORM", "The form cannot be read: %v", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return invalid("", "BASE_TYPE_BAD_FORM", "The form cannot be read: %v", err)
		}
		if part.FormName() == "payload_json" {
			c.payload = data
		} else if part.FileName() != "" {
			c.files = append(c.files, upload{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), data})
		}
	}
}

// decode reads the JSON of the request into v, a pointer to a struct.
func (c *call) decode(v any) error { return decode(c.payload, v) }

func decode(data []byte, v any) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	err := json.Unmarshal(data, v)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if better, cannot := coerced(data, reflect.TypeOf(v)); cannot == nil {
			err = json.Unmarshal(better, v)
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return invalid(wrong.Field, "BASE_TYPE_CHOICES", "Value of type %s does not belong here.", wrong.Value)
	default:
		return errBadJSON
	}
}

// place is the channel of the path, if the bot can see it, with the bot's rights there.
func (c *call) place() (*Channel, Permissions, error) {
	ch := c.channels[chat.ChannelID(c.vars["channel"])]
	if ch == nil {
		if !isSnowflake(c.vars["channel"]) {
			return nil, 0, invalid("channel_id", "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", c.vars["channel"])
		}
		return nil, 0, errUnknownChannel
	}
	if !c.sees(c.bot, ch) {
		return nil, 0, errMissingAccess
	}
	if g := c.World.guild(ch.Guild); g != nil {
		c.guild, c.bot = g, c.botOn(g)
	}
	return ch, c.permissions(c.bot, ch), nil
}

// found is the channel and the message of the path. Without Read Message History no
// message is found.
func (c *call) found() (*Channel, *Message, Permissions, error) {
	ch, may, err := c.place()
	if err != nil {
		return nil, nil, 0, err
	}
	if !may.Has(readHistory) {
		return nil, nil, 0, errMissingAccess
	}
	m := c.message(ch, c.vars["message"])
	if m == nil {
		return nil, nil, 0, errUnknownMessage
	}
	return ch, m, may, nil
}

func isSnowflake(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}

// checkParameters refuses a request with a query parameter that is not built. Parameters that are not Discord's are ignored, as
// Discord does.
func (c *call) checkParameters() error {
	for _, name := range strings.Fields(c.route.lacks) {
		if c.r.URL.Query().Get(name) != "" {
			return notBuiltError("the parameter " + name)
		}
	}
	return nil
}

// params reads a query parameter that may come several times. The route has to declare it.
func (c *call) params(name string) []string {
	if !slices.Contains(strings.Fields(c.route.reads), name) {
		panic(fmt.Sprintf("fakediscord: %s reads the parameter %s without declaring it", c.route.name(), name))
	}
	return c.r.URL.Query()[name]
}

// param reads a query parameter, which is empty if there is none.
func (c *call) param(name string) string {
	return append(c.params(name), "")[0]
}

// number reads a query parameter between least and most.
func (c *call) number(name string, otherwise, least, most int) (int, error) {
	text := c.param(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, invalid(name, "NUMBER_TYPE_RANGE", "int value should be between %d and %d.", least, most)
	}
	return n, nil
}

// yes reads a query parameter that is true or false.
func (c *call) yes(name string) bool {
	on, err := strconv.ParseBool(c.param(name))
	return err == nil && on
}

// snowflake reads a query parameter that is an ID.
func (c *call) snowflake(name string) (string, error) {
	id := c.param(name)
	if id != "" && !isSnowflake(id) {
		return "", invalid(name, "NUMBER_TYPE_COERCE", "Value %q is not snowflake.", id)
	}
	return id, nil
}

// cleanName is a file's name as Discord keeps it: without a path, and without characters
// that need escaping in a URL.
func cleanName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return strings.ReplaceAll(strings.TrimSpace(name), " ", "_")
}
