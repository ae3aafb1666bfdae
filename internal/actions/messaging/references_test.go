package messaging_test

import (
	"strings"
	"testing"

	"discoclaw/internal/actions/messaging"
)

// TestEveryTypeTakesEveryFormOfAChannel sends each action's own example, with the channel as
// a name, with its #, as an ID, as a mention, and as a number.
func TestEveryTypeTakesEveryFormOfAChannel(t *testing.T) {
	t.Parallel()
	var names, examples []string
	for _, a := range messaging.New(nil, messaging.Options{}).Actions() {
		names, examples = append(names, a.Name), append(examples, string(a.Examples()[0]))
	}
	for i, name := range names {
		for _, form := range []string{"name", "#name", "ID", "mention", "number"} {
			t.Run(name+" "+form, func(t *testing.T) {
				t.Parallel()
				onServer(t, layout, func(t *testing.T, w *world) {
					w.write("a.txt", "hi")
					channel := "ops"
					if name == "crosspost" {
						channel = "news"
					}
					w.Run("ada", `{"type":"sendMessage","channel":"`+channel+`","content":"one"}`)
					w.Run("ada", `{"type":"sendMessage","channel":"`+channel+`","content":"two"}`)
					message, id := w.latest(channel), string(w.ChannelID(channel))
					if name == "unreact" {
						w.Run("ada", `{"type":"react","channelId":"`+channel+`","messageId":"`+message+`","emoji":"👍"}`)
					}
					written := map[string]string{"name": `"` + channel + `"`, "#name": `"#` + channel + `"`, "ID": `"` + id + `"`, "mention": `"<#` + id + `>"`, "number": id}[form]
					request := strings.NewReplacer(`"general"`, written, `"news"`, written, "reports/may.pdf", "a.txt",
						"123456789012345678", message, `"last"`, `"`+message+`"`).Replace(examples[i])
					if got := w.Run("ada", request)[0]; !strings.HasPrefix(got, "Done: ") {
						t.Errorf("%s: %s", request, got)
					}
				})
			})
		}
	}
}
