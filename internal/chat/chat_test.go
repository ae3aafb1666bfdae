package chat_test

import (
	"testing"
	"time"

	"discoclaw/internal/chat"
)

func TestIDsGrowWithTime(t *testing.T) {
	at := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	first := chat.FirstAt(at)
	if first != "1477998909849600000" || !chat.FirstAt(at.Add(time.Millisecond)).After(first) || chat.FirstAt(time.Time{}) != "0" {
		t.Errorf("%s", first)
	}
}
