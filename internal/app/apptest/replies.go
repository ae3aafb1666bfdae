package apptest

import (
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// Last returns the bot's last message in a channel.
func Last(w *discordtest.World, channel string) string {
	for _, m := range slices.Backward(w.Messages(channel)) {
		if m.Author == w.UserID("bot") {
			return m.Content
		}
	}
	return ""
}

// Contents returns the texts of all messages in a channel.
func Contents(w *discordtest.World, channel string) string {
	var all strings.Builder
	for _, m := range w.Messages(channel) {
		all.WriteString(m.Content + "\n")
	}
	return all.String()
}

// Answers counts the answers to a message, and fails the test if the bot has replied anything else
// to it.
func Answers(t testing.TB, w *discordtest.World, channel string, to chat.MessageID, words string) int {
	t.Helper()
	n, others := SortReplies(w, channel, to, words)
	if others > 0 {
		t.Errorf("%d replies to %s in %s are not answers\n%s", others, to, channel, w.Transcript())
	}
	return n
}

// SortReplies counts the answers to a message, and the bot's other replies to it, such as a
// placeholder that was never finished. An answer contains the words that the model or the command
// gives, has no Stop button any more, and is not marked as interrupted.
func SortReplies(w *discordtest.World, channel string, to chat.MessageID, words string) (answers, others int) {
	for _, m := range RepliesTo(w, channel, to) {
		if strings.Contains(m.Content, words) && !m.Unfinished() && !strings.Contains(m.Content, "*(Interrupted: ") {
			answers++
		} else {
			others++
		}
	}
	return answers, others
}

// RepliesTo returns all replies of the bot to a message.
func RepliesTo(w *discordtest.World, channel string, to chat.MessageID) []fakediscord.Message {
	return slices.DeleteFunc(w.Messages(channel), func(m fakediscord.Message) bool {
		return m.ReplyTo != to || m.Author != w.UserID("bot")
	})
}
