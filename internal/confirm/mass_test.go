package confirm

import (
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// TestACardAboutManyChangesIsOneMessage, while it is open and afterwards, and says how many it does not show.
func TestACardAboutManyChangesIsOneMessage(t *testing.T) {
	t.Parallel()
	for _, words := range []int{1, 10, 500} {
		r := record{token: "token"}
		r.Origin.Requester = "123456789012345678"
		var lines []string
		for i := range 25 {
			kind := fmt.Sprintf("Do something %d", i%2+i/12*100) + strings.Repeat(" 🦀", words/10)
			r.Items = append(r.Items, actions.Pending{Kind: kind, What: kind + ": " + strings.Repeat("🦀 text ", words)})
			lines = append(lines, "Done: "+strings.Repeat("🦀", words))
		}
		lines[24] = "Failed: the last one"
		open := r.chunks()
		if len(open) != 1 || chat.Length(open[0]) > maxMassCard || !strings.Contains(open[0], "make these 25 changes?") || !strings.HasSuffix(open[0], r.how()) {
			t.Errorf("%d words: the card is %q", words, open)
		}
		if words > 1 && !strings.Contains(open[0], " more\n"+r.how()) {
			t.Errorf("%d words: the card does not say how many more there are: %q", words, open[0])
		}
		r.verdict = verdictApproved(chat.User{ID: "7"}, lines)
		ending := r.ending()
		if len(ending) != 1 || chat.Length(ending[0]) > maxMassCard || !strings.Contains(ending[0], "✅ Approved by <@7>.\nFailed: the last one\n") {
			t.Errorf("%d words: the ending is %q", words, ending)
		}
	}
}
