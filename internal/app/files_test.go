package app

import (
	"bytes"
	"image"
	"image/png"
	"io"
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
	"discoclaw/internal/llm/script"
	"discoclaw/internal/memnet"
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
		_, stop := begins(t, apptest.Env(t, w, "OPENAI_BASE_URL=http://127.0.0.1/v1"), Externals{HTTP: w.HTTP(), ModelHTTP: model.HTTP, Log: t.Output()})
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

// TestPapersReachModelsThatReadThem, and others are told that there was one. Here OpenAI's own service reads it, and
// a server of the operator's does not.
func TestPapersReachModelsThatReadThem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		env   string
		reads bool
	}{{"OPENAI_API_KEY=k", true}, {"OPENAI_BASE_URL=http://127.0.0.1/v1", false}} {
		t.Run(tt.env, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				server := &llmtest.Server{}
				server.Always(llmtest.Text("A bill."))
				model := server.Listen()
				defer model.Close()
				_, stop := begins(t, apptest.Env(t, w, tt.env), Externals{HTTP: w.HTTP(), ModelHTTP: model.HTTP, Log: t.Output()})
				w.MustSay("ada", "general", "what is this?", fakediscord.Attaching("bill.pdf", "application/pdf", []byte("%PDF-1.7 bill")))
				time.Sleep(time.Minute)
				synctest.Wait()
				asked := server.Requests()
				if len(asked) != 1 {
					t.Fatalf("the model was asked %d times:\n%s", len(asked), w.Transcript())
				}
				m := asked[0].Messages[1]
				if got := len(m.Documents) == 1; got != tt.reads || !strings.Contains(m.Content, "(document: bill.pdf") || strings.Contains(m.Content, "cannot read them") == tt.reads {
					t.Errorf("asked %q with %+v", m.Content, m.Documents)
				}
				_, _ = stop()
			})
		})
	}
}

// TestVoiceMessagesAreTranscribed where a server does that, and then they are words like written ones.
func TestVoiceMessagesAreTranscribed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, env, answer, want string
		cost                    string // for its author
	}{
		{"a server", "DISCOCLAW_STT_BASE_URL=http://stt.example/stt", `{"text":"Open the window."}`, "(a voice message, transcribed:) Open the window.",
			"less than $0.01 (1 call, 9 s heard)"},
		{"a server on this machine", "DISCOCLAW_STT_BASE_URL=http://127.0.0.1/stt", `{"text":"Open the window."}`, "(a voice message, transcribed:) Open the window.",
			"$0 (1 call, 9 s heard)"},
		{"a server that fails", "DISCOCLAW_STT_BASE_URL=http://127.0.0.1/stt", `{"error":{}}`, "could not be transcribed", "$0 (1 call, 9 s heard)"},
		{"no server", "", "", "(voice message, 9 s; you cannot hear it)", "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				network := memnet.New()
				stt := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/stt/audio/transcriptions" {
						t.Errorf("the request is for %s", r.URL.Path)
					}
					rw.Header().Set("Content-Type", "application/json")
					_, _ = io.WriteString(rw, tt.answer)
				})}
				served := make(chan struct{})
				go func() { defer close(served); _ = stt.Serve(network) }()
				model := script.New(script.Say("Done."))
				bot, stop := begins(t, apptest.Env(t, w, tt.env), Externals{HTTP: w.HTTP(), ModelHTTP: network.HTTPClient(), Runtime: model, Log: t.Output()})
				w.MustSay("ada", "general", "", fakediscord.Speaking(9))
				time.Sleep(time.Minute)
				synctest.Wait()
				if asked := model.Requests(); len(asked) != 1 || !strings.Contains(asked[0].Messages[0].Text, tt.want) {
					t.Errorf("asked %+v\n%s", asked, w.Transcript())
				}
				if sum, err := bot.core.meter.Of(t.Context(), string(w.UserID("ada")), 1); err != nil || sum.String() != tt.cost {
					t.Errorf("ada pays %s (%v), want %s", sum, err, tt.cost)
				}
				_, _ = stop()
				network.HTTPClient().CloseIdleConnections()
				_ = stt.Close()
				<-served
			})
		})
	}
}
