package page_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/play/page"
)

const wantPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

func get(t *testing.T, method, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	page.Handler().ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Result()
}

func TestEveryResponseHasSecurityHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method, path string
		status             int
	}{
		{"the page", "GET", "/", http.StatusOK},
		{"a module", "GET", "/main.js", http.StatusOK},
		{"only the head of it", "HEAD", "/main.js", http.StatusOK},
		{"what is not there", "GET", "/secret.txt", http.StatusNotFound},
		{"a way out of the folder", "GET", "/../page.go", http.StatusNotFound},
		{"a list of the files", "GET", "/static/", http.StatusNotFound},
		{"something to be written", "POST", "/", http.StatusMethodNotAllowed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			answer := get(t, tt.method, tt.path)
			if answer.StatusCode != tt.status {
				t.Errorf("%s %s = %d, want %d", tt.method, tt.path, answer.StatusCode, tt.status)
			}
			for header, want := range map[string]string{
				"Content-Security-Policy": wantPolicy,
				"X-Content-Type-Options":  "nosniff",
				"Referrer-Policy":         "no-referrer",
				"Cache-Control":           "no-store",
			} {
				if got := answer.Header.Get(header); got != want {
					t.Errorf("%s %s: %s = %q, want %q", tt.method, tt.path, header, got, want)
				}
			}
		})
	}
}

func TestEveryFileHasItsMediaType(t *testing.T) {
	t.Parallel()
	types := map[string]string{
		".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
		".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
	}
	for name := range sources(t) {
		answer := get(t, "GET", "/"+name)
		want, known := types[path.Ext(name)]
		if !known {
			t.Errorf("%s is of a kind that the handler does not know", name)
		}
		if got := answer.Header.Get("Content-Type"); got != want || answer.StatusCode != http.StatusOK {
			t.Errorf("GET /%s = %d with type %q, want %q", name, answer.StatusCode, got, want)
		}
	}
}

// TestNothingIsInline: the policy would refuse it, and the page would silently break.
func TestNothingIsInline(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`(?i)<script(?:\s[^>]*)?>\s*[^<\s]|<style|\sstyle\s*=|\son[a-z]+\s*=|javascript:`)
	for name, text := range sources(t) {
		if path.Ext(name) != ".html" && path.Ext(name) != ".svg" {
			continue
		}
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s has inline code or style: %q", name, found)
		}
	}
}

// TestTextNeverBecomesMarkup: the page uses none of the functions that turn text into
// elements or code.
func TestTextNeverBecomesMarkup(t *testing.T) {
	t.Parallel()
	sinks := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|setHTML|parseHTML|DOMParser|createContextualFragment|srcdoc\s*[=:]|\beval\(|new Function|setTimeout\(\s*['"` + "`" + `]|setAttribute\(\s*['"](?:style|on)|import\(|importScripts|document\.cookie`)
	for name, text := range sources(t) {
		if path.Ext(name) != ".js" {
			continue
		}
		if found := sinks.FindString(text); found != "" {
			t.Errorf("%s uses %q; build elements with h of dom.js instead", name, found)
		}
	}
}

// TestThePageHasNoForeignAddresses: it works without a network, and contacts no other host.
func TestThePageHasNoForeignAddresses(t *testing.T) {
	t.Parallel()
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z]`)
	for name, text := range sources(t) {
		text = strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
		if found := address.FindString(text); found != "" {
			t.Errorf("%s has a foreign address: %q", name, found)
		}
	}
}

func TestEveryModuleSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	for name, text := range sources(t) {
		opening := map[string]string{".js": "// " + name, ".css": "/* " + name}[path.Ext(name)]
		if !strings.HasPrefix(text, opening) {
			t.Errorf("%s does not begin with %q and what it is for", name, opening)
		}
	}
}

// TestEveryFileIsUsed follows the references of the page and its files.
func TestEveryFileIsUsed(t *testing.T) {
	t.Parallel()
	all := sources(t)
	link := regexp.MustCompile(`(?:href|src)="([\w.-]+\.\w+)"|(?:from '\./|addModule\(')([\w.-]+)'`)
	used := map[string]bool{}
	var follow func(name string)
	follow = func(name string) {
		if used[name] {
			return
		}
		used[name] = true
		text, found := all[name]
		if !found {
			t.Errorf("%s is referred to and not there", name)
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			follow(m[1] + m[2])
		}
	}
	follow("index.html")
	there := map[string]bool{}
	for name := range all {
		there[name] = true
	}
	if diff := cmp.Diff(there, used); diff != "" {
		t.Errorf("files of the folder (-) and files that are used (+):\n%s", diff)
	}
}

// sources are the files of the page.
func sources(t *testing.T) map[string]string {
	t.Helper()
	folder := os.DirFS("static")
	names, err := fs.Glob(folder, "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files of the page: %v", err)
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return files
}
