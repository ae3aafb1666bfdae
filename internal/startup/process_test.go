package startup

import (
	"testing"

	"discoclaw/internal/chat"
)

func TestTheStartupNoteIsGivenOnce(t *testing.T) {
	t.Parallel()
	restarted := Start{Kind: Restarted, Restart: Restart{By: chat.User{ID: "2"}}}
	for _, tt := range []struct {
		name  string
		start Start
		asked []chat.UserID
		told  int // the index in asked of who is told; -1 for nobody
	}{
		{"a crash is told to the first person who is served", Start{Kind: Crashed}, []chat.UserID{"99", "1", "2"}, 1},
		{"a restart is told to who asked for it", restarted, []chat.UserID{"99", "1", "2", "2"}, 2},
		{"a first start is nothing to tell", Start{Kind: First}, []chat.UserID{"1"}, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &Process{ProcessOptions: ProcessOptions{Users: []chat.UserID{"1", "2"}}, start: tt.start, note: startupNote(tt.start)}
			for i, who := range tt.asked {
				if got := p.Startup(who); (got != "") != (i == tt.told) {
					t.Errorf("%s is told %q", who, got)
				}
			}
		})
	}
}
