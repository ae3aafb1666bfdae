package reminders

import (
	"context"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/commands"
	"discoclaw/internal/reminder"
)

// Commands implements [commands.Commander]: !remind manages reminders without a model.
func (*Category) Commands() []commands.Command {
	return []commands.Command{{
		Name: "remind", Args: "[20m text | cancel 3]", Summary: "List your reminders, set one, or cancel one.", Choose: choose,
		Verbs: []commands.Verb{{Name: "list", Type: "remindList"}, {Name: "set", Type: "remind", Read: readRemind}, {Name: "cancel", Type: "remindCancel", Read: readCancel}},
		Options: []commands.Option{
			{Name: "when", Summary: "20m, 2h, 3d, a time such as 2026-12-24 09:00, or cancel."},
			{Name: "text", Summary: "What it says; after cancel, the number of the reminder."},
		},
	}}
}

// choose: only cancel is named by its word.
func choose(_ context.Context, _ chat.Message, args string) (verb, text string) {
	switch first, rest := commands.CutWords(args, 1); {
	case args == "":
		return "list", ""
	case strings.EqualFold(first, "cancel"):
		return "cancel", rest
	}
	return "set", args
}

// readRemind reads when and what. A length of time may be two words, such as 20 minutes.
func readRemind(_ context.Context, _ chat.Message, args string) (any, chat.Sources, error) {
	for _, word := range []string{"me ", "in ", "at "} { // as people write it to each other
		if len(args) > len(word) && strings.EqualFold(args[:len(word)], word) {
			args = strings.TrimSpace(args[len(word):])
		}
	}
	for _, words := range []int{2, 1} {
		when, text := commands.CutWords(args, words)
		in := Remind{In: Delay(when), Text: text}
		_, err := reminder.ParseDelay(when)
		if err != nil {
			in.In, in.At = "", when
			_, err = clock.Parse(when, time.Now())
		}
		if err == nil && text != "" {
			return in, "", nil
		} else if err == nil {
			break
		}
	}
	return nil, "", &commands.UsageError{Problem: "Say when, and then what: a length of time such as 20m, 2h or 3d, or a time such as 2026-12-24 09:00."}
}

func readCancel(_ context.Context, _ chat.Message, number string) (any, chat.Sources, error) {
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, "", &commands.UsageError{Problem: "The number of a reminder follows; `!remind` lists yours."}
	}
	return Cancel{ID: id}, "", nil
}
