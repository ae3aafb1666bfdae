package app

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/tasks"
)

func TestOpenTasksTakeLittleOfAPrompt(t *testing.T) {
	inCourtOf(t, trialWorld+"deny tasks gus: View Channel\n", func(c *court) {
		for i := range 100 {
			if _, err := c.core.tasks.Create(c.t.Context(), tasks.Task{Guild: c.GuildID(), Title: fmt.Sprintf("%d %s", i, strings.Repeat("ü ", 80)), Priority: 1}); err != nil {
				t.Fatal(err)
			}
		}
		known, err := c.core.openTasks(c.t.Context(), c.from("bob"), "")
		if n := chat.Length(known.Heading + "\n" + known.Text); err != nil || n > 600 || n < 450 || !strings.HasSuffix(known.Text, "\n… more: taskList") {
			t.Errorf("%d characters: %s\n%s, %v", n, known.Heading, known.Text, err)
		}
		if hidden, err := c.core.openTasks(c.t.Context(), c.from("gus"), ""); err != nil || hidden.Text != "" {
			t.Errorf("gus, who may not look into the forum, is told: %s, %v", hidden.Text, err)
		}
	})
}
