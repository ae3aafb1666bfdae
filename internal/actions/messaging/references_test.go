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

// TestALinkSaysWhere: the message's own channel counts, and another one is a contradiction.
func TestALinkSaysWhere(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		w.Run("ada", `{"type":"sendMessage","channel":"ops","content":"one"}`)
		id := w.latest("ops")
		link := "https://discord.com/channels/{disco}/{ops}/" + id
		link = strings.ReplaceAll(link, "{disco}", string(w.GuildID()))
		const elsewhere = "that message is in <#{ops}>, not in #general; nothing was done"
		for _, tt := range []struct{ name, args, want string }{
			{"no channel", `{"type":"pinMessage","messageId":"` + link + `"}`, "Done: pinned [a message](" + link + ") in <#{ops}>"},
			{"its channel", `{"type":"unpinMessage","channelId":"ops","messageId":"` + link + `"}`, "Done: unpinned [a message](" + link + ") in <#{ops}>"},
			{"another channel", `{"type":"pinMessage","channelId":"general","messageId":"` + link + `"}`, "Failed: pinMessage: " + elsewhere},
			{"an answer elsewhere", `{"type":"sendMessage","channel":"news","content":"x","replyTo":"` + link + `"}`, "Failed: sendMessage: that message is in <#{ops}>, not in #news; nothing was done"},
			{"a thread elsewhere", `{"type":"threadCreate","channelId":"general","name":"x","messageId":"` + link + `"}`, "Failed: threadCreate: " + elsewhere},
			{"a limit elsewhere", `{"type":"readMessages","channel":"general","before":"` + link + `"}`, "Failed: readMessages: " + elsewhere},
			{"a deletion elsewhere", `{"type":"bulkDelete","channelId":"general","count":2,"after":"` + link + `"}`, "Failed: bulkDelete: " + elsewhere},
			{"nowhere", `{"type":"pinMessage","messageId":"last"}`, "Failed: pinMessage: channelId: missing"},
			{"no message of the turn", `{"type":"pinMessage","messageId":"m9"}`, "Failed: pinMessage: messageId: there is no message m9 in this conversation or its results"},
		} {
			if got := w.Run("ada", w.WithIDs(tt.args))[0]; got != w.WithIDs(tt.want) {
				t.Errorf("%s: %s", tt.name, got)
			}
		}
		w.RequirePart("ada", w.WithIDs(`{"type":"threadCreate","name":"x","messageId":"`+link+`"}`), "Done: started the thread <#"+id+"> in <#{ops}>")
	})
}
