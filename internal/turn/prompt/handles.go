package prompt

import (
	"slices"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// handle is that of a message. Without a channel of its own, the message is in the current one.
func (s Setting) handle(at chat.Place, m chat.MessageID) string {
	if at.Channel == "" {
		at.Guild, at.Channel = s.Guild, s.Here
	}
	at.Message = m
	return s.Handles.Of(at)
}

// labelled puts a handle in front of a line. What people write stands behind it or is indented, so that
// it cannot forge one.
func labelled(handle, line string) string {
	if handle == "" {
		return line
	}
	return handle + " " + line
}

// numbered gives the messages in results handles in place of their IDs.
func (s Setting) numbered(outs []actions.Outcome) []actions.Outcome {
	if s.Handles == nil {
		return outs
	}
	outs = slices.Clone(outs)
	for i, o := range outs {
		lines := strings.Split(o.Result.Found, "\n")
		for j := range lines {
			lines[j] = s.numberedLine(lines[j], o.Result.Shows)
		}
		outs[i].Result.Found = strings.Join(lines, "\n")
	}
	return outs
}

// numberedLine takes the ID off the end of a line, and puts a handle in front.
func (s Setting) numberedLine(line string, shown []chat.Place) string {
	for _, p := range shown {
		head, ok := strings.CutSuffix(line, "id:"+string(p.Message)+")")
		if !ok {
			continue
		}
		if more, ok := strings.CutSuffix(head, ", "); ok {
			return labelled(s.Handles.Of(p), more+")")
		}
		return labelled(s.Handles.Of(p), strings.TrimSuffix(head, " ("))
	}
	return line
}
