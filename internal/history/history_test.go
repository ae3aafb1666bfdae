package history_test

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/history"
)

func said(l *history.Log, m chat.MessageID, n int) string {
	var texts []string
	for _, line := range l.Before("1", m, n) {
		texts = append(texts, line.Text)
	}
	return strings.Join(texts, " ")
}

func TestBefore(t *testing.T) {
	var l history.Log
	for i, text := range []string{"a", "b", "c", "d"} {
		l.Add("1", history.Line{ID: chat.MessageID(fmt.Sprint(i)), Text: text})
	}
	l.Add("1", history.Line{ID: "9", Mine: true, Text: "answer"})
	l.Add("2", history.Line{ID: "8", Text: "elsewhere"})
	for _, tt := range []struct {
		name string
		m    chat.MessageID
		n    int
		want string
	}{
		{"what came before, and the bot's own since", "2", 10, "a b answer"},
		{"a message it has not seen", "7", 10, "a b c d answer"},
		{"only the latest", "3", 2, "c answer"},
		{"nothing is asked for", "3", 0, ""},
	} {
		if got := said(&l, tt.m, tt.n); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	l.Change("1", "1", "B")
	l.Remove("1", "0")
	l.Change("3", "1", "nowhere")
	if got := said(&l, "7", 10); got != "B c d answer" {
		t.Errorf("after a change and a removal: %q", got)
	}
}

func TestItIsBounded(t *testing.T) {
	var l history.Log
	for i := range 1000 {
		l.Add("1", history.Line{ID: chat.MessageID(fmt.Sprint(i)), Text: "x"})
	}
	if n := len(l.Before("1", "none", 1000)); n != 40 {
		t.Errorf("%d lines are kept", n)
	}
	for i := range 1500 {
		l.Add(chat.ChannelID(fmt.Sprint("c", i)), history.Line{ID: "1"})
	}
	if len(l.Before("1", "none", 1)) != 0 || len(l.Before("c1499", "none", 1)) != 1 {
		t.Error("the channel that was silent for the longest time was not the one forgotten")
	}
}
