package app

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/config"
	"discoclaw/internal/doctor"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/imagegen/imagetest"
	"discoclaw/internal/llm/script"
)

// imagesOn switches pictures on.
const imagesOn = "DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN=1"

// drawing is a model's answer that asks for a picture.
func drawing() script.Answer {
	return script.Say("Here you are.\n" + actions.BlockOpen + `{"type":"generateImage","prompt":"a fox"}` + actions.BlockClose)
}

// TestPicturesNeedAKey: without one, operators are told, and models are not told of the action.
func TestPicturesNeedAKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		env     []string
		offered bool
		told    bool
	}{
		{"off", nil, false, false},
		{"off with a key", []string{"OPENAI_API_KEY=k"}, false, false},
		{"on without a key", []string{imagesOn}, false, true},
		{"on with a key for Gemini's words alone", []string{imagesOn, "GEMINI_API_KEY=k"}, false, true},
		{"on with a key for OpenAI", []string{imagesOn, "OPENAI_API_KEY=k"}, true, false},
		{"on with a key for Google's pictures", []string{imagesOn, "IMAGEGEN_GEMINI_API_KEY=k"}, true, false},
		{"all actions off", []string{imagesOn, "DISCOCLAW_DISCORD_ACTIONS=0"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := config.NewEnv(append(tt.env, "DISCOCLAW_DATA_DIR="+t.TempDir()))
			core := mustCore(t, env)
			if got := core.flags["imagegen"].On; got != tt.offered {
				t.Errorf("offered: %v", got)
			}
			if got := slices.Contains(core.Warnings, noImageKey); got != tt.told {
				t.Errorf("warnings: %q", core.Warnings)
			}
			wrong := slices.ContainsFunc(core.doctor.Check(t.Context()), func(f doctor.Finding) bool { return f.Wrong && f.State == noImageKey })
			if wrong != tt.told {
				t.Errorf("the doctor says so: %v", wrong)
			}
		})
	}
}

// TestAPictureOnRequest: the whole bot has it made and posts it, or says how to switch that on.
func TestAPictureOnRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, env string
		files     int
		says      string
	}{
		{"on", imagesOn, 1, "posted [the picture]("},
		{"off", "", 0, "Pictures are switched off here; set DISCOCLAW_DISCORD_ACTIONS_IMAGEGEN=1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				paint := imagetest.New(t)
				env := apptest.Env(t, w, append(slices.Clone(withPictures), tt.env)...)
				_, stop := begins(t, env, Externals{HTTP: w.HTTP(), ModelHTTP: paint.HTTP, Runtime: script.New(drawing(), script.Say("Sorry.")), Log: t.Output()})
				w.MustSay("ada", "general", "draw a fox")
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := pictures(w); n != tt.files || len(paint.Asked()) != tt.files || !strings.Contains(apptest.Contents(w, "general"), tt.says) {
					t.Errorf("%d pictures, %d asked for:\n%s", n, len(paint.Asked()), w.Transcript())
				}
				_, _ = stop()
			})
		})
	}
}

// pictures counts the files in #general.
func pictures(w *discordtest.World) (n int) {
	for _, m := range w.Messages("general") {
		n += len(m.Attachments)
	}
	return n
}

// TestAPictureIsPaidForOnce, though the bot is stopped while it is being made, and goes on with the turn afterwards.
func TestAPictureIsPaidForOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		paint := imagetest.New(t)
		paint.Next(imagetest.Hang)
		out := Externals{HTTP: w.HTTP(), ModelHTTP: paint.HTTP, Runtime: script.New(drawing(), script.Say("Sorry.")), Log: t.Output()}
		env := apptest.Env(t, w, append(slices.Clone(withPictures), imagesOn)...)
		_, stop := begins(t, env, out)
		w.MustSay("ada", "general", "draw a fox")
		time.Sleep(2 * time.Minute) // longer than other actions may take
		if _, err := stop(); err != nil {
			t.Fatal(err)
		}
		_, stop = begins(t, env, out)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if n := len(paint.Asked()); n != 1 || pictures(w) > 0 || !strings.Contains(apptest.Contents(w, "general"), "it may have been paid for") {
			t.Errorf("%d pictures were asked for:\n%s", n, w.Transcript())
		}
		_, _ = stop()
	})
}
