package fakediscord

import "slices"

func createMessage(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	in, err := c.messageOrPoll(c.payload)
	if err != nil {
		return answer{}, err
	}
	if in.Reference != nil && in.Reference.Type != 0 {
		return answer{}, notBuiltError("a forwarded message")
	}
	d := draft{
		author: c.bot, channel: ch, content: in.text(), embeds: in.Embeds, components: in.Components,
		attachments: c.uploads(in.Files), nonce: in.nonce(), numberNonce: in.nonceIsNumber(), mentions: in.Mentions, flags: in.flags(),
	}
	if in.Poll != nil {
		if d.poll, err = in.Poll.poll(c.now()); err != nil {
			return answer{}, err
		}
	}
	if err := c.maySend(d, may); err != nil {
		return answer{}, err
	}
	if err := c.answering(&d, in.Reference, may); err != nil {
		return answer{}, err
	}
	if first := c.sentBefore(d, in.EnforceNonce); first != nil {
		return ok(c.createdJSON(first))
	}
	c.wake(ch)
	m := c.post(d)
	c.rememberNonce(m)
	return ok(c.createdJSON(m))
}

// maySend checks a draft against the rights of its author.
func (w *World) maySend(d draft, may Permissions) error {
	need := sendMessages
	if d.channel.Type.IsThread() {
		need = sendInThreads
	}
	if len(d.attachments) > 0 {
		need |= attachFiles
	}
	if len(d.embeds) > 0 {
		need |= embedLinks
	}
	if d.poll != nil {
		need |= createPolls
	}
	switch {
	case !d.channel.Type.takesMessages():
		return errNoTextChannel
	case d.channel.Type == DMChannel && d.author.Bot && w.user(d.channel.Recipient).NoDMs:
		return errCannotMessageUser
	case !may.Has(need):
		return errMissingPermissions
	case d.channel.Locked && !may.Has(manageThreads):
		return errLocked
	case d.empty():
		return errEmptyMessage
	}
	return nil
}

// answering makes the draft a reply, if the request has a reference.
func (w *World) answering(d *draft, ref *referenceInput, may Permissions) error {
	if ref == nil {
		return nil
	}
	if ref.Channel != "" && ref.Channel != d.channel.ID {
		return invalid("message_reference", "MESSAGE_REFERENCE_CHANNEL_MISMATCH", "Cannot reply to a message in a different channel")
	}
	if !may.Has(readHistory) {
		return errReplyWithoutHistory
	}
	answered := w.message(d.channel, string(ref.Message))
	switch {
	case answered != nil && isSystem(answered.Type):
		return invalid("message_reference", "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "Cannot reply to a system message")
	case answered != nil:
		d.kind, d.replyTo = ReplyMessage, answered.ID
	case ref.FailIfMissing == nil || *ref.FailIfMissing:
		return invalid("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
	}
	return nil
}

func isSystem(t MessageType) bool {
	return t != DefaultMessage && t != ReplyMessage && t != CommandAnswer
}

// createdJSON is a message in the response to its sender. Besides the event, only that
// has the nonce.
func (w *World) createdJSON(m *Message) object {
	o := w.messageJSON(m)
	if m.Nonce != "" {
		o["nonce"] = m.nonceJSON()
	}
	return o
}

func getMessage(c *call) (answer, error) {
	ch, m, _, err := c.found()
	if err != nil {
		return answer{}, err
	}
	return ok(c.readable(ch, m))
}

// readable is a message as the bot may read it over REST.
func (w *World) readable(c *Channel, m *Message) object {
	if w.granted&intentContent == 0 && !w.concernsBot(c, m) {
		return withoutContent(w.messageJSON(m))
	}
	return w.messageJSON(m)
}

func listMessages(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	limit, err := c.number("limit", 50, 1, 100)
	if err != nil {
		return answer{}, err
	}
	if !ch.Type.takesMessages() {
		return answer{}, errWrongChannelType
	}
	out := []object{}
	if !may.Has(readHistory) {
		return ok(out) // Discord returns an empty list instead of an error
	}
	page, err := c.page(c.public(ch), limit)
	if err != nil {
		return answer{}, err
	}
	for _, m := range slices.Backward(page) { // newest first
		out = append(out, c.readable(ch, m))
	}
	return ok(out)
}

// page picks messages by the query: the latest, or those before, after or around
// an ID. The result is oldest first.
func (c *call) page(all []*Message, limit int) ([]*Message, error) {
	ids := map[string]string{}
	for _, name := range []string{"before", "after", "around"} {
		id, err := c.snowflake(name)
		if err != nil {
			return nil, err
		}
		ids[name] = id
	}
	// upTo is the number of messages older than an ID.
	upTo := func(id string) int {
		return len(slices.DeleteFunc(slices.Clone(all), func(m *Message) bool { return compareIDs(string(m.ID), id) >= 0 }))
	}
	from, to := max(0, len(all)-limit), len(all)
	switch {
	case ids["around"] != "":
		from = max(0, upTo(ids["around"])-limit/2)
		to = min(len(all), from+limit)
	case ids["before"] != "":
		to = upTo(ids["before"])
		from = max(0, to-limit)
	case ids["after"] != "":
		from = upTo(ids["after"])
		if from < len(all) && string(all[from].ID) == ids["after"] {
			from++
		}
		to = min(len(all), from+limit)
	}
	return all[from:to], nil
}

func editMessage(c *call) (answer, error) {
	ch, m, may, err := c.found()
	if err != nil {
		return answer{}, err
	}
	in, err := c.messageInput(c.payload)
	if err != nil {
		return answer{}, err
	}
	switch {
	case m.Author != c.bot.ID:
		return c.editFlags(ch, m, in, may)
	case ch.Archived:
		return answer{}, errArchived
	case ch.Locked && !may.Has(manageThreads):
		return answer{}, errLocked
	case len(c.uploads(in.Files)) > 0 && !may.Has(attachFiles):
		return answer{}, errMissingPermissions
	}
	if err := c.applyEdit(ch, m, in); err != nil {
		return answer{}, err
	}
	return ok(c.messageJSON(m))
}

// editFlags is the one change of other authors' messages: suppressing embeds.
func (c *call) editFlags(ch *Channel, m *Message, in messageInput, may Permissions) (answer, error) {
	if in.Flags == nil || len(in.given) > 1 || !may.Has(manageMessages) {
		return answer{}, errNotYours
	}
	m.Flags = m.Flags&^flagNoEmbeds | *in.Flags&flagNoEmbeds
	c.emitMessage("MESSAGE_UPDATE", ch, m)
	return ok(c.readable(ch, m))
}

// applyEdit sets the given fields.
func (c *call) applyEdit(ch *Channel, m *Message, in messageInput) error {
	changed := m.clone()
	if in.has("content") {
		changed.Content = in.text()
	}
	if in.has("embeds") {
		changed.Embeds = in.Embeds
	}
	if in.has("components") {
		changed.Components = numbered(in.Components)
	}
	if in.Flags != nil {
		changed.Flags = m.Flags&^flagNoEmbeds | *in.Flags&flagNoEmbeds
	}
	if in.has("attachments") {
		changed.Attachments = slices.DeleteFunc(changed.Attachments, func(a Attachment) bool {
			return !slices.ContainsFunc(in.Files, func(kept attachmentInput) bool { return kept.id() == a.ID })
		})
	}
	for _, a := range c.uploads(in.Files) {
		a.ID = c.newID()
		changed.Attachments = append(changed.Attachments, a)
	}
	if changed.Content == "" && len(changed.Embeds)+len(changed.Attachments)+len(changed.Components) == 0 && changed.Poll == nil {
		return errEmptyMessage
	}
	*m = changed
	c.edited(ch, m, in.Mentions)
	return nil
}

// edited marks a message as edited and emits that. An edit never notifies: its mentions
// are listed, but cause no pings.
func (w *World) edited(ch *Channel, m *Message, mentions *allowedMentions) {
	rung := m.Pings
	w.mention(m, w.user(m.Author), ch, mentions)
	m.Pings = rung
	m.Edited = w.now()
	if m.OnlyFor == "" {
		w.emitMessage("MESSAGE_UPDATE", ch, m)
	} else {
		w.whisper(m)
	}
}

func crosspost(c *call) (answer, error) {
	ch, m, may, err := c.found()
	switch {
	case err != nil:
		return answer{}, err
	case ch.Type != AnnouncementChannel:
		return answer{}, errWrongChannelType
	case !may.Has(sendMessages), m.Author != c.bot.ID && !may.Has(manageMessages):
		return answer{}, errMissingPermissions
	case isSystem(m.Type):
		return answer{}, errWrongMessageType
	case m.Flags&flagCrossposted != 0:
		return answer{}, errCrossposted
	}
	m.Flags |= flagCrossposted
	c.emitMessage("MESSAGE_UPDATE", ch, m)
	return ok(c.readable(ch, m))
}
