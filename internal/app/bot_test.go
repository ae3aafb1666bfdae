package app

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/disk/datadir"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/llmtest"
	"discoclaw/internal/llm/script"
)

// runs lets a bot run for an hour, or until it gives up, and returns its error.
func runs(t *testing.T, env config.Env, out Externals) error {
	t.Helper()
	if out.Runtime == nil {
		out.Runtime = script.New()
	}
	bot, err := NewBot(env, out)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	return bot.Run(ctx)
}

func TestStartupFailuresAreExplained(t *testing.T) {
	for _, tt := range []struct {
		name    string
		spoil   func(*discordtest.World, config.Env, *Externals)
		mistake bool
		says    []string
		tries   int // IDENTIFYs
	}{
		{name: "a token that Discord does not know", mistake: true, says: []string{"DISCORD_TOKEN"},
			spoil: func(_ *discordtest.World, env config.Env, _ *Externals) { env["DISCORD_TOKEN"] = "something.else" }},
		{name: "a token that the gateway refuses", mistake: true, says: []string{"DISCORD_TOKEN"}, tries: 1,
			spoil: func(w *discordtest.World, _ config.Env, _ *Externals) {
				w.Gateway().AnswerNext(fakegateway.CloseCode(4004))
			}},
		{name: "an intent that is not granted", mistake: true, says: []string{"Message Content", "discord.com/developers"}, tries: 1,
			spoil: func(w *discordtest.World, _ config.Env, _ *Externals) { w.WithoutMessageContent() }},
		{name: "an address that is not that of Discord's API", mistake: true, says: []string{"DISCORD_API_URL", "https://discord.com/api/v10"},
			spoil: func(w *discordtest.World, _ config.Env, _ *Externals) {
				w.Fail(fakediscord.Fault{Status: http.StatusNotFound})
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env := apptest.Env(t, w)
				out := Externals{HTTP: w.HTTP()}
				tt.spoil(w, env, &out)
				began := time.Now()
				err := runs(t, env, out)
				if err == nil {
					t.Fatal("the bot ran")
				}
				if took := time.Since(began); took > 2*time.Minute {
					t.Errorf("it took %v to give up", took)
				}
				var mistake *config.Error
				if errors.As(err, &mistake) != tt.mistake {
					t.Errorf("a mistake of the operator: %v; %v", !tt.mistake, err)
				}
				for _, part := range tt.says {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
				if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), env["DISCORD_TOKEN"]) {
					t.Errorf("not one plain sentence: %q", err)
				}
				if n := w.Gateway().Counts().Identifies; n != tt.tries {
					t.Errorf("it identified %d times, want %d", n, tt.tries)
				}
				if n := len(w.Requests()); n > 20 {
					t.Errorf("it sent %d requests", n)
				}
			})
		})
	}
}

// TestTheBotWaitsForDiscordAtItsStart: neither an outage nor a missing network ends it.
func TestTheBotWaitsForDiscordAtItsStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fault fakediscord.Fault
	}{
		{"no network", fakediscord.Fault{Kind: fakediscord.Reset}},
		{"503", fakediscord.Fault{Status: http.StatusServiceUnavailable}},
		{"429", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 3 * time.Minute}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env, out := apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
				bot, err := NewBot(env, out)
				if err != nil {
					t.Fatal(err)
				}
				w.Fail(tt.fault)
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- bot.Run(ctx) }()
				time.Sleep(20 * time.Minute)
				w.Recover()
				time.Sleep(5 * time.Minute)
				said := w.MustSay("ada", "general", "hello").ID
				time.Sleep(time.Minute)
				if n, others := apptest.SortReplies(w, "general", said, "Indeed."); n != 1 || others != 0 {
					t.Errorf("%d answers and %d other replies", n, others)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestAStopDuringTheStartIsNoFault(t *testing.T) {
	t.Parallel()
	w := discordtest.New(t, apptest.World)
	var log strings.Builder
	bot, err := NewBot(apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: script.New(), Log: &log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("signal: hangup"))
	if err := bot.Run(ctx); err != nil || strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), `level=INFO msg=stopping reason="signal: hangup"`) {
		t.Errorf("%v\n%s", err, &log)
	}
	if n := len(w.Requests()); n > 0 {
		t.Errorf("%d requests", n)
	}
}

func TestAllMissingSettingsAreReportedTogether(t *testing.T) {
	_, err := NewBot(config.Env{}, Externals{})
	var list *config.Error
	if !errors.As(err, &list) || len(list.Problems) != 2 || !strings.Contains(err.Error(), "DISCORD_TOKEN") || !strings.Contains(err.Error(), "OPENAI_API_KEY") {
		t.Errorf("%v", err)
	}
}

// TestAFolderThatCannotBeCreatedIsAConfigError: the error names the remedy.
func TestAFolderThatCannotBeCreatedIsAConfigError(t *testing.T) {
	t.Parallel()
	w := discordtest.New(t, apptest.World)
	env := apptest.Env(t, w)
	if err := os.WriteFile(filepath.Join(env["DISCOCLAW_DATA_DIR"], sendFolder), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := runs(t, env, Externals{HTTP: w.HTTP()})
	var mistake *config.Error
	if !errors.As(err, &mistake) || !strings.Contains(err.Error(), "set DISCOCLAW_DATA_DIR") {
		t.Errorf("a file in the place of a folder: %v", err)
	}
}

func TestADataDirectoryInUseIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w)
		dir, err := datadir.Open(env["DISCOCLAW_DATA_DIR"])
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		var mistake *config.Error
		if err := runs(t, env, Externals{HTTP: w.HTTP()}); !errors.As(err, &mistake) || !strings.Contains(err.Error(), "running already") {
			t.Errorf("%v", err)
		}
		if n := len(w.Requests()); n != 0 {
			t.Errorf("it sent %d requests", n)
		}
	})
}

// TestModelFailuresAreShownInTheReply: the whole bot runs with the real adapter, against a model's
// server that fails in every way.
func TestModelFailuresAreShownInTheReply(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer llmtest.Answer
		asked  int
		says   []string
	}{
		{"refuses the key", llmtest.Unauthorized(), 1, []string{"OPENAI_API_KEY"}},
		{"has no such model", llmtest.NoSuchModel(), 1, []string{"OPENAI_MODEL"}},
		{"is out of order", llmtest.ServerError(500), 3, []string{"try again"}},
		{"dies in mid-sentence", llmtest.Die("Once upon "), 1, []string{"Once upon", "⚠️"}},
		{"falls silent", llmtest.Stall("Once upon "), 1, []string{"Once upon", "5 min"}},
		{"never begins to answer", llmtest.Silent(), 0, []string{"⚠️"}},
		{"is cut off", llmtest.Cut("Once upon "), 1, []string{"Once upon", "⚠️"}},
		{"answers with a page", llmtest.HTML(200), 1, []string{"OPENAI_BASE_URL"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				server := &llmtest.Server{}
				server.Always(tt.answer)
				model := server.Listen()
				defer model.Close()
				env := apptest.Env(t, w, "OPENAI_BASE_URL=http://127.0.0.1/v1", "OPENAI_API_KEY=sk-secret-key-of-the-operator")
				_, stop := begins(t, env, Externals{HTTP: w.HTTP(), ModelHTTP: model.HTTP, Log: t.Output(), Online: func(chat.User) {}})
				w.MustSay("ada", "general", "tell me a story")
				time.Sleep(45 * time.Minute)
				synctest.Wait()
				all := w.Messages("general")
				last := all[len(all)-1]
				if len(all) != 2 || last.Unfinished() || strings.Contains(last.Content, "Thinking") || strings.Contains(last.Content, "secret") {
					t.Errorf("the channel was left as\n%s", w.Transcript())
				}
				for _, part := range tt.says {
					if !strings.Contains(last.Content, part) {
						t.Errorf("%q does not say %q", last.Content, part)
					}
				}
				if n := len(server.Requests()); tt.asked > 0 && n != tt.asked || n > 3 {
					t.Errorf("the model was asked %d times, want %d", n, tt.asked)
				}
				if _, err := stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestShutdownInterruptsRepliesQuickly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		model := script.New(script.Answer{script.Text("Once"), script.Pause(time.Hour)}, script.Say("never"))
		_, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: model})
		w.MustSay("ada", "general", "tell me a story")
		synctest.Wait() // so that the reply is above the next message
		w.MustSay("ada", "general", "and another one")
		time.Sleep(10 * time.Second)
		if took, err := stop(); err != nil || took > 3*time.Second {
			t.Errorf("it took %v, and ended with %v", took, err)
		}
		want := "#general ada: tell me a story\n" +
			"#general bot: *(Interrupted: the bot is going offline and will finish this when it is back.)*\n" +
			"#general ada: and another one [👀 bot]\n" // it still waits
		if got := strings.ReplaceAll(w.Transcript(), "\n  \n", "\n\n"); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if len(model.Requests()) != 1 {
			t.Errorf("the model was asked %d times", len(model.Requests()))
		}
	})
}

// TestAPlainTurnIsCheap: with default settings, a turn takes two requests to Discord, besides
// streaming edits and the first history fetch of its channel. Whatever it is about, its prompt is
// short enough for a small model, besides earlier conversation.
func TestAPlainTurnIsCheap(t *testing.T) {
	const fetch, post, edit = "GET /channels/{channel}/messages", "POST /channels/{channel}/messages", "PATCH /channels/{channel}/messages/{message}"
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World+"member bob")
		w.MustSay("bob", "general", "before the bot came")
		model := script.New()
		_, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: model})
		for _, turn := range []struct {
			text   string
			answer script.Answer
			want   []string
		}{
			{"hello", script.Say("Here you are."), []string{post, fetch, edit}},
			{"send a message to #ops and pin it", script.Say("Here you are."), []string{post, edit}},
			{"which model is this, and what is 2+2? react with a file in a thread", script.Say("Here you are."), []string{post, edit}},
			{"slowly, please", script.Typing("Here you are.", time.Second), []string{post, edit, edit}}, // the first edit is a streaming one
		} {
			model.Add(turn.answer)
			before := len(w.Requests())
			w.MustSay("ada", "general", turn.text)
			time.Sleep(time.Minute)
			synctest.Wait()
			var took []string
			for _, x := range w.Requests()[before:] {
				took = append(took, x.Route)
			}
			if !slices.Equal(took, turn.want) {
				t.Errorf("%q took %q, want %q", turn.text, took, turn.want)
			}
			asked := model.Requests()
			last := asked[len(asked)-1]
			size := last.Size()
			for _, section := range last.Sections {
				if section.Name == "earlier conversation" {
					size -= section.Bytes
				}
			}
			if size > 8000 {
				t.Errorf("%q made a prompt of %d bytes besides earlier conversation", turn.text, size)
			}
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAnAnswerToTheMenuHasNoRedo: what it answers is a message of the bot, which the person cannot edit.
func TestAnAnswerToTheMenuHasNoRedo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_REPLY_BUTTONS=1"), Externals{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi."), script.Say("Hi.")), Log: t.Output()})
		time.Sleep(time.Minute)
		labels := func() (all []string) {
			time.Sleep(time.Minute)
			said := w.Messages("general")
			for _, b := range said[len(said)-1].Buttons() {
				all = append(all, b.Label)
			}
			return all
		}
		w.MustSay("ada", "general", "hello")
		written := labels()
		_, err := w.Run("ada", "general", "/discoclaw ask hello")
		if chosen := labels(); err != nil || !slices.Equal(written, []string{"Delete answer", "Redo"}) || !slices.Equal(chosen, []string{"Delete answer"}) {
			t.Errorf("%v: %q below an answer to a message, %q below one to the menu", err, written, chosen)
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}
