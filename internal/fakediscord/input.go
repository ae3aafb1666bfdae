package fakediscord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"path"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// Limits of a message.
// https://discord.com/developers/docs/resources/message
const (
	maxContent     = 2000
	maxEmbeds      = 10
	maxEmbedText   = 6000
	maxRows        = 5
	maxButtons     = 5
	maxAttachments = 10
	maxFile        = 10 << 20
	maxNonce       = 25
)

// A messageInput is the JSON of a message that is created or edited.
type messageInput struct {
	Content    *string           `json:"content"`
	Embeds     []Embed           `json:"embeds"`
	Components []Component       `json:"components"`
	Files      []attachmentInput `json:"attachments"`
	Mentions   *allowedMentions  `json:"allowed_mentions"`
	Flags      *int              `json:"flags"`
	Speak      bool              `json:"tts"`

	Reference    *referenceInput `json:"message_reference"`
	Nonce        json.RawMessage `json:"nonce"`
	EnforceNonce bool            `json:"enforce_nonce"`

	Poll     *pollInput `json:"poll"`
	Stickers []string   `json:"sticker_ids"`

	given
}

// An attachmentInput describes a file of the form, or one to keep.
type attachmentInput struct {
	ID          json.RawMessage `json:"id"` // a number, or one in a string
	Name        string          `json:"filename"`
	Description string          `json:"description"`
	Spoiler     bool            `json:"is_spoiler"`
}

func (a attachmentInput) id() string { return strings.Trim(string(a.ID), `"`) }

// A referenceInput points to the replied-to message.
type referenceInput struct {
	Type    int            `json:"type"`
	Message chat.MessageID `json:"message_id"`
	Channel chat.ChannelID `json:"channel_id"`
	// FailIfMissing refuses a reply to a message that is gone, which is the default.
	FailIfMissing *bool `json:"fail_if_not_exists"`
}

// messageInput reads a message without a poll.
func (c *call) messageInput(raw json.RawMessage) (messageInput, error) {
	in, err := c.messageOrPoll(raw)
	if err == nil && in.Poll != nil {
		err = notBuiltError("a poll")
	}
	return in, err
}

// messageOrPoll reads a message, and checks it as far as that needs no world.
func (c *call) messageOrPoll(raw json.RawMessage) (messageInput, error) {
	var in messageInput
	if err := decode(raw, &in); err != nil {
		return in, err
	}
	if err := decode(raw, &in.given); err != nil {
		return in, err
	}
	if err := in.check(c.files); err != nil {
		return in, err
	}
	return in, c.checkEmojis(in.Components)
}

// flags are those of the message that a bot may set anywhere.
func (in *messageInput) flags() int {
	if in.Flags == nil {
		return 0
	}
	return *in.Flags & (flagNoEmbeds | flagSilent)
}

// text is the content as Discord keeps it, trimmed.
func (in *messageInput) text() string {
	if in.Content == nil {
		return ""
	}
	return strings.TrimSpace(*in.Content)
}

func (in *messageInput) check(files []upload) error {
	switch {
	case len(in.Stickers) > 0:
		return notBuiltError("stickers")
	case in.Speak:
		return notBuiltError("text to speech")
	case in.Flags != nil && *in.Flags&(flagVoiceMessage|flagNewComponents) != 0:
		return notBuiltError(fmt.Sprintf("the flags %d", *in.Flags))
	case chat.Length(in.text()) > maxContent:
		return invalid("content", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxContent)
	case len(in.nonce()) > maxNonce:
		return invalid("nonce", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxNonce)
	case len(files) > maxAttachments:
		return invalid("attachments", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxAttachments)
	}
	for _, f := range files {
		if len(f.data) > maxFile {
			return errTooLarge
		}
	}
	if err := checkMentions(in.Mentions); err != nil {
		return err
	}
	if err := checkEmbeds(in.Embeds); err != nil {
		return err
	}
	return checkComponents(in.Components)
}

// nonce is the nonce as text, whether it came as text or as a number.
func (in *messageInput) nonce() string {
	if bytes.Equal(in.Nonce, []byte("null")) {
		return ""
	}
	return strings.Trim(string(in.Nonce), `"`)
}

// nonceIsNumber reports whether the nonce has to come back as a number.
func (in *messageInput) nonceIsNumber() bool {
	return in.nonce() != "" && !bytes.HasPrefix(in.Nonce, []byte(`"`))
}

// checkMentions refuses contradictions.
func checkMentions(a *allowedMentions) error {
	if a == nil {
		return nil
	}
	for _, p := range a.Parse {
		switch {
		case p != "users" && p != "roles" && p != "everyone":
			return invalid("allowed_mentions.parse.0", "BASE_TYPE_CHOICES", "Value must be one of ('users', 'roles', 'everyone').")
		case p == "users" && len(a.Users) > 0, p == "roles" && len(a.Roles) > 0:
			return invalid("allowed_mentions", "MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE",
				"parse:[%q] and %s: [ids...] are mutually exclusive.", p, p)
		}
	}
	return nil
}

func checkEmbeds(all []Embed) error {
	if len(all) > maxEmbeds {
		return invalid("embeds", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxEmbeds)
	}
	total := 0
	for i, e := range all {
		total += chat.Length(e.text())
		for _, limit := range embedLimits(e) {
			if chat.Length(limit.text) > limit.most {
				field := fmt.Sprintf("embeds.%d.%s", i, limit.field)
				return invalid(field, "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", limit.most)
			}
		}
		if len(e.Fields) > 25 {
			return invalid(fmt.Sprintf("embeds.%d.fields", i), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
		}
	}
	if total > maxEmbedText {
		return invalid("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of %d", maxEmbedText)
	}
	return nil
}

type embedLimit struct {
	field, text string
	most        int
}

func embedLimits(e Embed) []embedLimit {
	limits := []embedLimit{{"title", e.Title, 256}, {"description", e.Description, 4096}}
	if e.Footer != nil {
		limits = append(limits, embedLimit{"footer.text", e.Footer.Text, 2048})
	}
	if e.Author != nil {
		limits = append(limits, embedLimit{"author.name", e.Author.Name, 256})
	}
	for i, f := range e.Fields {
		limits = append(limits, embedLimit{fmt.Sprintf("fields.%d.name", i), f.Name, 256},
			embedLimit{fmt.Sprintf("fields.%d.value", i), f.Value, 1024})
	}
	return limits
}

// checkComponents accepts only rows of buttons.
func checkComponents(rows []Component) error {
	if len(rows) > maxRows {
		return invalid("components", "BASE_TYPE_MAX_LENGTH", "Must be %d or fewer in length.", maxRows)
	}
	var ids []string
	for i, row := range rows {
		field := fmt.Sprintf("components.%d", i)
		if row.Type != ActionRow {
			return notBuiltError(fmt.Sprintf("a component of type %d", row.Type))
		}
		if len(row.Components) < 1 || len(row.Components) > maxButtons {
			return invalid(field+".components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and %d in length.", maxButtons)
		}
		for j, b := range row.Components {
			if err := checkButton(fmt.Sprintf("%s.components.%d", field, j), b, ids); err != nil {
				return err
			}
			ids = append(ids, b.CustomID)
		}
	}
	return nil
}

func checkButton(field string, b Component, taken []string) error {
	switch {
	case b.Type != Button:
		return notBuiltError(fmt.Sprintf("a component of type %d", b.Type))
	case b.Label == "" && b.Emoji == nil:
		return invalid(field, "BUTTON_COMPONENT_INVALID_EMOJI_OR_LABEL", "A button must have an emoji or a label.")
	case chat.Length(b.Label) > 80:
		return invalid(field+".label", "BASE_TYPE_MAX_LENGTH", "Must be 80 or fewer in length.")
	case b.Style == linkButton && (b.URL == "" || b.CustomID != ""):
		return invalid(field, "BUTTON_COMPONENT_URL_REQUIRED", "A url is required")
	case b.Style == linkButton:
		return nil
	case b.CustomID == "" || b.URL != "":
		return invalid(field, "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED", "A custom id is required")
	case chat.Length(b.CustomID) > 100:
		return invalid(field+".custom_id", "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
	case slices.Contains(taken, b.CustomID):
		return invalid(field+".custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
	}
	return nil
}

// uploads are the files of the form as attachments.
func (c *call) uploads(described []attachmentInput) []Attachment {
	var all []Attachment
	for _, f := range c.files {
		a := Attachment{Name: cleanName(f.name), Type: mediaType(f), Data: f.data}
		for _, d := range described {
			if f.field == "files["+d.id()+"]" {
				a.Description = d.Description
				if d.Name != "" {
					a.Name = cleanName(d.Name)
				}
				if d.Spoiler && !a.isSpoiler() {
					a.Name = spoilerPrefix + a.Name
				}
			}
		}
		all = append(all, a)
	}
	return all
}

func mediaType(f upload) string {
	if kind, _, err := mime.ParseMediaType(f.kind); err == nil && kind != "application/octet-stream" {
		return f.kind
	}
	if kind := mime.TypeByExtension(path.Ext(f.name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}
