package main

import (
	"errors"
	"strings"
	"testing"
)

// TestOnlyAFailedTestKills: a mutant that cannot be built, or whose test does not exist, is a fault of the table.
func TestOnlyAFailedTestKills(t *testing.T) {
	t.Parallel()
	exit := errors.New("exit status 1")
	for _, tt := range []struct {
		name, out string
		err       error
		killer    string
		fault     bool
	}{
		{"passes", "ok  \tdiscoclaw/internal/a\t0.01s\n", nil, "", false},
		{"no test", "ok  \tdiscoclaw/internal/a\t0.01s [no tests to run]\n", nil, "", true},
		{"fails", "--- FAIL: TestA (0.00s)\n    a_test.go:1: no\nFAIL\n", exit, "TestA", false},
		{"a subtest fails", "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n        --- FAIL: TestA/b/c (0.00s)\n    --- FAIL: TestA/d (0.00s)\nFAIL\n", exit, "TestA/b/c", false},
		{"not built", "# discoclaw/internal/a\na.go:1: undefined: b\nFAIL\tdiscoclaw/internal/a [build failed]\n", exit, "", true},
		{"ends without a test", "panic: test timed out\nFAIL\tdiscoclaw/internal/a\n", exit, "", true},
	} {
		killer, err := verdict(tt.out, tt.err)
		if killer != tt.killer || (err != nil) != tt.fault {
			t.Errorf("%s: %q, %v", tt.name, killer, err)
		}
		if err != nil && tt.err != nil && !strings.Contains(err.Error(), tt.out) {
			t.Errorf("%s: the error does not say what was wrong: %v", tt.name, err)
		}
	}
}
