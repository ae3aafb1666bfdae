package attach_test

import (
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/turn/attach"
)

// TestFilesComeFromDiscord opens a member's attachments, with and without faults of the
// CDN.
func TestFilesComeFromDiscord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
		want  string
		took  time.Duration
	}{
		{name: "a good day", fault: fakediscord.Fault{Skip: 1}, want: `0 text notes.txt "remember the milk"`},
		{name: "out of order", fault: fakediscord.Fault{}, want: "0 note notes.txt: could not be fetched (status 502)"},
		{name: "moved", fault: fakediscord.Fault{Status: 302}, want: "0 note notes.txt: could not be fetched (status 302)"},
		{name: "cut off", fault: fakediscord.Fault{Kind: fakediscord.Reset}, want: "0 note notes.txt: could not be fetched"},
		{name: "silent", fault: fakediscord.Fault{Kind: fakediscord.Hang}, want: "0 note notes.txt: could not be fetched in time", took: 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general\nmember ada: owner\n")
				said := w.MustSay("ada", "general", "read this", fakediscord.Attaching("notes.txt", "text/plain", []byte("remember the milk")))
				at, err := url.Parse(w.APIURL())
				if err != nil {
					t.Fatal(err)
				}
				file := said.Attachments[0]
				tt.fault.Match = fakediscord.AttachmentRoute
				w.Fail(tt.fault)
				client := w.HTTP()
				defer client.CloseIdleConnections()
				began := time.Now()
				got := told(attach.New(attach.Options{HTTP: client, Hosts: list(at.Host)}).Open(t.Context(), message(chat.Attachment{
					Name: file.Name, Type: file.Type, Size: len(file.Data),
					URL: at.Scheme + "://" + at.Host + "/attachments/" + string(said.Channel) + "/" + file.ID + "/" + file.Name,
				})))
				if diff := cmp.Diff(list(tt.want), got); diff != "" {
					t.Errorf("opened (-want +got):\n%s", diff)
				}
				if took := time.Since(began); took != tt.took {
					t.Errorf("it took %s, want %s", took, tt.took)
				}
			})
		})
	}
}
