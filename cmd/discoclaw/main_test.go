package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"discoclaw/internal/config"
	"discoclaw/internal/test/golden"
)

func TestMain(m *testing.M) {
	// Most tests wait for processes, which wait for their disk: two at a time would leave a
	// machine idle. A flag on the command line overrides this.
	if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"discoclaw": crashable})
}

// TestScripts run the whole binary.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata", UpdateScripts: golden.Update()})
}

func TestListPrintsTheAgreedFields(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"actions", "list", "--json"}, []string{"type", "category", "effect", "destructive", "env", "default", "enabled", "permissions", "summary"}},
		{[]string{"actions", "list", "--json", "--flow", "cron"}, []string{"type", "category", "effect", "destructive", "env", "default", "enabled", "permissions", "summary", "verdict", "reason"}},
	} {
		var out, errs bytes.Buffer
		if code := run(tt.args, nil, strings.NewReader(""), &out, &errs); code != exitFine {
			t.Fatalf("%v: exit %d, %s", tt.args, code, errs.String())
		}
		var rows []map[string]any
		if err := json.Unmarshal(out.Bytes(), &rows); err != nil || len(rows) == 0 {
			t.Fatalf("%v: %d rows, %v", tt.args, len(rows), err)
		}
		for _, row := range rows {
			if row["type"] == "modelShow" && (row["env"] != "" || row["default"] != true || row["enabled"] != true) {
				t.Errorf("%v: what only the master switch rules is listed as %v", tt.args, row)
			}
			for _, key := range tt.want {
				if _, ok := row[key]; !ok {
					t.Errorf("%v: %s lacks %s", tt.args, row["type"], key)
				}
			}
			if len(row) != len(tt.want) {
				t.Errorf("%v: %s has %d fields, want %d", tt.args, row["type"], len(row), len(tt.want))
			}
		}
	}
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputThatCannotBeWrittenIsAFault(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"version"}, {"actions", "list"}, {"actions", "list", "--json"}, {"actions", "prompt"}, {"actions", "why", "modelShow"}, {"invite"}} {
		if code := run(args, nil, strings.NewReader(""), full{}, io.Discard); code != exitFault {
			t.Errorf("%v: exit %d, want %d", args, code, exitFault)
		}
	}
}

func TestInputThatCannotBeReadIsAFault(t *testing.T) {
	t.Chdir(t.TempDir())
	var errs bytes.Buffer
	code := run([]string{"actions", "parse"}, nil, io.MultiReader(strings.NewReader("x"), brokenPipe{}), io.Discard, &errs)
	if code != exitFault || errs.String() != "discoclaw: read stdin: torn off\n" {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error) { return 0, errors.New("torn off") }

func TestTooMuchInputIsAMistake(t *testing.T) {
	t.Chdir(t.TempDir())
	var errs bytes.Buffer
	code := run([]string{"actions", "parse"}, nil, endless{}, io.Discard, &errs)
	if code != exitMistake || errs.String() != "discoclaw: stdin: the text is longer than 64 MiB\n" {
		t.Errorf("exit %d, %q", code, errs.String())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestMistakesExitWithTwoAndASentence(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"help", "nonsense"}, {"help", "actions", "lst"}, {"completion", "nonsense"},
		{"actions", "list", "--flow", ""}, {"actions", "list", "--json=maybe"}, {"actions", "parse", "--flags", `{"config":null}`},
		{"nonsense"}, {"--nope"}, {"version", "extra"}, {"--env-file", "missing.env", "actions", "list"},
		{"actions", "nonsense"}, {"actions", "list", "--flow", "x"}, {"actions", "list", "--flow"},
		{"actions", "why"}, {"actions", "why", "a", "b"}, {"actions", "why", "launchRocket"}, {"actions", "schema", "x"},
		{"actions", "prompt", "--flow", "x"}, {"actions", "parse", "--flags", "[]"}, {"actions", "parse", "--dialects", "x"}, {"invite", "me"},
	} {
		var out, errs bytes.Buffer
		code := run(args, nil, strings.NewReader(""), &out, &errs)
		if code != exitMistake || out.Len() > 0 || strings.Count(errs.String(), "\n") != 1 || !strings.HasPrefix(errs.String(), "discoclaw: ") {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", args, code, out.String(), errs.String())
		}
	}
}

// TestDeepPayloadsStaySmall: indented, kilobytes would become megabytes.
func TestDeepPayloadsStaySmall(t *testing.T) {
	t.Chdir(t.TempDir())
	const depth = 9000
	text := `<discord-action>{"type":"calculate","a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}</discord-action>`
	var out bytes.Buffer
	if code := run([]string{"actions", "parse"}, nil, strings.NewReader(text), &out, io.Discard); code != exitFine || out.Len() > 2*len(text) {
		t.Errorf("exit %d, %d bytes printed for %d", code, out.Len(), len(text))
	}
}

func TestExitCodes(t *testing.T) {
	if got := exitCode(&ranError{errors.New("x")}); got != exitFault {
		t.Errorf("a fault exits %d", got)
	}
	if got := exitCode(&ranError{config.Mistakef("x")}); got != exitMistake {
		t.Errorf("a mistake exits %d", got)
	}
	if got := exitCode(errors.New("unknown flag")); got != exitMistake {
		t.Errorf("a wrong call exits %d", got)
	}
}
