package hostile_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/memnet"
	"discoclaw/internal/turn/attach"
)

// answering has every request answered with the same text.
type answering struct {
	status int
	text   string
}

func (a answering) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: a.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(a.text))}, nil
}

// openPicture has a file opened as a picture, by way of the CDN.
func openPicture(data string) {
	o := attach.New(attach.Options{HTTP: &http.Client{Transport: answering{http.StatusOK, data}}})
	file := chat.Attachment{Name: "a.jpg", Type: "image/jpeg", Size: len(data), URL: "https://cdn.discordapp.com/attachments/1/2/a.jpg"}
	o.Open(context.Background(), chat.Message{ID: "1", Attachments: []chat.Attachment{file}})
}

// A listening bot is connected with a gateway that sends whatever it is given.
type listening struct {
	discordtest.Deaf
	fake  *fakegateway.Server
	ready chan struct{}
	heard chan chat.Message
}

func (l listening) Ready(chat.User)                           { close(l.ready) }
func (l listening) Message(_ context.Context, m chat.Message) { l.heard <- m }

func listen(t *testing.T) listening {
	l := listening{ready: make(chan struct{}), heard: make(chan chat.Message)}
	l.fake = fakegateway.New(fakegateway.Options{Identify: func(fakegateway.Identify) (map[string]any, []fakegateway.Event, int) {
		return map[string]any{"user": map[string]string{"id": "1"}, "guilds": []any{}}, nil, 0
	}})
	mux := http.NewServeMux()
	mux.HandleFunc("/gateway/bot", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"url":"ws://gateway","session_start_limit":{"total":1000,"remaining":1000,"max_concurrency":1}}`)
	})
	mux.Handle("/", l.fake)
	net := memnet.New()
	srv := &http.Server{Handler: mux}
	ended := make(chan error, 2)
	go func() { ended <- srv.Serve(net) }()
	client := net.HTTPClient()
	c := discord.New(discord.Options{Token: "t", APIURL: "http://discord", HTTP: client})
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- c.Run(ctx, l) }()
	t.Cleanup(func() {
		stop()
		<-ended
		client.CloseIdleConnections()
		l.fake.Close()
		_ = srv.Close()
		<-ended
	})
	<-l.ready
	return l
}

// hear has the bot told of a message with the text, which mentions more people the longer it is.
func (l listening) hear(t *testing.T, text string) {
	mentions := make([]map[string]string, len(text)/20)
	for i := range mentions {
		mentions[i] = map[string]string{"id": "2"}
	}
	data, err := json.Marshal(map[string]any{"id": "3", "channel_id": "4", "content": text, "author": map[string]string{"id": "5"}, "mentions": mentions})
	if err != nil {
		t.Fatal(err)
	}
	l.fake.Dispatch(0, fakegateway.Event{Name: "MESSAGE_CREATE", Data: json.RawMessage(data)})
	if m := <-l.heard; m.ID != "3" {
		t.Fatalf("heard %+v", m)
	}
}
