package main

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

// TestAPlaygroundThatCannotOpenSaysWhatToDo runs real processes, because the exit code is part of it.
func TestAPlaygroundThatCannotOpenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	odd := t.TempDir() // a folder is in the way of the lock
	if err := os.Mkdir(filepath.Join(odd, "discoclaw.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"a port in use", []string{"--listen", taken.Addr().String()}, "another program uses " + taken.Addr().String() + "; stop it, name another port, or leave --listen out"},
		{"a port that is too great", []string{"--listen", "127.0.0.1:99999"}, `"99999" is not a port; use a number from 1024 to 65535`},
		{"a port below zero", []string{"--listen", "localhost:-1"}, `"-1" is not a port`},
		{"a port in words", []string{"--listen", "127.0.0.1:abc"}, `"abc" is not a port`},
		{"a port alone", []string{"--listen", "8498"}, `"8498" is only a port; did you mean 127.0.0.1:8498?`},
		{"a port with a colon", []string{"--listen", ":8498"}, "did you mean 127.0.0.1:8498?"},
		{"no port", []string{"--listen", "127.0.0.1"}, "such as 127.0.0.1:8484"},
		{"no address", []string{"--listen", ":99999"}, "such as 127.0.0.1:8484"},
		{"data in a file", []string{"--data", file}, file + " is a file, not a folder; set --data to another folder"},
		{"data below a file", []string{"--data", filepath.Join(file, "data")}, "set --data to another folder"},
		{"data without room for a lock", []string{"--data", odd}, "set --data to another folder"},
		{"data in the terminal", []string{"--talk", "--data", file}, "set --data to another folder"},
		{"no folder for temporary data", nil, "name one with --data, or set TMPDIR"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(self(t), append([]string{"play"}, tt.args...)...)
			cmd.Args[0] = "discoclaw"
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"TMPDIR=" + filepath.Join(cmd.Dir, "missing")}
			var said bytes.Buffer
			cmd.Stderr = &said
			_ = cmd.Run() // its exit code is looked at below
			if cmd.ProcessState.ExitCode() != exitMistake || strings.Count(said.String(), "\n") != 1 || !strings.Contains(said.String(), tt.want) || strings.Contains(said.String(), "DISCOCLAW_DATA_DIR") {
				t.Errorf("exit %d, %s", cmd.ProcessState.ExitCode(), &said)
			}
			if left, err := os.ReadDir(cmd.Dir); err != nil || len(left) > 0 {
				t.Errorf("it left %v behind, %v", left, err)
			}
		})
	}
}

// TestModelsInThePlaygroundDoNotReadItsSettings, as those of the running bot do not.
func TestModelsInThePlaygroundDoNotReadItsSettings(t *testing.T) {
	model := new(llmtest.Server)
	server := httptest.NewServer(model)
	defer server.Close()
	model.Queue(func(x *llmtest.Exchange) {
		for _, name := range []string{"notes.txt", "bot.conf"} {
			x.Call(llm.ToolCall{Name: "read_file", Input: json.RawMessage(`{"file_path":"` + name + `"}`)})
		}
		x.Finish("tool_calls")
	}, llmtest.Text("Done."))
	dir := t.TempDir()
	file := filepath.Join(dir, "bot.conf")
	for name, text := range map[string]string{
		"notes.txt": "milk",
		"bot.conf":  "OPENAI_BASE_URL=" + server.URL + "/v1\nOPENAI_API_KEY=hunter2\nDISCOCLAW_RUNTIME_TOOLS=read\nDISCOCLAW_HISTORY_OUTSIDERS=0\nWORKSPACE_CWD=" + dir + "\n", // strangers speak there, too
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	if code := run([]string{"play", "--talk", "--env-file", file}, []string{"TMPDIR=" + t.TempDir()}, strings.NewReader("hello\n"), &said, &said); code != exitFine {
		t.Fatalf("exit %d\n%s", code, &said)
	}
	asked := model.Requests()
	if len(asked) != 2 {
		t.Fatalf("%d requests\n%s", len(asked), &said)
	}
	var results []string
	for _, m := range asked[1].Messages {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	if len(results) != 2 || !strings.Contains(results[0], "milk") || strings.Contains(results[1], "RUNTIME_TOOLS") {
		t.Errorf("%q\n%s", results, &said)
	}
}
