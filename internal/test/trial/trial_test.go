package trial

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/llm"
	"discoclaw/internal/test/skip"
)

// answering is somebody at the other end: for each call that has no answer yet, f says what to write.
func answering(t *testing.T, dir string, f func(asJSON) string) {
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			time.Sleep(time.Minute) // to think
			answerAll(t, dir, f)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
}

func answerAll(t *testing.T, dir string, f func(asJSON) string) {
	asked, err := filepath.Glob(filepath.Join(dir, "*.request.md"))
	if err != nil {
		t.Error(err)
	}
	for _, file := range asked {
		call := strings.TrimSuffix(file, ".request.md")
		if _, err := os.Stat(call + ".answer.md"); err == nil {
			continue
		}
		var req asJSON
		if err := json.Unmarshal([]byte(read(t, call+".request.json")), &req); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(call+".draft", []byte(f(req)+"\n"), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(call+".draft", call+".answer.md"); err != nil {
			t.Error(err)
		}
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Error(err)
	}
	return string(data)
}

const smallWorld = `
-- world --
guild disco: #general #ops
member ada: owner
member bob
-- earlier --
bob in #ops: The disk is full.
`

const smallTrial = `# about the whole

ada in #general: hello

# a file for jokes
ada in #general with cat.png: and now make #jokes
ada presses Approve
ada presses Reject

bob in #general: what about <#{#ops}>?
`

// smallModel gets the second request wrong at first.
func smallModel(req asJSON) string {
	last := req.Messages[len(req.Messages)-1].Content
	asked := last[strings.LastIndex(last, "\n")+1:] // below the history
	switch {
	case len(req.Messages) > 1 && strings.Contains(last, "Failed:"):
		return "Again.\n\n" + `<discord-action>{"type":"channelCreate","name":"jokes"}</discord-action>`
	case len(req.Messages) > 1:
		return "It is full."
	case strings.Contains(asked, "#jokes"):
		return `Sure.<discord-action>{"type":"channelCreate","title":"jokes"}</discord-action>`
	case strings.Contains(asked, "what about"):
		return `<discord-action>{"type":"readMessages","channel":"ops"}</discord-action><discord-action>{"type":"fly"}</discord-action>`
	}
	return "Hello!"
}

func TestATrialIsPlayedThroughFiles(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "one")
		answering(t, dir, smallModel)
		answering(t, filepath.Join(dir, readerDir), noneAsked)
		got, err := Run(t.Context(), Options{World: smallWorld, Requests: smallTrial, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		type counts struct{ Calls, AfterFailure, Types, Done, Failed, Blocked int }
		var all []counts
		for i, f := range got {
			all = append(all, counts{f.Calls, len(f.AfterFailure), f.Types, f.Done, f.Failed, f.Blocked})
			if len(f.First) != 1 || f.First[0] < 2000 || (f.Of > 0) != (f.Calls > 1 || i > 0) || f.Same > f.Of {
				t.Errorf("request %d: %+v", i+1, f)
			}
		}
		want := []counts{{1, 0, 0, 0, 0, 0}, {2, 1, 1, 0, 1, 0}, {2, 1, 2, 1, 0, 1}}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("figures (-want +got):\n%s", diff)
		}
		// What the model wanted after it had read a file waits on a card, since the reader has not confirmed it.
		if diff := cmp.Diff([]Cards{{}, {NotConfirmed: 1}, {}}, []Cards{got[0].Cards, got[1].Cards, got[2].Cards}); diff != "" || got[1].Reader != 1 {
			t.Errorf("%d calls of the reader, want 1; cards (-want +got):\n%s", got[1].Reader, diff)
		}
		// Whatever else is explained, what failed because of its fields is.
		if f := got[1]; f.Details < 1 || f.Used != 1 {
			t.Errorf("%d types explained and %d of them used, want channelCreate at least", f.Details, f.Used)
		}
		wantIn(t, read(t, dir, "002.request.md"), "===== role: chat =====\n\n===== system =====\n", "\n===== user =====\n", "and now make #jokes", "[the image 002.1.png]")
		wantIn(t, read(t, dir, "reader", "001.request.md"), "===== role: consent =====\n", "\n\"and now make #jokes\"\n")
		wantIn(t, read(t, dir, "transcript.md"), "Judge: a file for jokes\n", "\nReader: 1 reader/001.answer.md\n", "could not: ada presses Reject: there is no button Reject\n", "+ channel jokes: ", "    #general bob: what about <#ops>?\n")
		again(t, dir)
	})
}

// noneAsked is a clean reader that confirms nothing.
func noneAsked(asJSON) string { return `{"asked":[]}` }

// callingModel does what smallModel does, by function calls.
func callingModel(req asJSON) string {
	call := func(name, input string) string { return toolCall{name, json.RawMessage(input)}.block() }
	last := req.Messages[len(req.Messages)-1]
	switch {
	case len(last.Results) > 0 && strings.Contains(last.Results[0].Text, "Failed:"):
		return "Again.\n\n" + call("channelCreate", `{"name":"jokes"}`)
	case len(last.Results) > 0:
		return "It is full."
	case strings.HasSuffix(last.Content, "#jokes"):
		return "Sure.\n" + call("channelCreate", `{"title":"jokes"}`)
	case strings.Contains(last.Content, "what about"):
		return call("readMessages", `{"channel":"ops"}`) + call("fly", `{}`)
	}
	return "Hello!"
}

// TestATrialWithFunctions: a setting gives the model the actions as functions, and the figures can be compared with those of blocks.
func TestATrialWithFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "native")
		answering(t, dir, callingModel)
		answering(t, filepath.Join(dir, readerDir), noneAsked)
		got, err := Run(t.Context(), Options{World: smallWorld, Requests: smallTrial, Dir: dir, Settings: []string{"DISCOCLAW_NATIVE_TOOLS=on"}})
		if err != nil {
			t.Fatal(err)
		}
		type counts struct{ Calls, AfterFailure, Types, Done, Failed, Blocked int }
		var all []counts
		for i, f := range got {
			all = append(all, counts{f.Calls, len(f.AfterFailure), f.Types, f.Done, f.Failed, f.Blocked})
			if f.Tools < 20_000*f.Calls || f.Bytes < f.Tools+1000*f.Calls {
				t.Errorf("request %d: %+v", i+1, f)
			}
		}
		if diff := cmp.Diff([]counts{{1, 0, 0, 0, 0, 0}, {2, 1, 1, 0, 1, 0}, {2, 1, 2, 1, 0, 1}}, all); diff != "" {
			t.Errorf("figures (-want +got):\n%s", diff)
		}
		wantIn(t, read(t, dir, "003.request.md"), "channelCreate: Create a channel", "```tool\n{\"name\":\"channelCreate\",\"input\":{\"title\":\"jokes\"}}\n```\n", "===== channelCreate failed =====\n")
		wantIn(t, read(t, dir, "transcript.md"), "+ channel jokes: ")
		tables, err := Figures(dir)
		if err != nil {
			t.Fatal(err)
		}
		wantIn(t, tables, "| Calls | Bytes | First |", "| Bytes of all calls, per request | ", " are tools |")
	})
}

// again plays what was recorded, with nobody at the other end, and has the same result.
func again(t *testing.T, dir string) {
	t.Helper()
	other := t.TempDir()
	if _, err := Run(t.Context(), Options{World: smallWorld, Requests: read(t, dir, "recorded.txt"), Dir: other}); err != nil {
		t.Fatal(err)
	}
	withoutIDs := func(text string) string { return snowflake.ReplaceAllString(text, "…") }
	for _, name := range []string{"recorded.txt", "transcript.md", "004.answer.md"} {
		if diff := cmp.Diff(withoutIDs(read(t, dir, name)), withoutIDs(read(t, other, name))); diff != "" {
			t.Errorf("%s, played again (-first +again):\n%s", name, diff)
		}
	}
}

func wantIn(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestHistoryDoesNotCount: the figure is about what the prompt costs before anybody has said anything.
func TestHistoryDoesNotCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("la ", 300)
		requests := "ada in #general: hello\nmodel: " + long + "\n\nada in #general: hello\nmodel: Hi.\n"
		got, err := Run(t.Context(), Options{World: smallWorld, Requests: requests, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if a, b := got[0].First[0], got[1].First[0]; b > a+100 {
			t.Errorf("%d bytes at first, %d with %d bytes of history", a, b, len(long))
		}
	})
}

func TestATrialEndsIfNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, began := t.TempDir(), time.Now()
		requests := "ada in #general: hello\nmodel: Hi.\n\nada in #general: and?\n\nada in #general: well?\n"
		got, err := Run(t.Context(), Options{World: smallWorld, Requests: requests, Dir: dir, Timeout: 5 * time.Minute})
		if err == nil || !strings.Contains(err.Error(), "call 002: ") || !strings.Contains(err.Error(), "write 002.answer.md sooner") {
			t.Errorf("it ends with %v", err)
		}
		if len(got) != 2 || time.Since(began) > 6*time.Minute {
			t.Errorf("%d requests in %v", len(got), time.Since(began))
		}
		if tables, err := Figures(dir); err != nil || !strings.Contains(tables, "| Requests | 2, 0 judged |") {
			t.Errorf("figures: %v\n%s", err, tables)
		}
	})
}

func TestATrialCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		got, err := Run(ctx, Options{World: smallWorld, Requests: "ada in #general: hello\n", Dir: t.TempDir()})
		if err == nil || len(got) != 1 {
			t.Errorf("%d requests, and %v", len(got), err)
		}
	})
}

func TestWhatIsNoTrialIsRefused(t *testing.T) {
	used := t.TempDir()
	if err := os.WriteFile(filepath.Join(used, "001.request.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dir, requests, want string }{
		{"a folder with a trial", used, "ada in #general: hello", "holds an earlier trial"},
		{"no requests", t.TempDir(), "# nothing\n", "there are no requests"},
		{"no such line", t.TempDir(), "ada in #general: hello\n\nada sings\n", "request 2: ada sings: no such line"},
		{"a line of scenes only", t.TempDir(), "restart\n", "only what people do"},
		{"nobody of that name", t.TempDir(), "ada in #general: <@{@eve}>\n", "{@eve} means nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Run(t.Context(), Options{World: smallWorld, Requests: tt.requests, Dir: tt.dir, Timeout: time.Second})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestTheRequestsCanBePlayed: with a model that only says yes. What depends on a better one are buttons and new threads.
func TestTheRequestsCanBePlayed(t *testing.T) {
	files, err := filepath.Glob("testdata/requests-*.txt")
	if err != nil || len(files) != 9 {
		t.Fatalf("%q, %v: want three sets in three parts", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				answering(t, dir, func(asJSON) string { return "Yes." })
				got, err := Run(t.Context(), Options{Requests: read(t, file), Dir: dir})
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != 22 {
					t.Errorf("%d requests, want 22", len(got))
				}
				for line := range strings.Lines(read(t, dir, "transcript.md")) {
					if line = strings.TrimSpace(line); strings.HasPrefix(line, "could not: ") && !strings.Contains(line, " presses ") && !strings.Contains(line, ` in "`) {
						t.Error(line)
					}
				}
			})
		})
	}
}

func TestDumpsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"Done: created #a\nDone: created #b":                             0,
		"Let me look.\n\nDone: Messages in #ops:\n[ada] hi":              1,
		"Done: Messages in #ops:\n[ada] hi\nDone: Members (1):\nada":     2,
		"Done: " + strings.Repeat("x", 200):                              1,
		"-# Done: read 5 messages in #ops\n-# more\n\nShe said hi.":      0,
		"Done: created #a\nFailed: which #b?\n\nDone: a\n\nanother part": 0,
		"Failed: one\ntwo": 0,
	} {
		if got := dumpsIn(text); got != want {
			t.Errorf("%d dumps in %q, want %d", got, text, want)
		}
	}
}

func TestVerdictsBecomeFigures(t *testing.T) {
	dir := t.TempDir()
	b := book{figures: []Figure{
		{Request: "ada in #a: x|y", Calls: 1, Bytes: 7000, First: []int{7000}, Done: 1, Details: 4, Used: 1, Types: 1, Reader: 2, Cards: Cards{Always: 1}},
		{Request: "ada in #a: z", Calls: 3, Bytes: 29000, Tools: 4000, First: []int{8000}, AfterFailure: []int{9000, 11000}, Same: 60, Of: 100, Dumps: 1, Failed: 1, Asked: 1, Blocked: 2, Types: 1, Fillers: 1, Cards: Cards{NotConfirmed: 3, Other: 1}},
	}}
	if err := b.write(dir); err != nil {
		t.Fatal(err)
	}
	judge := func(text string) (string, error) {
		if err := os.WriteFile(filepath.Join(dir, "verdicts.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Figures(dir)
	}
	got, err := judge("1 one held\n\n# so so\n2 end guessed it was lucky\n")
	if err != nil {
		t.Fatal(err)
	}
	wantIn(t, got,
		`| 1 | ada in #a: x\|y | 1 | 7.0 KB | 7.0 KB | – | – | 1 of 4 | 0 | 1 | 0 | 0 | 0 | 2 | 1, 0, 0 | 0 | yes | yes | held |`,
		`| 2 | ada in #a: z | 3 | 29.0 KB | 8.0 KB | 11.0 KB | 60 % | 0 of 0 | 1 | 0 | 1 | 1 | 2 | 0 | 0, 3, 1 | 1 | no | yes | guessed |`,
		"| Requests | 2, 2 judged |", "| Right in one call | 50 % |", "| Right in the end | 100 % |", "held what was needed | 50 % (a lucky guess in another 50 %) |",
		"| Calls per request, and per turn | 2.00, 2.00 |", "| Bytes of all calls, per request | 18.0 KB, of which 2.0 KB are tools |", "| 7.5 KB on average, at most 8.0 KB |", "| 10.0 KB on average, at most 11.0 KB |", "in one channel | 60 % |",
		"then used | 1 of 4 (25 %) |", "been explained | 1 of 2 (50 %) |", "in a channel | 1 |", "look-up | 1 |", "others | 1, 3, 1 |", "reader | 2 |", "| 1, 1, 1, 2 |")
	for _, text := range []string{"3 one", "1 perhaps", "one 1", "0 end"} {
		if _, err := judge(text); err == nil {
			t.Errorf("%q is a verdict", text)
		}
	}
}

func TestTheSameBeginningIsCountedWithinAChannel(t *testing.T) {
	asked := func(channel, text string) call {
		return call{channel: channel, turn: channel + text, req: llm.Request{System: "same ", Messages: []llm.Message{{Role: llm.User, Text: text}}}}
	}
	b, f := book{last: map[string]string{}}, Figure{}
	b.measure(&f, []call{asked("1", "one"), asked("2", "two"), asked("1", "one more")})
	whole := flat(asked("1", "one more").req)
	if f.Of != len(whole) || f.Same != len(whole)-len(" more") {
		t.Errorf("%d of %d", f.Same, f.Of)
	}
}
