package chat_test

import (
	"errors"
	"fmt"
	"testing"

	"discoclaw/internal/chat"
)

func TestOnlyOperatorsReadTheRemedy(t *testing.T) {
	full := errors.New("five are waiting already")
	err := fmt.Errorf("defer: %w", chat.WithRemedy(full, "raise MAX_WAITING"))
	if got, want := err.Error(), "defer: five are waiting already"; got != want {
		t.Errorf("members read %q, want %q", got, want)
	}
	told := chat.ForOperators(err)
	if got, want := told.Error(), "defer: five are waiting already; raise MAX_WAITING"; got != want {
		t.Errorf("operators read %q, want %q", got, want)
	}
	if !errors.Is(told, full) {
		t.Error("the cause is lost")
	}
	if got := chat.ForOperators(full); got != full {
		t.Errorf("an error without a remedy became %v", got)
	}
	if got := chat.ForOperators(nil); got != nil {
		t.Errorf("no error became %v", got)
	}
}
