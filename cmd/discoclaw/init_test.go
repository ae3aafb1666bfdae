package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestUnusedPackagesDoNotSlowTheStart bounds what the packages of this module allocate
// before main, which every command pays for, used or not. Most of it is regular expressions
// and large tables: compile them on first use, or check a length in code instead of with a
// counted repetition such as {1,253}, which is compiled as that many copies.
func TestUnusedPackagesDoNotSlowTheStart(t *testing.T) {
	t.Parallel()
	// The packages that only the test binary has need 4 KB of it.
	const most, maxOfOne = 256 << 10, 48 << 10
	cmd := exec.CommandContext(t.Context(), "discoclaw", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &trace)
	}
	all := 0
	for line := range strings.Lines(trace.String()) {
		// https://pkg.go.dev/runtime#hdr-Environment_Variables
		line, ours := strings.CutPrefix(line, "init discoclaw/")
		if !ours {
			continue
		}
		var name, at, took string
		var n int
		if _, err := fmt.Sscanf(line, "%s @%s ms, %s ms clock, %d bytes", &name, &at, &took, &n); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if n > maxOfOne {
			t.Errorf("%s allocates %d bytes before main begins, more than %d", name, n, maxOfOne)
		}
		all += n
	}
	if all == 0 || all > most {
		t.Errorf("the packages of this module allocate %d bytes before main begins, want some and at most %d", all, most)
	}
}
