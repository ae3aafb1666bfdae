package discord_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePollOfAMessageHasItsVotes: an answer without a count has none, and without results the votes are not known.
func TestThePollOfAMessageHasItsVotes(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		const counted = `"results":{"is_finalized":false,"answer_counts":[{"id":1,"count":2,"me_voted":true}]}`
		const answers = `"answers":[`
		for _, tt := range []struct {
			name, results string
			want          []int
		}{
			{"counted", counted, []int{0, 2}},
			{"no votes", `"results":{"is_finalized":false,"answer_counts":[]}`, []int{0, 0}},
			{"not told", `"call":null`, nil},
			{"null", `"results":null`, nil},
		} {
			text := strings.NewReplacer(counted, tt.results, answers, answers+`{"answer_id":7,"poll_media":{"text":"no"}},`).Replace(b.fill(fullMessage))
			b.raw("MESSAGE_CREATE", text)
			poll := b.heard.last(t).Poll
			if diff := cmp.Diff(tt.want, poll.Votes); diff != "" || poll.Over || poll.Ends.Format("2006-01-02") != "2030-04-29" {
				t.Errorf("%s: %+v\n%s", tt.name, poll, diff)
			}
		}
	})
}
