package trial

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/plan/worktree"
)

// workWorld is a world whose bot has a workspace with a file.
func workWorld(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "menu.md"), []byte("Monday: {@html} soup"), 0o600); err != nil {
		t.Fatal(err)
	}
	return smallWorld + "-- env --\nWORKSPACE_CWD=" + dir + "\n"
}

const menuTrial = "ada in #general: what is for lunch?\n"

// twoCalls is an answer with text and two calls, the second of which fails.
const twoCalls = "Let me look.\n\n```tool\n{\"name\": \"read_file\", \"input\": {\"file_path\": \"menu.md\"}}\n```\n\n" +
	"```tool\n{\n  \"name\": \"search_content\",\n  \"input\": {\"pattern\": \"<{@html}>(\"}\n}\n```\n"

// menuModel calls two tools and tells what they returned.
func menuModel(req asJSON) string {
	last := req.Messages[len(req.Messages)-1]
	if len(last.Results) == 0 {
		return twoCalls
	}
	return "It says: " + last.Results[0].Text
}

func TestToolsAreCalledThroughFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, dir := workWorld(t), filepath.Join(t.TempDir(), "one")
		answering(t, dir, menuModel)
		got, err := Run(t.Context(), Options{World: world, Requests: menuTrial, Dir: dir})
		if err != nil || len(got) != 1 || got[0].Calls != 2 {
			t.Fatalf("%+v, %v", got, err)
		}
		wantIn(t, read(t, dir, "001.request.md"),
			"\n===== tools =====\nYou may call the tools below.", "```tool\n{\"name\":\"read_file\",\"input\":{}}\n```\n",
			"\nread_file: Read a text file of the workspace.\n{\"type\":\"object\",", "\nsearch_content: ", "\n===== user =====\n")
		wantIn(t, read(t, dir, "002.request.md"),
			"\n===== assistant =====\nLet me look.\n```tool\n{\"name\":\"read_file\",\"input\":{\"file_path\":\"menu.md\"}}\n```\n```tool\n{\"name\":\"search_content\",\"input\":{\"pattern\":\"<{@html}>(\"}}\n```\n",
			"\n===== result of read_file =====\nMonday: {@html} soup\n", "\n===== search_content failed =====\n")
		wantIn(t, read(t, dir, "transcript.md"), "It says: Monday:")

		var second asJSON
		if err := json.Unmarshal([]byte(read(t, dir, "002.request.json")), &second); err != nil {
			t.Fatal(err)
		}
		n := len(second.Messages)
		if len(second.Tools) < 3 || len(second.Tools[0].Schema) == 0 || len(second.Messages[n-2].Calls) != 2 || !second.Messages[n-1].Results[1].Failed {
			t.Errorf("the second request for programs: %+v", second)
		}
		replay(t, world, dir)
	})
}

// replay plays what was recorded, and has the same calls and results. What an answer has in code that looks like a member is left alone.
func replay(t *testing.T, world, dir string) {
	t.Helper()
	other := t.TempDir()
	recorded := read(t, dir, "recorded.txt")
	if _, err := Run(t.Context(), Options{World: world, Requests: recorded, Dir: other}); err != nil {
		t.Fatal(err)
	}
	// A request has the time, the names of its messages, and more that differs.
	results := func(dir string) string {
		_, after, _ := strings.Cut(read(t, dir, "002.request.md"), "\n===== assistant =====\n")
		return after
	}
	if diff := cmp.Diff(results(dir), results(other)); diff != "" || results(dir) == "" {
		t.Errorf("calls and results, played again (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(recorded, read(t, other, "recorded.txt")); diff != "" {
		t.Errorf("recorded.txt, played again (-first +again):\n%s", diff)
	}
}

// TestAnAnswerThatIsNotUnderstoodIsAskedForAgain, since as text it would be posted.
func TestAnAnswerThatIsNotUnderstoodIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "one")
		var tries atomic.Int32
		answering(t, dir, func(req asJSON) string {
			switch tries.Add(1) {
			case 1:
				return "Let me look.\n```tool\n{\"name\": \"read_file\", \"input\": {\"file_path\": \"menu.md\"}\n```"
			case 2:
				wantIn(t, read(t, dir, "001.trouble.txt"), "001.refused.md cannot be understood: block 1: it is not the JSON of one call: ", "Write 001.answer.md again.\n")
				wantIn(t, read(t, dir, "001.refused.md"), "Let me look.")
			}
			return menuModel(req)
		})
		if _, err := Run(t.Context(), Options{World: workWorld(t), Requests: menuTrial, Dir: dir}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, "001.trouble.txt")); err == nil {
			t.Error("the note outlives the trouble")
		}
		if transcript := read(t, dir, "transcript.md"); tries.Load() != 3 || strings.Contains(transcript, "```") {
			t.Errorf("%d answers:\n%s", tries.Load(), transcript)
		}
	})
}

func TestARecordedAnswerThatIsNotUnderstoodEndsTheTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := menuTrial + "model: Hm.\n  ```tool\n  {}\n  ```\n"
		_, err := Run(t.Context(), Options{World: workWorld(t), Requests: requests, Dir: t.TempDir(), Timeout: time.Minute})
		if err == nil || !strings.Contains(err.Error(), "call 001: ") {
			t.Errorf("it ends with %v", err)
		}
	})
}

func TestCallsInAnswers(t *testing.T) {
	call := func(name, input string) toolCall { return toolCall{name, json.RawMessage(input)} }
	for _, tt := range []struct {
		name, in, said string
		calls          []toolCall
		wrong          string
	}{
		{"text", "Hello.\n```go\nx\n```\nBye.", "Hello.\n```go\nx\n```\nBye.", nil, ""},
		{"nothing", "", "", nil, ""},
		{"a call", "```tool\n{\"name\":\"a\",\"input\":{}}\n```", "", []toolCall{call("a", "{}")}, ""},
		{"spaces and other line ends", "So.\r\n\r\n```tool \r\n{\"name\":\"a\",\"input\":{}}\r\n``` \r\n", "So.\r\n\r", []toolCall{call("a", "{}")}, ""},
		{"code in a text", "```tool\n{\"name\":\"a\",\"input\":{\"x\":\"```tool\\n```\"}}\n```", "", []toolCall{call("a", "{\"x\":\"```tool\\n```\"}")}, ""},
		{"two", "So.\n```tool\n{\"name\":\"a\",\"input\":{}}\n```\n\n```tool\n{\"name\":\"b\",\"input\":{}}\n```\n", "So.", []toolCall{call("a", "{}"), call("b", "{}")}, ""},
		{"no end", "```tool\n{\"name\":\"a\",\"input\":{}}", "", nil, "has no end"},
		{"no JSON", "```tool\nread a\n```", "", nil, "not the JSON of one call"},
		{"two in a block", "```tool\n{\"name\":\"a\",\"input\":{}}\n{\"name\":\"b\",\"input\":{}}\n```", "", nil, "a block for each call"},
		{"no name", "```tool\n{\"input\":{}}\n```", "", nil, "which tool"},
		{"no input", "```tool\n{\"name\":\"a\"}\n```", "", nil, "not a JSON object"},
		{"the input beside", "```tool\n{\"name\":\"a\",\"file_path\":\"x\"}\n```", "", nil, "unknown field"},
		{"an input as text", "```tool\n{\"name\":\"a\",\"input\":\"x\"}\n```", "", nil, "not a JSON object"},
		{"text behind", "```tool\n{\"name\":\"a\",\"input\":{}}\n```\nIt says x.", "", nil, "text behind block 1"},
		{"text between", "```tool\n{\"name\":\"a\",\"input\":{}}\n```\nand\n```tool\n{\"name\":\"b\",\"input\":{}}\n```", "", nil, "text behind block 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseAnswer(tt.in)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("%q is wrong because of %v, want %q", tt.in, err, tt.wrong)
				}
				return
			}
			if diff := cmp.Diff(tt.calls, got.calls); diff != "" || err != nil || got.said != tt.said {
				t.Errorf("%q says %q, %v (-want +got):\n%s", tt.in, got.said, err, diff)
			}
		})
	}
}

// TestAProjectIsCloned, and named where plans look for projects.
func TestAProjectIsCloned(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed, so no project is cloned")
	}
	source, dir, data := filepath.Join(t.TempDir(), "harbour"), t.TempDir(), t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet", source},
		{"-C", source, "-c", "user.name=ada", "-c", "user.email=ada@example.org", "commit", "--quiet", "--allow-empty", "--message", "begin"},
	} {
		if said, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, said)
		}
	}
	o := Options{Dir: dir, Project: source, Verify: "go test ./..."}
	if err := cloneProject(t.Context(), o, data); err != nil {
		t.Fatal(err)
	}
	trees, err := worktree.New(data, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := trees.Projects(t.Context(), "")
	want := worktree.Projects{{Name: "harbour", Dir: filepath.Join(dir, "project"), Verify: "go test ./..."}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, o := range []Options{{Dir: t.TempDir(), Project: source}, {Dir: t.TempDir(), Project: filepath.Join(source, "gone"), Verify: "make"}} {
		if _, err := Run(t.Context(), o); err == nil || errors.Is(err, context.Canceled) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
