package userapi

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// eyes turn the world's values into the API's objects for one member.
type eyes struct {
	*Handler
	me   chat.UserID
	view fakediscord.View
}

// here reports whether the member is still on the server.
func (e eyes) here() bool {
	m, found := e.world.Member(string(e.me))
	return found && !m.Left
}

func (h *Handler) person(id chat.UserID) person {
	m, _ := h.world.Member(string(id)) // former members are kept
	return person{ID: m.ID, Name: m.Shown(), Bot: m.Bot, Owner: m.ID == h.world.Owner(), Note: h.noteOn(m)}
}

func (h *Handler) noteOn(m fakediscord.Member) string {
	if m.Note != "" {
		return m.Note
	}
	var roles []string
	for _, r := range h.world.Roles() {
		if slices.Contains(m.Roles, r.ID) && !r.Managed {
			roles = append(roles, r.Name)
		}
	}
	return strings.Join(roles, ", ")
}

// kinds are the kinds of channel in the words of the API.
var kinds = map[fakediscord.ChannelType]string{
	fakediscord.TextChannel:         "text",
	fakediscord.DMChannel:           "dm",
	fakediscord.VoiceChannel:        "voice",
	fakediscord.CategoryChannel:     "category",
	fakediscord.AnnouncementChannel: "announcement",
	fakediscord.AnnouncementThread:  "thread",
	fakediscord.PublicThread:        "thread",
	fakediscord.PrivateThread:       "thread",
	fakediscord.StageChannel:        "stage",
	fakediscord.ForumChannel:        "forum",
}

func (e eyes) channel(c fakediscord.SeenChannel) channel {
	out := channel{
		ID: c.ID, Name: c.Name, Kind: kinds[c.Type], Parent: c.Parent, Position: c.Position, Topic: c.Topic,
		Archived: c.Archived, Locked: c.Locked, CanSend: c.CanSend, Messages: c.Messages, Last: c.Last,
		Tags: []tag{}, AppliedTags: append([]string{}, c.AppliedTags...), Inside: append([]chat.UserID{}, c.Inside...), CanEnter: c.CanEnter,
	}
	if c.Type == fakediscord.DMChannel { // the world names it after the member, the member's page after the bot
		bot, _ := e.world.Member("bot")
		out.Name = bot.Shown()
	}
	for _, t := range c.Tags {
		out.Tags = append(out.Tags, tag{t.ID, t.Name, chat.Emoji(t.Emoji)})
	}
	return out
}

// systems are the system messages.
var systems = map[fakediscord.MessageType]string{
	fakediscord.DefaultMessage: "",
	fakediscord.ReplyMessage:   "",
	fakediscord.CommandAnswer:  "",
	fakediscord.NameChange:     "rename",
	fakediscord.PinNotice:      "pin",
	fakediscord.ThreadCreated:  "thread",
	fakediscord.ThreadStarter:  "starter",
	fakediscord.PollResult:     "poll",
}

func (e eyes) message(m fakediscord.Message) message {
	system, known := systems[m.Type]
	if !known {
		system = "other"
	}
	out := message{
		ID: m.ID, Channel: m.Channel, Author: e.person(m.Author), System: system, Content: m.Content,
		Time: e.shown(m.Sent).UTC().Format(time.RFC3339Nano), Edited: !m.Edited.IsZero(), OnlyYou: m.OnlyFor != "", Loading: m.Loading(), ReplyTo: e.quote(m),
		MentionsYou: slices.Contains(m.Pings, e.me),
		Attachments: []attachment{}, Embeds: embeds(m), Buttons: buttons(m), Reactions: []reaction{},
		Pinned: !m.Pinned.IsZero(), Thread: e.thread(m), Poll: e.poll(m),
	}
	for _, a := range m.Attachments {
		// The ID finds it. An unescaped name could make another URL of it.
		address := "/attachments/" + string(m.Channel) + "/" + a.ID + "/" + url.PathEscape(cleanName(a.Name))
		out.Attachments = append(out.Attachments, attachment{a.Name, a.Type, len(a.Data), address})
	}
	for _, r := range m.Reactions {
		seen := reaction{Emoji: chat.Emoji(r.Emoji), Count: len(r.Users), Mine: slices.Contains(r.Users, e.me), Who: []string{}}
		for _, u := range r.Users {
			who, _ := e.world.Member(string(u))
			seen.Who = append(seen.Who, who.Shown())
		}
		out.Reactions = append(out.Reactions, seen)
	}
	return out
}

func (e eyes) poll(m fakediscord.Message) *poll {
	if m.Poll == nil {
		return nil
	}
	out := &poll{Question: m.Poll.Question, Answers: []pollAnswer{}, Multiple: m.Poll.Multiple, Closed: m.Poll.Closed(time.Now())}
	for _, text := range m.Poll.Answers {
		out.Answers = append(out.Answers, pollAnswer{Text: text, Who: []string{}})
	}
	for _, v := range m.Poll.Votes {
		if v.Answer < 1 || v.Answer > len(out.Answers) {
			continue // in a file that was edited by hand
		}
		a := &out.Answers[v.Answer-1]
		who, _ := e.world.Member(string(v.By))
		a.Votes, a.Mine, a.Who = a.Votes+1, a.Mine || v.By == e.me, append(a.Who, who.Shown())
	}
	return out
}

// thread is the thread that was started from a message, or that it announces.
func (e eyes) thread(m fakediscord.Message) chat.ChannelID {
	id := m.Thread
	if m.Type == fakediscord.ThreadCreated {
		id = m.ReplyPlace
	}
	if _, seen := e.view.Channel(id); !seen {
		return ""
	}
	return id
}

// excerptLength is how many characters of a message a quote of it has.
const excerptLength = 120

func (e eyes) quote(m fakediscord.Message) *quote {
	if m.ReplyTo == "" {
		return nil
	}
	answered, seen := e.view.Message(m.ReplyPlace, m.ReplyTo)
	if !seen {
		return &quote{ID: m.ReplyTo}
	}
	author, _ := e.world.Member(string(answered.Author))
	text := chat.OneLine(answered.Content)
	for _, a := range answered.Attachments {
		if text == "" {
			text = a.Name
		}
	}
	for _, card := range answered.Embeds {
		if text == "" {
			text = card.Title
		}
	}
	return &quote{ID: answered.ID, Author: author.Shown(), Excerpt: chat.Clip(text, excerptLength)}
}

func embeds(m fakediscord.Message) []embed {
	out := []embed{}
	if m.EmbedsHidden() {
		return out
	}
	for _, from := range m.Embeds {
		e := embed{
			Title: from.Title, Description: from.Description, URL: safeLink(from.URL), Color: from.Color, Fields: []embedField{},
		}
		if from.Footer != nil {
			e.Footer = from.Footer.Text
		}
		for _, f := range from.Fields {
			e.Fields = append(e.Fields, embedField(f))
		}
		out = append(out, e)
	}
	return out
}

func buttons(m fakediscord.Message) [][]button {
	out := [][]button{}
	for _, row := range m.Components {
		var line []button
		for _, c := range row.Components {
			if c.Type != fakediscord.Button {
				continue
			}
			b := button{ID: c.CustomID, Label: c.Label, Style: c.Style, Disabled: c.Disabled, URL: safeLink(c.URL)}
			if c.Emoji != nil {
				b.Label = strings.TrimSpace(c.Emoji.Name + " " + c.Label)
			}
			line = append(line, b)
		}
		if line != nil {
			out = append(out, line)
		}
	}
	return out
}

// safeLink is a URL that opens a web page, or nothing. The bot can be made to write
// others, such as scripts, and a page without a check would run them.
func safeLink(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return address
}
