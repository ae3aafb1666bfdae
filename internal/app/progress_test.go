package app

import (
	"errors"
	"slices"
	"testing"

	"discoclaw/internal/config"
)

// TestReactionsOfTheBotAreCheckedAtTheStart: two phases with one emoji could not be told apart.
func TestReactionsOfTheBotAreCheckedAtTheStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  config.Env
		want []string
	}{
		{"as they are", config.Env{}, nil},
		{"not shown", config.Env{"DISCOCLAW_REACTION_SUCCESS": "none", "DISCOCLAW_REACTION_ERROR": "none"}, nil},
		{"the same", config.Env{"DISCOCLAW_REACTION_ERROR": "👍"}, []string{"DISCOCLAW_REACTION_SUCCESS and DISCOCLAW_REACTION_ERROR are the same emoji, 👍; choose another for one of them"}},
		{"the stop sign", config.Env{"DISCOCLAW_REACTION_ERROR": "🛑"}, []string{"DISCOCLAW_REACTION_ERROR: 🛑 stops replies, so it cannot show how far they are; choose another emoji"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := NewCore(tt.env)
			var list *config.Error
			if errors.As(err, &list) != (tt.want != nil) || list != nil && !slices.Equal(list.Problems, tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}
