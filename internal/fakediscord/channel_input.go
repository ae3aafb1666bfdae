package fakediscord

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// Limits of a channel.
// https://discord.com/developers/docs/resources/channel#modify-channel
const (
	maxChannelName = 100
	maxTopic       = 1024
	maxForumTopic  = 4096
	maxSlowmode    = 21600 // seconds
	maxUserLimit   = 99
)

var errSlowmode = invalid("rate_limit_per_user", "NUMBER_TYPE_RANGE", "int value should be between 0 and %d.", maxSlowmode)

// A channelInput is the JSON of a channel that is created or edited.
type channelInput struct {
	Name       *string          `json:"name"`
	Type       *int             `json:"type"`
	Topic      *string          `json:"topic"`
	Slowmode   *int             `json:"rate_limit_per_user"`
	UserLimit  *int             `json:"user_limit"`
	Position   *int             `json:"position"`
	Parent     *chat.ChannelID  `json:"parent_id"`
	Overwrites []overwriteInput `json:"permission_overwrites"`
	Tags       []tagInput       `json:"available_tags"`
	Flags      *int             `json:"flags"`

	given
}

// An overwriteInput is a rule for a role or a member. The numbers are in strings.
type overwriteInput struct {
	ID    string          `json:"id"`
	Type  int             `json:"type"`
	Allow json.RawMessage `json:"allow"`
	Deny  json.RawMessage `json:"deny"`
}

// given are the fields that a request has, null or not.
type given map[string]json.RawMessage

func (g given) has(field string) bool {
	_, there := g[field]
	return there
}

// asksNothing reports whether a field that is not built makes no difference: it is null or false, or not Discord's. Discord ignores those, and
// libraries send some: what their users wrote, in names with capitals.
func (g given) asksNothing(field string) bool {
	value := string(g[field])
	return value == "null" || value == "false" || strings.ToLower(field) != field
}

// fields reads which fields a request has, and refuses those that are not built.
func (c *call) fields(built ...string) (given, error) {
	var there given
	if err := c.decode(&there); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !slices.Contains(built, name) && !there.asksNothing(name) {
			return nil, notBuiltError("the field " + name)
		}
	}
	return there, nil
}

func (c *call) channelInput(built ...string) (channelInput, error) {
	var in channelInput
	given, err := c.fields(built...)
	if err != nil {
		return in, err
	}
	if err := c.decode(&in); err != nil {
		return in, err
	}
	in.given = given
	return in, nil
}

// apply sets the given fields of a channel, which need not be in the world yet.
func (in *channelInput) apply(ch *Channel) error {
	if in.Name != nil {
		ch.Name = channelName(*in.Name, ch.Type)
	}
	if in.has("topic") && ch.Type.hasTopic() {
		ch.Topic = ""
		if in.Topic != nil {
			ch.Topic = strings.TrimSpace(*in.Topic)
		}
	}
	if in.Slowmode != nil && ch.Type != CategoryChannel && ch.Type != AnnouncementChannel {
		ch.Slowmode = *in.Slowmode
	}
	if in.UserLimit != nil && ch.Type == VoiceChannel {
		ch.UserLimit = *in.UserLimit
	}
	if in.Position != nil {
		ch.Position = *in.Position
	}
	if in.has("parent_id") {
		ch.Parent = ""
		if in.Parent != nil {
			ch.Parent = *in.Parent
		}
	}
	longest := maxTopic
	if ch.Type == ForumChannel {
		longest = maxForumTopic
	}
	switch n := chat.Length(ch.Name); {
	case n == 0 || n > maxChannelName:
		return invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxChannelName)
	case chat.Length(ch.Topic) > longest:
		return invalid("topic", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", longest)
	case ch.Slowmode < 0 || ch.Slowmode > maxSlowmode:
		return errSlowmode
	case ch.UserLimit < 0 || ch.UserLimit > maxUserLimit:
		return invalid("user_limit", "NUMBER_TYPE_RANGE", "int value should be between 0 and %d.", maxUserLimit)
	case ch.Position < 0:
		return invalid("position", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 0.")
	}
	return nil
}

func (t ChannelType) hasTopic() bool {
	return t == TextChannel || t == AnnouncementChannel || t == ForumChannel
}

// channelName is a name as Discord keeps it: channels for text have no capitals
// and no spaces.
func channelName(name string, t ChannelType) string {
	name = strings.TrimSpace(name)
	if !t.hasTopic() {
		return name
	}
	return strings.ToLower(strings.Join(strings.Fields(name), "-"))
}

// overwrites reads overwrites. A bot can only allow and deny rights that it has itself, and
// Manage Roles only as an administrator.
func (c *call) overwrites(list []overwriteInput) ([]Overwrite, error) {
	may := c.guildPermissions(c.bot)
	var all []Overwrite
	for i, in := range list {
		field := fmt.Sprintf("permission_overwrites.%d", i)
		allow, okAllow := parseBits(in.Allow)
		deny, okDeny := parseBits(in.Deny)
		o := Overwrite{Allow: allow, Deny: deny}
		switch {
		case !okAllow || !okDeny:
			return nil, invalid(field, "NUMBER_TYPE_COERCE", "Value is not a set of permissions.")
		case in.Type == 1 && c.person(chat.UserID(in.ID)) != nil:
			o.Member = chat.UserID(in.ID)
		case in.Type == 0 && c.role(chat.RoleID(in.ID)) != nil:
			o.Role = chat.RoleID(in.ID)
		default:
			return nil, invalid(field+".id", "BASE_TYPE_CHOICES", "There is no such role or member.")
		}
		if !may.Has(allow|deny) || (allow|deny).Has(manageRoles) && !may.Has(administrator) {
			return nil, errMissingPermissions
		}
		all = append(all, o)
	}
	return all, nil
}

// parseBits reads permissions, which are a number in a string, a number, or
// nothing.
func parseBits(raw json.RawMessage) (Permissions, bool) {
	text := strings.Trim(string(raw), `"`)
	if text == "" || text == "null" {
		return 0, true
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return Permissions(n), err == nil
}
