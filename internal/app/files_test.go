package app

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/llmtest"
)

// TestAModelWithoutImageSupportStillAnswers: the whole bot runs with the real adapter. The picture
// that ada attaches reaches the model's server, which refuses images.
func TestAModelWithoutImageSupportStillAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		server := &llmtest.Server{}
		server.Queue(func(x *llmtest.Exchange) {
			x.Fail(http.StatusBadRequest, llmtest.Fault{Type: "invalid_request_error", Message: "this model takes no images"})
		}, llmtest.Text("I cannot see it."))
		model := server.Listen()
		defer model.Close()
		_, stop := begins(t, apptest.Env(t, w, "OPENAI_BASE_URL=http://127.0.0.1/v1"), Outside{HTTP: w.HTTP(), ModelHTTP: model.HTTP, Log: t.Output()})
		var picture bytes.Buffer
		if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 3))); err != nil {
			t.Fatal(err)
		}
		w.MustSay("ada", "general", "what is this?", fakediscord.Attaching("cat.png", "image/png", picture.Bytes()))
		time.Sleep(time.Minute)
		synctest.Wait()
		if all := w.Messages("general"); len(all) != 2 || all[1].Content != "I cannot see it." {
			t.Errorf("the channel was left as\n%s", w.Transcript())
		}
		asked := server.Requests()
		if len(asked) != 2 {
			t.Fatalf("the model was asked %d times", len(asked))
		}
		first, again := asked[0].Messages[1], asked[1].Messages[1]
		if len(first.Images) != 1 || !bytes.Equal(first.Images[0].Data, picture.Bytes()) || !strings.Contains(first.Content, "cat.png") {
			t.Errorf("first asked %q with %d images", first.Content, len(first.Images))
		}
		if len(again.Images) != 0 || !strings.Contains(again.Content, "could not be shown to you") {
			t.Errorf("then asked %q with %d images", again.Content, len(again.Images))
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestFileHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		api  config.URL
		cdn  config.Hosts
		want []string
	}{
		{api: "https://discord.com/api/v10"},
		{api: "http://127.0.0.1:8080/api/v10", want: []string{"127.0.0.1:8080"}},
		{api: "https://discord.com/api/v10", cdn: config.Hosts{"files.example.com"}, want: []string{"files.example.com"}},
	} {
		if got := fileHosts(config.Discord{API: tt.api, CDN: tt.cdn}); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.api, got, tt.want)
		}
	}
}
