package fakediscord

import (
	"slices"
	"strconv"
	"time"

	"discoclaw/internal/chat"
)

func deleteMessage(c *call) (answer, error) {
	ch, may, err := c.place()
	if err != nil {
		return answer{}, err
	}
	m := c.message(ch, c.vars["message"])
	switch {
	case m == nil:
		return answer{}, errUnknownMessage
	case m.Author != c.bot.ID && !may.Has(manageMessages):
		return answer{}, errMissingPermissions
	case m.Type == ThreadStarter:
		return answer{}, errSystemMessage
	}
	c.deleteMessages(ch, m)
	if m.Author != c.bot.ID {
		c.auditMessages(auditMessageDelete, ch, string(m.Author), map[string]string{"count": "1"})
	}
	return done()
}

// deleteMessages deletes messages and emits that: one by one, or as a bulk if there are
// several.
func (w *World) deleteMessages(ch *Channel, gone ...*Message) {
	var ids []chat.MessageID
	for _, m := range gone {
		w.remove(m)
		ids = append(ids, m.ID)
	}
	data, intent := object{"channel_id": ch.ID}, intentDirectMessages
	if ch.Type != DMChannel {
		data["guild_id"], intent = ch.Guild, intentMessages
	}
	if len(ids) == 1 {
		data["id"] = ids[0]
		w.emit("MESSAGE_DELETE", intent, ch, data)
		return
	}
	data["ids"] = ids
	w.emit("MESSAGE_DELETE_BULK", intent, ch, data)
}

// bulkAge is how old a message of a bulk deletion may be.
const bulkAge = 14 * 24 * time.Hour

func bulkDelete(c *call) (answer, error) {
	ch, may, err := c.place()
	switch {
	case err != nil:
		return answer{}, err
	case ch.Type == DMChannel:
		return answer{}, errNotInDM
	case !may.Has(manageMessages):
		return answer{}, errMissingPermissions
	}
	var in struct {
		Messages []chat.MessageID `json:"messages"`
	}
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if len(in.Messages) < 2 || len(in.Messages) > 100 {
		return answer{}, errBulkCount
	}
	var gone []*Message
	for i, id := range in.Messages {
		if slices.Contains(in.Messages[:i], id) {
			return answer{}, invalid("messages", "SET_TYPE_ALREADY_CONTAINS_VALUE", "The set already contains this value")
		}
		if c.clock().Sub(snowflakeTime(string(id))) > bulkAge {
			return answer{}, errBulkTooOld
		}
		if m := c.message(ch, string(id)); m != nil {
			gone = append(gone, m)
		}
	}
	if len(gone) > 0 {
		c.deleteMessages(ch, gone...)
		c.auditMessages(auditBulkDelete, ch, string(ch.ID), map[string]string{"count": strconv.Itoa(len(gone))})
	}
	return done()
}
