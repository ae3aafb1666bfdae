package guild

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// How much of an entry is shown.
const (
	maxChanges      = 4
	maxChangeLength = 100
	maxReasonLength = 100
)

// An AuditQuery looks into the audit log.
type AuditQuery struct {
	User   chat.UserRef     `json:"userId,omitempty" alias:"user,by" doc:"Only what this user did: ID, mention or name."`
	Action chat.AuditAction `json:"action,omitempty" doc:"Only this kind of change, such as kick, ban, channelDelete, roleUpdate or inviteCreate."`
	Before Cursor           `json:"before,omitempty" rare:"yes" doc:"Only entries older than the one with this ID."`
	Limit  int              `json:"limit,omitempty" rare:"yes" doc:"How many entries to read." min:"1" max:"100" default:"20"`
}

func (c *Category) auditLog() *actions.Action {
	return actions.Define(actions.Spec[AuditQuery]{
		Name:     "auditLog",
		Brief:    "action: messagePin, memberUpdate …",
		Summary:  "Show who changed what on this server, from its audit log.",
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Needs:    []chat.Permission{chat.ViewAuditLog},
		Examples: []AuditQuery{{Action: "channelDelete", Limit: 10}},
		Do:       c.doAuditLog,
	})
}

func (c *Category) doAuditLog(ctx context.Context, call actions.Call, in AuditQuery) (actions.Result, error) {
	seen, err := c.sightOf(ctx, call)
	if err != nil {
		return actions.Result{}, err
	}
	q := chat.AuditQuery{By: in.User.ID(), Action: in.Action, Before: string(in.Before), Limit: in.Limit}
	all, err := c.server.AuditLog(ctx, call.Origin.Place.Guild, q)
	if err != nil {
		return actions.Result{}, err
	}
	l := listing{title: "Audit log, newest first", more: len(all) == in.Limit, after: in.Before, field: "before"}
	var outside chat.Sources
	for _, e := range all {
		ok, err := seen.shows(e)
		if err != nil {
			return actions.Result{}, err
		}
		if !ok {
			continue
		}
		l.add(entry(e, seen), e.ID)
		if e.Reason != "" || len(e.Changes) > 0 { // a change may be that of a topic
			outside = "the audit log"
		}
	}
	did := actions.Listed("read", len(l.lines), "entry", "entries") + " of the audit log"
	if len(all) > 0 {
		l.end = all[len(all)-1].ID // entries about hidden channels come between
	}
	return actions.Result{Found: l.String(), Summary: did, Outside: outside}, nil
}

// shows reports whether an entry is visible: one with a channel needs that to be visible.
// The deletion of a channel is always shown.
func (s *sight) shows(e chat.AuditEntry) (bool, error) {
	if e.Channel == "" || e.Action == "channelDelete" || e.Action == "threadDelete" {
		return true, nil
	}
	return s.sees(e.Channel)
}

// entry is one line of the log.
func entry(e chat.AuditEntry, seen *sight) string {
	by := chat.InBrackets(cmp.Or(e.By.Handle, e.By.Name, string(e.By.ID), "unknown"))
	line := fmt.Sprintf("[%s] [%s] %s", e.At.UTC().Format(moment), by, e.Action)
	if target := targetOf(e, seen); target != "" {
		line += " " + target
	}
	if changes := changesOf(e); changes != "" {
		line += ": " + changes
	}
	if e.Reason != "" {
		line += fmt.Sprintf(` (reason: "%s")`, chat.Clip(chat.OneLine(e.Reason), maxReasonLength))
	}
	return line + fmt.Sprintf(" (id:%s)", e.ID)
}

// targetOf is the target of an entry, with its channel.
func targetOf(e chat.AuditEntry, seen *sight) string {
	var parts []string
	_, known := seen.known[e.Channel]
	switch t := e.Target; {
	case known && chat.ChannelID(t.ID) == e.Channel:
		return fmt.Sprintf("%s (%s)", seen.name(e.Channel), t.ID)
	case t.Name != "" && t.ID != "":
		parts = append(parts, fmt.Sprintf(`%s "%s" (%s)`, t.Kind, chat.Name(t.Name), t.ID))
	case t.Name != "" || t.ID != "":
		parts = append(parts, fmt.Sprintf("%s %s", t.Kind, chat.Name(cmp.Or(t.Name, t.ID))))
	}
	if known {
		parts = append(parts, "in "+seen.name(e.Channel))
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// changesOf are the properties that changed, as far as they fit.
func changesOf(e chat.AuditEntry) string {
	var parts []string
	for i, change := range e.Changes {
		if change.Property == "channel_id" && chat.ChannelID(change.New) == e.Channel {
			continue // shown already
		}
		if len(parts) == maxChanges {
			parts = append(parts, fmt.Sprintf("%d more", len(e.Changes)-i))
			break
		}
		short := func(s string) string { return chat.Clip(chat.OneLine(s), maxChangeLength) }
		switch {
		case change.Old == "":
			parts = append(parts, fmt.Sprintf("%s %s", chat.OneLine(change.Property), short(change.New)))
		case change.New == "":
			parts = append(parts, fmt.Sprintf("%s was %s", chat.OneLine(change.Property), short(change.Old)))
		default:
			parts = append(parts, fmt.Sprintf("%s %s → %s", chat.OneLine(change.Property), short(change.Old), short(change.New)))
		}
	}
	return strings.Join(parts, ", ")
}
