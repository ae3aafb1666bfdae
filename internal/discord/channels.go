package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// How long the topic of a channel may be, in UTF-16 units.
const (
	maxTopicLength      = 1024
	maxForumTopicLength = 4096
	maxSlowmode         = 6 * time.Hour
)

// newChannelBody is a channel to make. discordgo's own type cannot ask for the first
// position.
type newChannelBody struct {
	Name     string                `json:"name"`
	Type     discordgo.ChannelType `json:"type"`
	Topic    string                `json:"topic,omitempty"`
	Limit    int                   `json:"user_limit,omitempty"`
	Parent   chat.ChannelID        `json:"parent_id,omitempty"`
	Position *int                  `json:"position,omitempty"`
	Tags     []tagBody             `json:"available_tags,omitempty"`
	Rules    []overwriteBody       `json:"permission_overwrites,omitempty"`

	needs []chat.Permission // for the overwrites
}

// editChannelBody changes a channel. Nil fields stay as they are.
type editChannelBody struct {
	Name  *string    `json:"name,omitempty"`
	Topic *string    `json:"topic,omitempty"`
	Tags  *[]tagBody `json:"available_tags,omitempty"`
	Pause *int       `json:"rate_limit_per_user,omitempty"` // in seconds
	Limit *int       `json:"user_limit,omitempty"`

	Flags *discordgo.ChannelFlags `json:"flags,omitempty"` // all that it shall have
}

// makeable are the kinds of channels that can be made, as Discord numbers them.
var makeable = map[chat.Kind]discordgo.ChannelType{
	chat.TextChannel:   discordgo.ChannelTypeGuildText,
	chat.Announcements: discordgo.ChannelTypeGuildNews,
	chat.Forum:         discordgo.ChannelTypeGuildForum,
	chat.Voice:         discordgo.ChannelTypeGuildVoice,
	chat.Stage:         discordgo.ChannelTypeGuildStageVoice,
	chat.CategoryKind:  discordgo.ChannelTypeGuildCategory,
}

// Channels returns all channels and active threads of a server that the bot sees, in the order in
// which Discord shows them: channels without a category, then each category followed by its
// channels, and each channel followed by its threads. It sends no request, unless the server is
// yet to be described.
func (c *Client) Channels(ctx context.Context, g chat.GuildID) ([]chat.Channel, error) {
	if err := c.undescribed.wait(ctx, g); err != nil {
		return nil, err
	}
	list, err := c.cache.inSight(g)
	return inOrder(list), err
}

// inSight returns the channels and active threads of a server that the bot sees.
func (c *cache) inSight(id chat.GuildID) ([]chat.Channel, error) {
	return look(c, id, func(g *guild) (list []chat.Channel) {
		for _, ch := range g.channels {
			hidden := g.bot != nil && g.rights(id, c.self.ID, *g.bot, &ch, c.now())&discordgo.PermissionViewChannel == 0
			if ch.Name != "" && !ch.Archived && !hidden {
				list = append(list, ch.Channel)
			}
		}
		return list
	})
}

// CreateChannel makes a channel or a category. One in a category gets the category's
// permissions, and a private one only what they deny. Discord normalises the names of text channels: "Big News" becomes big-news. An
// attempt with an unclear outcome is not retried.
func (c *Client) CreateChannel(ctx context.Context, g chat.GuildID, n chat.NewChannel) (chat.Channel, error) {
	body, err := c.newChannel(ctx, g, n)
	if err != nil {
		return chat.Channel{}, err
	}
	if n.Position != nil {
		position, err := c.makeRoom(ctx, g, n)
		if err != nil {
			return chat.Channel{}, err
		}
		body.Position = &position
	}
	q := onServer(http.MethodPost, g, "/channels").Needing(inChannel(n.Parent, chat.ManageChannels)...).Needing(body.needs...).WithBody(body)
	q.Channel = n.Parent
	made, err := c.sendChannel(ctx, g, q)
	if err != nil {
		return chat.Channel{}, withoutCommunity(err, n.Kind)
	}
	return made.Channel, nil
}

// sendChannel sends a request that returns a channel or a thread, and caches it.
func (c *Client) sendChannel(ctx context.Context, g chat.GuildID, q rest.Request) (channel, error) {
	wire, err := fetch[wireChannel](ctx, c, q)
	if err != nil {
		return channel{}, err
	}
	ch := channelFrom(wire, g)
	c.cache.put(ch)
	return ch, nil
}

// newChannel checks a new channel and returns its body.
func (c *Client) newChannel(ctx context.Context, g chat.GuildID, n chat.NewChannel) (newChannelBody, error) {
	kind := kindOf(n)
	number, known := makeable[kind]
	if !known {
		return newChannelBody{}, fmt.Errorf("I cannot make a %s; choose text, announcement, forum, voice, stage or category", kind)
	}
	what := "channel"
	if kind == chat.CategoryKind {
		what = "category"
	}
	name, err := checkName(what, n.Name)
	if err != nil {
		return newChannelBody{}, err
	}
	topic := strings.TrimSpace(n.Topic)
	if topic != "" {
		if err := checkTopic(topic, kind); err != nil {
			return newChannelBody{}, err
		}
	}
	if n.Limit != 0 {
		if err := checkUserLimit(kind); err != nil {
			return newChannelBody{}, err
		}
	}
	if err := c.checkCategory(ctx, g, kind, n.Parent); err != nil {
		return newChannelBody{}, err
	}
	tags, err := newTagBodies(n.Tags)
	if err != nil {
		return newChannelBody{}, err
	}
	body := newChannelBody{Name: name, Type: number, Topic: topic, Limit: n.Limit, Parent: n.Parent, Tags: tags}
	if n.Private {
		rules := c.privateRules(g, n)
		body.Rules, body.needs = each(rules, overwrite.body), rightsNamed(rules)
	}
	return body, nil
}

func kindOf(n chat.NewChannel) chat.Kind {
	if n.Kind == "" {
		return chat.TextChannel
	}
	return n.Kind
}

// checkTopic refuses a topic that is too long, or that Discord would drop silently.
func checkTopic(topic string, kind chat.Kind) error {
	most := maxTopicLength
	switch kind {
	case chat.TextChannel, chat.Announcements:
	case chat.Forum, chat.Media:
		most = maxForumTopicLength
	case chat.CategoryKind:
		return errors.New("a category has no topic; leave it out")
	default:
		return fmt.Errorf("a %s channel has no topic; leave it out", kind)
	}
	if n := chat.Length(topic); n > most {
		return fmt.Errorf("the topic has %d characters, and Discord takes %d at most; shorten it", n, most)
	}
	return nil
}

// checkSlowmode refuses kinds of channels that have no slow mode, as Discord documents them.
// https://discord.com/developers/docs/resources/channel#modify-channel-json-params-guild-channel
func checkSlowmode(kind chat.Kind) error {
	switch {
	case kind == chat.CategoryKind:
		return errors.New("a category has no slow mode; set it in its channels")
	case kind == chat.Announcements:
		return errors.New("an announcement channel has no slow mode")
	}
	return nil
}

// checkUserLimit refuses a limit for channels that are not for voice. A stage has one of its own kind, for an audience of
// thousands.
func checkUserLimit(kind chat.Kind) error {
	if kind != chat.Voice {
		return errors.New("only a voice channel has a user limit; leave it out")
	}
	return nil
}

// checkCategory refuses a parent that is not a category of this server. An empty parent is none.
func (c *Client) checkCategory(ctx context.Context, g chat.GuildID, kind chat.Kind, parent chat.ChannelID) error {
	if parent == "" {
		return nil
	}
	if kind == chat.CategoryKind {
		return errors.New("a category cannot be inside another")
	}
	in, err := c.channelOf(ctx, g, parent)
	if err == nil && in.Kind != chat.CategoryKind {
		err = fmt.Errorf("%s, and channels can only be put into categories", nature(in.Channel))
	}
	return err
}

// withoutCommunity explains why a server has no announcement channels. Discord's error is only
// that the type is unknown.
func withoutCommunity(err error, kind chat.Kind) error {
	refused := (*Error)(nil)
	if kind != chat.Announcements || !errors.As(err, &refused) || !strings.Contains(refused.Error(), "; type: ") {
		return err
	}
	return refused.Explained("this server cannot have announcement channels; switch Community on under Server Settings → Enable Community, or make a text channel")
}

// EditChannel changes the name, the topic, the slow mode or the user limit of a channel, whether the posts of a forum need a
// tag, or the name of a category, and returns the result.
func (c *Client) EditChannel(ctx context.Context, id chat.ChannelID, e chat.ChannelEdit) (chat.Channel, error) {
	ch, err := c.channelByID(ctx, id)
	switch {
	case err != nil:
		return chat.Channel{}, err
	case ch.Kind == chat.Thread:
		return chat.Channel{}, fmt.Errorf("%s; edit it as one", nature(ch.Channel))
	}
	body, err := channelEditBody(e, ch)
	if err != nil {
		return chat.Channel{}, err
	}
	changed, err := c.patchChannel(ctx, ch, body)
	return changed.Channel, err
}

// channelEditBody checks an edit of a channel and returns its body.
func channelEditBody(e chat.ChannelEdit, ch channel) (body editChannelBody, err error) {
	kind := ch.Kind
	if e.Name != nil {
		name, err := checkName("channel", *e.Name)
		if err != nil {
			return body, err
		}
		body.Name = &name
	}
	if e.Topic != nil {
		topic := strings.TrimSpace(*e.Topic)
		if err := checkTopic(topic, kind); err != nil {
			return body, err
		}
		body.Topic = &topic
	}
	if e.Slowmode != nil {
		if err := checkSlowmode(kind); err != nil {
			return body, err
		}
		body.Pause = new(int(*e.Slowmode / time.Second))
	}
	if e.RequireTag != nil {
		if !kind.HasPosts() {
			return body, fmt.Errorf("%s, and only posts of a forum can need a tag", nature(ch.Channel))
		}
		flags := ch.flags &^ discordgo.ChannelFlagRequireTag
		if *e.RequireTag {
			flags |= discordgo.ChannelFlagRequireTag
		}
		body.Flags = &flags
	}
	if body.Limit = e.Limit; e.Limit != nil {
		err = checkUserLimit(kind)
	}
	return body, err
}

// patchChannel changes a channel that is not a thread.
func (c *Client) patchChannel(ctx context.Context, ch channel, body editChannelBody) (channel, error) {
	return c.sendChannel(ctx, ch.Guild, onChannel(http.MethodPatch, ch.ID, "").Needing(chat.ManageChannels).WithBody(body))
}

// DeleteChannel deletes a channel with its threads and messages, or a thread. The channels of a
// category stay, and are in none.
func (c *Client) DeleteChannel(ctx context.Context, id chat.ChannelID) error {
	ch, err := c.channelByID(ctx, id)
	if err != nil {
		return err
	}
	needs := chat.ManageChannels
	if ch.Kind == chat.Thread {
		needs = chat.ManageThreads
	}
	err = c.rest.Do(ctx, onChannel(http.MethodDelete, id, "").Needing(needs), nil)
	if err == nil {
		c.cache.change(ch.Guild, func(g *guild) { g.remove(id) })
	}
	return err
}
