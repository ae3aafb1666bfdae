package main

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
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
