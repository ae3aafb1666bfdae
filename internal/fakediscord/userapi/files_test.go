package userapi_test

import (
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/userapi"
)

// The first bytes of pictures.
const (
	png  = "\x89PNG\x0D\x0A\x1A\x0A rest"
	gif  = "GIF89a rest"
	jpeg = "\xFF\xD8\xFF rest"
	webp = "RIFF\x00\x00\x00\x00WEBPVP8 rest"
	html = "<html><script>alert(1)</script>"
	svg  = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
)

// upload sends a form to #a as bob.
func (r *rig) upload(payload string, files ...file) reply {
	r.t.Helper()
	kind, body := form(r.t, payload, files...)
	return r.do(r.request("POST", r.in("a", "/messages", "bob"), kind, body))
}

func TestMembersSendFiles(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		m := r.MustSay("bob", "#a", "look")
		got := r.upload(`{"content":"two files","replyTo":"`+string(m.ID)+`"}`,
			file{"files", "cat.png", "image/png", png}, file{"files", "notes.txt", "text/plain; charset=utf-8", "hello"}).want(200)
		if got["content"] != "two files" || got["replyTo"] == nil {
			t.Errorf("got %v", got)
		}
		var files []string
		for _, a := range got["attachments"].([]any) {
			a := a.(map[string]any)
			files = append(files, fmt.Sprint(a["name"], " ", a["type"], " ", a["size"]))
			if got := r.do(r.request("GET", a["url"].(string), "", nil)); got.status != 200 || len(got.body) != int(a["size"].(float64)) {
				t.Errorf("%v: status %d: %s", a["url"], got.status, got.body)
			}
		}
		if diff := cmp.Diff([]string{"cat.png image/png 13", "notes.txt text/plain; charset=utf-8 5"}, files); diff != "" {
			t.Error(diff)
		}
		alone := r.upload("", file{"files", "x.bin", "", "\x00"}).want(200)
		if alone["content"] != "" || alone["attachments"].([]any)[0].(map[string]any)["type"] != "application/octet-stream" {
			t.Errorf("got %v", alone)
		}
		// The bot finds them at Discord's place.
		seen := r.Messages("a")[1].Attachments
		if len(seen) != 2 || string(seen[1].Data) != "hello" {
			t.Errorf("the world has %v", seen)
		}
	})
}

func TestUploadsHaveLimits(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob\nmember eve\ndeny #a eve: Attach Files", func(r *rig) {
		many := slices.Repeat([]file{{"files", "x", "", "x"}}, 10)
		if got := r.upload("", many...).want(200); len(got["attachments"].([]any)) != 10 {
			t.Errorf("got %v", got)
		}
		r.upload("", append(many, file{"files", "x", "", "x"})...).refused(400, "10 files at most")
		r.upload(`{"content":"`+strings.Repeat("x", 1<<16)+`"}`).refused(413, "payload is larger")
		r.upload(`{"content":`).refused(400, "not the JSON")
		r.upload(`{}`).refused(400, "empty message")
		r.upload(`{"content":"x"}`, file{"other", "x", "", "x"}).refused(400, `a part "other"`)
		for kind, body := range map[string]string{
			"multipart/form-data":             "x",
			"multipart/form-data; boundary=":  "x",
			"multipart/form-data; boundary=x": "--x\r\nContent-Disposition: form-data; name=files; filename=a\r\n\r\ntorn",
		} {
			r.do(r.request("POST", r.in("a", "/messages", "bob"), kind, strings.NewReader(body))).refused(400, "cannot be read")
		}
		kind, body := form(t, "", many[0])
		r.do(r.request("POST", r.in("a", "/messages", "eve"), kind, body)).refused(403, "eve cannot write in #a")
		if n := len(r.Messages("a")); n != 1 {
			t.Errorf("%d messages were posted, want 1", n)
		}
	})
}

// TestUploadsHaveASizeLimit calls the handler directly: 25 MB are slow through a network
// in memory.
func TestUploadsHaveASizeLimit(t *testing.T) {
	t.Parallel()
	w, err := fakediscord.New("guild d: #a\nmember bob")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	api := userapi.New(w, userapi.Options{})
	t.Cleanup(api.Close)
	a, _ := w.Channel("a")
	for size, want := range map[int]int{25<<20 - 1000: 200, 25 << 20: 413} {
		kind, body := form(t, "", file{"files", "x", "", strings.Repeat("x", size)})
		req := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/api/channels/"+string(a.ID)+"/messages?as=bob", body)
		req.Header.Set("X-Discoclaw", "play")
		req.Header.Set("Content-Type", kind)
		got := httptest.NewRecorder()
		api.ServeHTTP(got, req)
		if got.Code != want {
			t.Errorf("%d bytes: status %d: %.200s", size, got.Code, got.Body)
		}
	}
	if n := len(w.Messages("a")); n != 1 {
		t.Errorf("%d messages were posted", n)
	}
}

func TestUploadedNamesAreCleaned(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		for name, want := range map[string]string{
			"../../etc/passwd":               "passwd",
			`C:\Users\bob\cat.png`:           "cat.png",
			`"><script>alert(1)</script>`:    "script_",
			"a b\r\nSet-Cookie: x=y.txt":     "a_b__Set-Cookie__x_y.txt",
			"..":                             "file",
			".htaccess":                      "htaccess",
			"":                               "file",
			"Grüße-äöü.pdf":                  "Grüße-äöü.pdf",
			"gnp.\u202Eexe":                  "gnp._exe",
			"nul\x00l.txt":                   "nul_l.txt",
			strings.Repeat("x", 500) + ".md": strings.Repeat("x", 117) + ".md",
		} {
			// Built by hand: no library sends such names.
			quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", "%0D", "\n", "%0A", "\x00", "%00").Replace(name)
			if strings.ContainsAny(name, "\r\n\x00") {
				quoted = "" // these only come percent-encoded, in the other form of the parameter
			}
			disposition := `form-data; name="files"; filename="` + quoted + `"`
			if quoted == "" && name != "" {
				disposition = mime.FormatMediaType("form-data", map[string]string{"name": "files", "filename": name})
			}
			body := "--b\r\nContent-Disposition: " + disposition + "\r\n\r\nx\r\n--b--\r\n"
			got := r.do(r.request("POST", r.in("a", "/messages", "bob"), "multipart/form-data; boundary=b", strings.NewReader(body))).want(200)
			if file := got["attachments"].([]any)[0].(map[string]any)["name"]; file != want {
				t.Errorf("%q became %q, want %q", name, file, want)
			}
		}
	})
}

// TestFilesCannotHarmThePage: a browser gets a file as a picture, if it is one, or else as
// a download.
func TestFilesCannotHarmThePage(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		for _, tt := range []struct {
			name, file, kind, data string
			shown                  string // the type of a picture, or empty
		}{
			{"a PNG", "x.png", "image/png", png, "image/png"},
			{"a GIF", "x.gif", "image/gif", gif, "image/gif"},
			{"a JPEG", "x.jpg", "image/jpeg", jpeg, "image/jpeg"},
			{"a WebP", "x.webp", "image/webp", webp, "image/webp"},
			{"a PNG that says more", "x.png", "image/png; charset=x", png, "image/png"},
			{"a page", "x.html", "text/html", html, ""},
			{"a page that says it is a PNG", "x.png", "image/png", html, ""},
			{"a GIF that says it is a PNG", "x.png", "image/png", gif, ""},
			{"a PNG that says it is a page", "x.html", "text/html", png, ""},
			{"a drawing with a script", "x.svg", "image/svg+xml", svg, ""},
			{"a script", "x.js", "text/javascript", "alert(1)", ""},
			{"a type with a header in it", "x", "text/html\r\nX-Evil: 1", "x", ""},
			{"no type", "x", "", html, ""},
			{"nothing", "x", "image/png", "", ""},
			{"a name with a header in it", "a\r\nX-Evil: 1\r\n\r\n.txt", "text/plain", "x", ""},
			{"a name that quotes", `a"; filename="b.exe`, "text/plain", "x", ""},
			{"a name with a path", "../../x.txt", "text/plain", "x", ""},
			{"a name in another script", "日本語.txt", "text/plain", "x", ""},
			{"a name that is no text", "\xff\xfe.txt", "text/plain", "x", ""},
			{"a name that goes up", "..", "text/plain", "x", ""},
			{"no name", "", "text/plain", "x", ""},
		} {
			// The world does not check names and types of the bot or of a file, so these come from there.
			m := r.MustSay("bob", "#a", "", fakediscord.Attaching(tt.file, tt.kind, []byte(tt.data)))
			shown := r.send("GET", r.in("a", "/messages", "bob")+"&limit=1", "").want(200)
			address := shown["messages"].([]any)[0].(map[string]any)["attachments"].([]any)[0].(map[string]any)["url"].(string)
			if !strings.HasPrefix(address, "/attachments/"+string(m.Channel)+"/"+m.Attachments[0].ID+"/") || strings.Count(address, "/") != 4 {
				t.Errorf("%s: the address is %q", tt.name, address)
			}
			req := r.request("GET", address, "", nil)
			req.Header.Del("X-Discoclaw") // a picture in a page has no header
			got := r.do(req)
			if got.status != 200 || got.body != tt.data {
				t.Errorf("%s: status %d: %q", tt.name, got.status, got.body)
			}
			checkFile(t, tt.name, got.header, tt.shown)
		}
	})
}

func checkFile(t *testing.T, name string, h http.Header, shown string) {
	t.Helper()
	want := map[string]string{
		"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Cross-Origin-Resource-Policy": "same-origin", "Content-Type": shown, "X-Evil": "", "Access-Control-Allow-Origin": "",
	}
	if shown == "" {
		want["Content-Type"] = "application/octet-stream"
	}
	for key, value := range want {
		if got := strings.Join(h.Values(key), "|"); got != value {
			t.Errorf("%s: %s is %q, want %q", name, key, got, value)
		}
	}
	disposition := h.Get("Content-Disposition")
	kind, params, err := mime.ParseMediaType(disposition)
	switch {
	case shown != "" && disposition != "":
		t.Errorf("%s: a picture has the disposition %q", name, disposition)
	case shown == "" && (err != nil || kind != "attachment"):
		t.Errorf("%s: the disposition is %q: %v", name, disposition, err)
	case len(params) > 1:
		t.Errorf("%s: the disposition %q has more than a name", name, disposition)
	}
}

func TestFilesAreServedLikeFiles(t *testing.T) {
	bubble(t, "guild d: #a\nmember bob", func(r *rig) {
		m := r.MustSay("bob", "#a", "", fakediscord.Attaching("x.png", "image/png", []byte(png)))
		address := "/attachments/" + string(m.Channel) + "/" + m.Attachments[0].ID + "/"
		if got := r.do(r.request("HEAD", address+"anything", "", nil)); got.status != 200 || got.header.Get("Content-Length") != "13" {
			t.Errorf("HEAD: status %d, %v", got.status, got.header)
		}
		part := r.request("GET", address+"x.png", "", nil)
		part.Header.Set("Range", "bytes=1-3")
		if got := r.do(part); got.status != 206 || got.body != "PNG" {
			t.Errorf("part: status %d: %q", got.status, got.body)
		}
		for _, wrong := range []string{"/attachments/", "/attachments/1/2/3", "/attachments/" + string(m.Channel) + "/1/x.png", address + "x/y", "/attachments/../api/world"} {
			r.do(r.request("GET", wrong, "", nil)).refused(404, "")
		}
		r.must(r.DeleteAs("bob", m.ID))
		r.do(r.request("GET", address+"x.png", "", nil)).refused(404, "no such file")
	})
}
