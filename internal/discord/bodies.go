package discord

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// Limits of one message, as Discord documents them.
const (
	maxTextLength = 2000 // in UTF-16 units
	maxFiles      = 10
	buttonsPerRow = 5
)

// noMentions keeps a message from notifying anybody but the users that it names. It is part of
// every message and every edit, so that no caller can forget it.
type noMentions struct {
	Parse []string      `json:"parse"` // empty, but never null
	Users []chat.UserID `json:"users,omitempty"`
}

func mentionNobody() noMentions { return noMentions{Parse: []string{}} }

// messageBody is a new message. discordgo's own type lacks the nonce and sends
// fields that were not set.
type messageBody struct {
	Content         string     `json:"content,omitempty"`
	Nonce           string     `json:"nonce"`
	EnforceNonce    bool       `json:"enforce_nonce"`
	AllowedMentions noMentions `json:"allowed_mentions"`
	Flags           int        `json:"flags,omitempty"`
	Reference       *reference `json:"message_reference,omitempty"`
	Components      []row      `json:"components,omitempty"`
	Poll            *pollBody  `json:"poll,omitempty"`

	Attachments []described `json:"attachments,omitempty"`
}

// editBody changes a message. Nil fields stay as they are.
type editBody struct {
	Content         *string       `json:"content,omitempty"`
	AllowedMentions noMentions    `json:"allowed_mentions"`
	Components      *[]row        `json:"components,omitempty"`
	Attachments     *[]attachment `json:"attachments,omitempty"`
	Flags           int           `json:"flags,omitempty"`
}

type reference struct {
	Message chat.MessageID `json:"message_id"`
	// A message that was deleted meanwhile must not stop the answer to it.
	FailIfNotExists bool `json:"fail_if_not_exists"`
}

type row struct {
	Type       discordgo.ComponentType `json:"type"`
	Components []button                `json:"components"`
}

type button struct {
	Type  discordgo.ComponentType `json:"type"`
	Style discordgo.ButtonStyle   `json:"style"`
	Label string                  `json:"label"`
	ID    string                  `json:"custom_id"`
}

// An attachment lists, in an edit, a file that is sent along. Files that the message had before
// are dropped, which makes the edit idempotent.
type attachment struct {
	ID   string `json:"id"` // the number of the file in the request
	Name string `json:"filename"`
}

// A described file is one of a new message, with its alt text.
type described struct {
	ID          string `json:"id"` // the number of the file in the request
	Description string `json:"description"`
}

// maxAlt is the length of an alt text.
const maxAlt = 1024

// descriptions returns the files that have an alt text.
func descriptions(files []chat.File) (list []described) {
	for i, f := range files {
		if f.Alt != "" {
			list = append(list, described{strconv.Itoa(i), chat.Clip(f.Alt, maxAlt)})
		}
	}
	return list
}

type bulkDeleteBody struct {
	Messages []chat.MessageID `json:"messages"`
}

// previews returns the flags of a message in a channel: whether Discord may show previews of links there. For somebody
// without Embed Links it may not, as for their own messages.
func (c *Client) previews(ctx context.Context, ch chat.ChannelID) int {
	who, asked := chat.AskerOf(ctx)
	at, known := c.cache.channel(ch)
	if c.flags != 0 || !asked || !known || at.Guild == "" {
		return c.flags
	}
	if missing, err := c.MissingPermissions(ctx, at.Guild, who.User, ch, []chat.Permission{chat.EmbedLinks}); err != nil || len(missing) > 0 {
		return int(discordgo.MessageFlagsSuppressEmbeds)
	}
	return 0
}

func newMessage(m chat.Outgoing) (messageBody, error) {
	if err := checkText(m.Text); err != nil {
		return messageBody{}, err
	}
	switch {
	case strings.TrimSpace(m.Text) == "" && len(m.Files) == 0:
		return messageBody{}, errors.New("a message needs text or a file")
	case len(m.Files) > maxFiles:
		return messageBody{}, fmt.Errorf("%d files are too many for one message; Discord takes %d at most", len(m.Files), maxFiles)
	}
	body := messageBody{
		Content: m.Text,
		// Discord dedupes by this for some minutes, when the message is sent again because the
		// response was lost.
		Nonce:           cmp.Or(m.Nonce, rand.Text()[:25]),
		EnforceNonce:    true,
		AllowedMentions: noMentions{Parse: []string{}, Users: m.Mentions},
		Components:      rows(m.Buttons),
		Attachments:     descriptions(m.Files),
	}
	if m.ReplyTo != "" {
		body.Reference = &reference{Message: m.ReplyTo}
	}
	return body, nil
}

func newEdit(m chat.Outgoing) (editBody, error) {
	if err := checkText(m.Text); err != nil {
		return editBody{}, err
	}
	if len(m.Files) > 0 || m.ReplyTo != "" {
		return editBody{}, errors.New("an edit cannot add files or make a message a reply; send a new message")
	}
	body := editBody{AllowedMentions: mentionNobody()}
	if m.Text != "" {
		body.Content = &m.Text
	}
	if m.Buttons != nil {
		below := rows(m.Buttons)
		body.Components = &below
	}
	return body, nil
}

func checkText(text string) error {
	if n := chat.Length(text); n > maxTextLength {
		return fmt.Errorf("the text has %d characters, and Discord takes %d at most; shorten it or split it", n, maxTextLength)
	}
	return nil
}

// rows lays buttons out from left to right. The list is never nil, because Discord ignores
// null.
func rows(buttons []chat.Button) []row {
	out := []row{}
	for i, b := range buttons {
		if i%buttonsPerRow == 0 {
			out = append(out, row{Type: discordgo.ActionsRowComponent})
		}
		style := discordgo.SecondaryButton
		if b.Danger {
			style = discordgo.DangerButton
		}
		last := &out[len(out)-1]
		last.Components = append(last.Components, button{Type: discordgo.ButtonComponent, Style: style, Label: b.Label, ID: b.ID})
	}
	return out
}

// attachments lists the files of an edit.
func attachments(files []chat.File) *[]attachment {
	if len(files) == 0 {
		return nil
	}
	list := make([]attachment, len(files))
	for i, f := range files {
		list[i] = attachment{ID: strconv.Itoa(i), Name: rest.FileName(f.Name)}
	}
	return &list
}

// UploadLimit returns how many bytes a file may have on a server. Discord allows 10 MiB, 50 from
// boost level 2 on, and 100 from level 3 on; in direct messages 10.
func (c *Client) UploadLimit(g chat.GuildID) int {
	boost, _ := look(c.cache, g, func(known *guild) int { return known.boost })
	switch {
	case boost >= 3:
		return 100 << 20
	case boost == 2:
		return 50 << 20
	default:
		return 10 << 20
	}
}
