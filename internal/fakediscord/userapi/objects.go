package userapi

import "discoclaw/internal/chat"

// The objects of the API. No list in them is ever null.

type person struct {
	ID    chat.UserID `json:"id"`
	Name  string      `json:"name"`
	Bot   bool        `json:"bot"`
	Owner bool        `json:"owner"`
	Note  string      `json:"note"`
}

type channel struct {
	ID          chat.ChannelID `json:"id"`
	Name        string         `json:"name"`
	Kind        string         `json:"kind"`
	Parent      chat.ChannelID `json:"parent"`
	Position    int            `json:"position"`
	Topic       string         `json:"topic"`
	Archived    bool           `json:"archived"`
	Locked      bool           `json:"locked"`
	CanSend     bool           `json:"canSend"`
	Messages    int            `json:"messages"`
	Last        chat.MessageID `json:"last"`
	Tags        []tag          `json:"tags"`
	AppliedTags []string       `json:"appliedTags"`
	Inside      []chat.UserID  `json:"inside"` // who is in a voice channel
	CanEnter    bool           `json:"canEnter"`
}

type tag struct {
	ID    string     `json:"id"`
	Name  string     `json:"name"`
	Emoji chat.Emoji `json:"emoji"`
}

type role struct {
	ID   chat.RoleID `json:"id"`
	Name string      `json:"name"`
}

// A command is a slash command that takes no further subcommand.
type command struct {
	Name    string          `json:"name"` // the whole name, with the slash
	Summary string          `json:"summary"`
	Options []commandOption `json:"options"`
}

type commandOption struct {
	Name     string   `json:"name"`
	Summary  string   `json:"summary"`
	Required bool     `json:"required"`
	Suggests bool     `json:"suggests"` // the bot has suggestions for it
	Choices  []string `json:"choices"`  // the only values; empty means any
}

// A form is what the bot wants to have filled in.
type form struct {
	ID     string      `json:"id"`
	Title  string      `json:"title"`
	Fields []formField `json:"fields"`
}

type formField struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Required bool   `json:"required"`
	Longest  int    `json:"longest"` // in characters; 0 means any length
}

type message struct {
	ID          chat.MessageID `json:"id"`
	Channel     chat.ChannelID `json:"channel"`
	Author      person         `json:"author"`
	System      string         `json:"system"` // empty for a member's message
	Content     string         `json:"content"`
	Time        string         `json:"time"` // RFC 3339
	Edited      bool           `json:"edited"`
	OnlyYou     bool           `json:"onlyYou"`
	MentionsYou bool           `json:"mentionsYou"` // and notified for it
	Loading     bool           `json:"loading"`     // a deferred answer
	ReplyTo     *quote         `json:"replyTo"`
	Attachments []attachment   `json:"attachments"`
	Embeds      []embed        `json:"embeds"`
	Buttons     [][]button     `json:"buttons"`
	Reactions   []reaction     `json:"reactions"`
	Pinned      bool           `json:"pinned"`
	Thread      chat.ChannelID `json:"thread"`
	Poll        *poll          `json:"poll"` // null for none
}

// A poll is a question with its answers.
type poll struct {
	Question string       `json:"question"`
	Answers  []pollAnswer `json:"answers"`
	Multiple bool         `json:"multiple"` // one may choose several answers
	Closed   bool         `json:"closed"`
}

type pollAnswer struct {
	Text  string   `json:"text"`
	Votes int      `json:"votes"`
	Mine  bool     `json:"mine"`
	Who   []string `json:"who"`
}

// A quote is a message that another one replies to or is about. Of a deleted one, only
// the ID is left.
type quote struct {
	ID      chat.MessageID `json:"id"`
	Author  string         `json:"author"`
	Excerpt string         `json:"excerpt"`
}

type attachment struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Size int    `json:"size"`
	URL  string `json:"url"`
}

type embed struct {
	Title       string       `json:"title"`
	Description string       `json:"description"`
	URL         string       `json:"url"`
	Color       int          `json:"color"`
	Footer      string       `json:"footer"`
	Fields      []embedField `json:"fields"`
}

type embedField struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Inline bool   `json:"inline"`
}

// A button with a URL opens a page; it has no ID and cannot be pressed.
type button struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Style    int    `json:"style"`
	Disabled bool   `json:"disabled"`
	URL      string `json:"url,omitempty"`
}

type reaction struct {
	Emoji chat.Emoji `json:"emoji"`
	Count int        `json:"count"`
	Mine  bool       `json:"mine"`
	Who   []string   `json:"who"`
}
