package fakediscord

import (
	"encoding/json"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// A threadInput is the JSON of a thread to start.
type threadInput struct {
	Name        string   `json:"name"`
	AutoArchive *int     `json:"auto_archive_duration"`
	Type        *int     `json:"type"`
	Tags        []string `json:"applied_tags"` // of a forum's post
	Slowmode    *int     `json:"rate_limit_per_user"`
	Invitable   *bool    `json:"invitable"`
}

// archiveTimes are the minutes after which a thread can be archived.
var archiveTimes = []int{60, 1440, 4320, 10080}

var errArchiveTime = invalid("auto_archive_duration", "BASE_TYPE_CHOICES", "Value must be one of (60, 1440, 4320, 10080).")

func (c *call) threadInput() (threadInput, error) {
	var in threadInput
	if _, err := c.fields("name", "auto_archive_duration", "type", "applied_tags", "rate_limit_per_user", "invitable", "message"); err != nil {
		return in, err
	}
	if err := c.decode(&in); err != nil {
		return in, err
	}
	in.Name = strings.TrimSpace(in.Name)
	switch {
	case in.Name == "" || chat.Length(in.Name) > 100:
		return in, invalid("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	case in.AutoArchive != nil && !slices.Contains(archiveTimes, *in.AutoArchive):
		return in, errArchiveTime
	case in.Slowmode != nil && (*in.Slowmode < 0 || *in.Slowmode > maxSlowmode):
		return in, errSlowmode
	}
	return in, nil
}

func (in threadInput) channel(parent *Channel, t ChannelType) *Channel {
	thread := &Channel{Type: t, Name: in.Name, Parent: parent.ID, AppliedTags: in.Tags}
	set(&thread.AutoArchive, in.AutoArchive)
	set(&thread.Slowmode, in.Slowmode)
	thread.NoInvites = t == PrivateThread && in.Invitable != nil && !*in.Invitable
	return thread
}

// threadFromMessage starts a thread on a message, whose ID it gets.
func threadFromMessage(c *call) (answer, error) {
	ch, m, may, err := c.found()
	if err != nil {
		return answer{}, err
	}
	in, err := c.threadInput()
	switch {
	case err != nil:
		return answer{}, err
	case ch.Type != TextChannel && ch.Type != AnnouncementChannel:
		return answer{}, errWrongChannelType
	case !may.Has(publicThreads):
		return answer{}, errMissingPermissions
	case isSystem(m.Type):
		return answer{}, errWrongMessageType
	case m.Thread != "":
		return answer{}, errThreadExists
	}
	thread := in.channel(ch, ch.Type.threads())
	thread.ID = chat.ChannelID(m.ID)
	c.openThread(thread, c.bot, c.reason())
	m.Thread, m.Flags = thread.ID, m.Flags|flagHasThread
	c.emitMessage("MESSAGE_UPDATE", ch, m)
	c.post(draft{author: c.bot, channel: thread, kind: ThreadStarter, replyTo: m.ID, replyPlace: ch.ID})
	return created(c.threadJSON(thread))
}

// threadInChannel starts a thread without a message, or a post in a forum.
func threadInChannel(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	in, err := c.threadInput()
	if err != nil {
		return answer{}, err
	}
	if ch.Type == ForumChannel {
		return c.startPost(ch, in, may)
	}
	kind := PrivateThread // Discord's default
	if in.Type != nil {
		kind = ChannelType(*in.Type)
	}
	switch {
	case !ch.Type.TakesThreads(), kind != ch.Type.threads() && (kind != PrivateThread || ch.Type != TextChannel):
		return answer{}, errWrongChannelType
	case kind == PrivateThread && !may.Has(privateThreads), kind != PrivateThread && !may.Has(publicThreads):
		return answer{}, errMissingPermissions
	}
	thread := c.openThread(in.channel(ch, kind), c.bot, c.reason())
	if kind != PrivateThread {
		c.post(draft{author: c.bot, channel: ch, kind: ThreadCreated, content: thread.Name, replyPlace: thread.ID})
	}
	return created(c.threadJSON(thread))
}

// startPost starts a thread in a forum together with its first message.
func (c *call) startPost(forum *Channel, in threadInput, may Permissions) (answer, error) {
	var wrapped struct {
		Message json.RawMessage `json:"message"`
	}
	if err := c.decode(&wrapped); err != nil {
		return answer{}, err
	}
	if len(wrapped.Message) == 0 {
		return answer{}, invalid("message", "BASE_TYPE_REQUIRED", "This field is required")
	}
	first, err := c.messageInput(wrapped.Message)
	if err != nil {
		return answer{}, err
	}
	switch err := c.checkApplied(forum, nil, in.Tags, may); {
	case !may.Has(sendMessages):
		return answer{}, errMissingPermissions
	case err != nil:
		return answer{}, err
	case forum.RequireTag && len(in.Tags) == 0:
		return answer{}, errTagRequired
	}
	thread := in.channel(forum, PublicThread)
	d := draft{
		author: c.bot, channel: thread, content: first.text(), embeds: first.Embeds, components: first.Components,
		attachments: c.uploads(first.Files), mentions: first.Mentions, flags: first.flags(),
	}
	if d.empty() {
		return answer{}, errEmptyMessage
	}
	d.channel = c.openThread(thread, c.bot, c.reason())
	d.id = chat.MessageID(thread.ID)
	m := c.post(d)
	o := c.threadJSON(thread)
	o["message"] = c.messageJSON(m)
	return created(o)
}

// openThread adds a thread, emits it and logs it.
func (w *World) openThread(thread *Channel, by *Member, reason string) *Channel {
	w.startThread(thread, by)
	o := w.threadJSON(thread)
	o["newly_created"] = true
	w.emit("THREAD_CREATE", intentGuilds, thread, o)
	w.audit(w.guild(thread.Guild), auditThreadCreate, by.ID, string(thread.ID), reason, AuditChange{Key: "name", New: thread.Name})
	return thread
}

func (c *call) thread() (*Channel, Permissions, error) {
	ch, may, err := c.place()
	if err == nil && !ch.Type.IsThread() {
		err = errWrongChannelType
	}
	return ch, may, err
}

func joinThread(c *call) (answer, error) {
	ch, _, err := c.thread()
	if err != nil {
		return answer{}, err
	}
	if ch.Archived {
		return answer{}, errArchived
	}
	c.joinThread(ch, c.bot)
	return done()
}

// addThreadMember puts a member of the guild into a thread.
func addThreadMember(c *call) (answer, error) {
	ch, may, err := c.thread()
	if err != nil {
		return answer{}, err
	}
	m := c.person(chat.UserID(c.vars["user"]))
	switch {
	case m == nil || m.Left:
		return answer{}, errUnknownUser
	case ch.Archived:
		return answer{}, errArchived
	case !may.Has(sendInThreads):
		return answer{}, errMissingPermissions
	}
	c.joinThread(ch, m)
	return done()
}

// removeThreadMember takes a member out of a thread: the bot itself, or another one with the right for that or from the bot's own private thread.
func removeThreadMember(c *call) (answer, error) {
	ch, may, err := c.thread()
	if err != nil {
		return answer{}, err
	}
	id := chat.UserID(c.vars["user"])
	if id == "" {
		id = c.bot.ID
	}
	switch own := ch.Type == PrivateThread && ch.Owner == c.bot.ID; {
	case ch.Archived:
		return answer{}, errArchived
	case id != c.bot.ID && !may.Has(manageThreads) && !own:
		return answer{}, errMissingPermissions
	case !slices.Contains(ch.Members, id):
		return answer{}, errUnknownMember
	}
	c.leaveThread(ch, id)
	return done()
}

// listThreadMembers lists by ID. It needs the Server Members intent.
func listThreadMembers(c *call) (answer, error) {
	ch, _, err := c.thread()
	switch {
	case err != nil:
		return answer{}, err
	case c.granted&intentMembers == 0:
		return answer{}, errMissingAccess
	}
	most := len(ch.Members)
	if c.yes("with_member") {
		most = 100 // without members, only a client that asks for pages gets them
	}
	limit, err := c.number("limit", most, 1, 100)
	if err != nil {
		return answer{}, err
	}
	after, err := c.snowflake("after")
	if err != nil {
		return answer{}, err
	}
	out := []object{}
	for _, id := range slices.SortedFunc(slices.Values(ch.Members), func(a, b chat.UserID) int { return compareIDs(string(a), string(b)) }) {
		if compareIDs(string(id), after) > 0 && len(out) < limit {
			out = append(out, c.memberOfThread(ch, id))
		}
	}
	return ok(out)
}

// memberOfThread is a member of a thread, as a member of the guild too if the request wants that.
func (c *call) memberOfThread(ch *Channel, id chat.UserID) object {
	o := c.threadMemberJSON(ch, id)
	if m := c.person(id); m != nil && c.yes("with_member") {
		o["member"] = c.memberJSON(m)
	}
	return o
}

func getThreadMember(c *call) (answer, error) {
	ch, _, err := c.thread()
	if err != nil {
		return answer{}, err
	}
	id := chat.UserID(c.vars["user"])
	if !slices.Contains(ch.Members, id) {
		return answer{}, errUnknownMember
	}
	return ok(c.memberOfThread(ch, id))
}

func activeThreads(c *call) (answer, error) {
	if err := c.ourGuild(); err != nil {
		return answer{}, err
	}
	threads, members := []object{}, []object{}
	for _, id := range slices.Backward(c.channelOrder) { // newest first
		ch := c.channels[id]
		if ch.Guild != c.ID || !ch.Type.IsThread() || ch.Archived || !c.sees(c.bot, ch) {
			continue
		}
		threads = append(threads, c.threadJSON(ch))
		if slices.Contains(ch.Members, c.bot.ID) {
			members = append(members, c.threadMemberJSON(ch, c.bot.ID))
		}
	}
	return ok(object{"threads": threads, "members": members, "has_more": false})
}
