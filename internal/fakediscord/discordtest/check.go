package discordtest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/openapi"
)

// document is Discord's description of its API, read once and then read only.
var document = sync.OnceValues(func() (*openapi.Document, error) {
	path, err := documentPath()
	if err != nil {
		return nil, err
	}
	return openapi.Load(path)
})

// documentPath is the path in DISCORD_OPENAPI, or the default one beside the module.
func documentPath() (string, error) {
	if path := os.Getenv("DISCORD_OPENAPI"); path != "" {
		return path, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("look for the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "discord-openapi", "openapi.json"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("look for the module: there is no go.mod above")
		}
		dir = parent
	}
}

// Document is Discord's description of its API, for tests that validate something
// themselves, or nil and why there is none. It fails the test if the environment requires
// one.
func Document(t testing.TB) (doc *openapi.Document, why string) {
	t.Helper()
	doc, err := document()
	if err == nil {
		return doc, ""
	}
	if !errors.Is(err, fs.ErrNotExist) || os.Getenv("DISCOCLAW_REQUIRE_OPENAPI") == "1" {
		t.Fatal(err)
	}
	return nil, fmt.Sprintf("not checked against Discord's API description: %v; name it in DISCORD_OPENAPI", err)
}

// Check returns a function that validates all requests to a world, and all responses,
// against the description until the test ends. It is for code under test that builds a
// world of its own; New does it by itself. In a benchmark it does nothing.
func Check(t testing.TB) func(*fakediscord.World) {
	t.Helper()
	var doc *openapi.Document
	if _, measures := t.(*testing.B); !measures {
		var why string
		if doc, why = Document(t); doc == nil {
			t.Log(why)
		}
	}
	check := untilTheEnd(t, func(x fakediscord.Exchange) { checkExchange(t, doc, x) })
	return func(w *fakediscord.World) { w.OnExchange(check) }
}

// untilTheEnd ignores exchanges after the end of the test, which must not be reported.
func untilTheEnd(t testing.TB, f func(fakediscord.Exchange)) func(fakediscord.Exchange) {
	var mu sync.Mutex
	over := false
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
	})
	return func(x fakediscord.Exchange) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			f(x)
		}
	}
}

func checkExchange(t testing.TB, doc *openapi.Document, x fakediscord.Exchange) {
	if x.Status == http.StatusNotImplemented && !x.Spoilt {
		t.Errorf("%s %s: the fake Discord was asked for what it cannot do: %s", x.Method, x.Path, x.Response)
		return
	}
	if doc == nil {
		return
	}
	if err := doc.CheckRequest(x.Method, x.Path, x.Query, x.ContentType, x.Request); err != nil {
		t.Errorf("%s %s: the request does not fit Discord's API: %v", x.Method, x.Path, err)
	}
	if x.Spoilt {
		return
	}
	if err := doc.CheckResponse(x.Method, x.Path, x.Status, x.Response); err != nil {
		t.Errorf("%s %s: the fake's answer %d does not fit Discord's API: %v", x.Method, x.Path, x.Status, err)
	}
}
