package attach_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/memnet"
	"discoclaw/internal/turn/attach"
)

// A store serves files for every host.
type store struct {
	files map[string][]byte
	serve map[string]http.HandlerFunc // handlers by path, for files that are not just sent

	mu    sync.Mutex
	asked []string
}

func (s *store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.Host+r.URL.Path)
	s.mu.Unlock()
	name := strings.TrimPrefix(r.URL.Path, "/")
	if f, ok := s.serve[name]; ok {
		f(w, r)
		return
	}
	data, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(data) // the client may be gone
}

// open opens messages against the store.
func (s *store) open(t *testing.T, said ...chat.Message) []chat.Opened {
	t.Helper()
	listener := memnet.New()
	server := &http.Server{Handler: s}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // until it is closed
	}()
	client := listener.HTTPClient()
	defer func() {
		client.CloseIdleConnections()
		_ = server.Close() // nothing to lose in memory
		<-served
	}()
	return attach.New(attach.Options{HTTP: client, Hosts: []string{"files.test"}}).Open(t.Context(), said...)
}

// kept is an attachment in the store.
func (s *store) kept(name, media string, data []byte) chat.Attachment {
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	s.files[name] = data
	return chat.Attachment{Name: name, Type: media, Size: len(data), URL: "https://cdn.discordapp.com/" + name}
}

func message(files ...chat.Attachment) chat.Message { return chat.Message{ID: "1", Attachments: files} }

// told is one line for each message.
func told(all []chat.Opened) []string {
	var lines []string
	for i, e := range all {
		for _, p := range e.Pictures {
			lines = append(lines, fmt.Sprintf("%d picture %s %s %d", i, p.Name, p.Type, len(p.Data)))
		}
		for _, d := range e.Texts {
			text := d.Text
			if len(text) > 40 {
				text = fmt.Sprintf("%d bytes", len(text))
			}
			lines = append(lines, fmt.Sprintf("%d text %s %q", i, d.Name, text))
		}
		for _, n := range e.Notes {
			lines = append(lines, fmt.Sprintf("%d note %s", i, n))
		}
	}
	return lines
}

func TestOpen(t *testing.T) {
	t.Parallel()
	picture := picturePNG(3, 2)
	for _, tt := range []struct {
		name  string
		files func(s *store) []chat.Attachment
		want  []string
	}{
		{"a text by its type", func(s *store) []chat.Attachment {
			return list(s.kept("notes", "text/plain; charset=utf-8", []byte("hello")))
		}, list(`0 text notes "hello"`)},
		{"data by its type", func(s *store) []chat.Attachment { return list(s.kept("x", "application/json", []byte("{}"))) }, list(`0 text x "{}"`)},
		{"source by its name", func(s *store) []chat.Attachment { return list(s.kept("Main.TS", "video/mp2t", []byte("let x"))) }, list(`0 text Main.TS "let x"`)},
		{"a file without an ending", func(s *store) []chat.Attachment { return list(s.kept("Makefile", "", []byte("all:"))) }, list(`0 text Makefile "all:"`)},
		{"a drawing", func(s *store) []chat.Attachment { return list(s.kept("a.svg", "image/svg+xml", []byte("<svg/>"))) }, list(`0 text a.svg "<svg/>"`)},
		{"a mark at the head", func(s *store) []chat.Attachment { return list(s.kept("a.txt", "", []byte("\ufeffhi"))) }, list(`0 text a.txt "hi"`)},
		{"not UTF-8", func(s *store) []chat.Attachment { return list(s.kept("a.txt", "text/plain", []byte("h\xe9"))) }, list("0 note a.txt: not a text in UTF-8, so it cannot be read")},
		{"bytes that are no text", func(s *store) []chat.Attachment { return list(s.kept("a.txt", "text/plain", []byte("a\x00b"))) }, list("0 note a.txt: not a text in UTF-8, so it cannot be read")},
		{"an empty file", func(s *store) []chat.Attachment { return list(s.kept("a.txt", "text/plain", nil)) }, list("0 note a.txt: the file is empty")},
		{"a long text", func(s *store) []chat.Attachment {
			return list(s.kept("a.log", "", bytes.Repeat([]byte("é"), 60<<10)))
		}, list(`0 text a.log "102400 bytes"`, "0 note a.log: only the first 100 KB of 120 KB can be read")},
		{"a cut inside a character", func(s *store) []chat.Attachment {
			return list(s.kept("a.log", "", append([]byte("x"), bytes.Repeat([]byte("é"), 60<<10)...)))
		}, list(`0 text a.log "102399 bytes"`, "0 note a.log: only the first 99 KB of 120 KB can be read")},
		{"texts that are long together", func(s *store) []chat.Attachment {
			long := bytes.Repeat([]byte("a"), 90<<10)
			return list(s.kept("1.txt", "", long), s.kept("2.txt", "", long), s.kept("3.txt", "", long), s.kept("4.txt", "", long))
		}, list(`0 text 1.txt "92160 bytes"`, `0 text 2.txt "92160 bytes"`, `0 text 3.txt "20480 bytes"`,
			"0 note 3.txt: only the first 20 KB of 90 KB can be read", "0 note 4.txt: left out, since all text files together may have 200 KB")},
		{"a picture", func(s *store) []chat.Attachment { return list(s.kept("a.png", "image/png", picture)) }, list(fmt.Sprintf("0 picture a.png image/png %d", len(picture)))},
		{"a picture by its name", func(s *store) []chat.Attachment { return list(s.kept("a.PNG", "", picture)) }, list(fmt.Sprintf("0 picture a.PNG image/png %d", len(picture)))},
		{"a picture of another type than it is said to be", func(s *store) []chat.Attachment { return list(s.kept("a.jpg", "image/jpeg", picture)) }, list(fmt.Sprintf("0 picture a.jpg image/png %d", len(picture)))},
		{"no picture", func(s *store) []chat.Attachment {
			return list(s.kept("a.png", "image/png", []byte("<html>"+strings.Repeat("x", 100))))
		}, list("0 note a.png: not a picture in PNG, JPEG, WebP or GIF, whatever its name says")},
		{"the head of a picture", func(s *store) []chat.Attachment { return list(s.kept("a.png", "image/png", picture[:44])) }, list("0 note a.png: not a picture in PNG, JPEG, WebP or GIF, whatever its name says")},
		{"another kind", func(s *store) []chat.Attachment {
			return list(s.kept("a.zip", "application/zip", []byte("PK")), s.kept("b.pdf", "application/pdf", []byte("%PDF")))
		}, list("0 note a.zip: this kind of file cannot be read", "0 note b.pdf: not a PDF, though it is called one")},
		{"a file that is gone", func(*store) []chat.Attachment {
			return list(chat.Attachment{Name: "a.txt", Size: 1, URL: "https://cdn.discordapp.com/gone"})
		}, list("0 note a.txt: could not be fetched (status 404)")},
		{"a name that would lie", func(*store) []chat.Attachment {
			return list(chat.Attachment{Name: "a\n\x1b[2J\u202etxt.\tb", Size: 1}, chat.Attachment{Name: strings.Repeat("n", 300), Size: 1})
		}, list("0 note a [2Jtxt. b: this kind of file cannot be read", "0 note "+strings.Repeat("n", 100)+"…: this kind of file cannot be read")},
		{"a picture that is too large", func(*store) []chat.Attachment {
			return list(chat.Attachment{Name: "a.png", Size: 21 << 20, URL: "https://cdn.discordapp.com/a.png"})
		}, list("0 note a.png: the picture is too large; it may have 20 MB")},
		{"a picture that is larger than it is said to be", func(s *store) []chat.Attachment {
			a := s.kept("a.png", "image/png", picture)
			a.Size--
			return list(a)
		}, list("0 note a.png: larger than Discord said, so it was not opened")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &store{}
				files := tt.files(s)
				if diff := cmp.Diff(tt.want, told(s.open(t, message(files...)))); diff != "" {
					t.Errorf("opened (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func list[T any](items ...T) []T { return items }

func TestFilesAreFetchedFromDiscordOnly(t *testing.T) {
	t.Parallel()
	for address, fetched := range map[string]bool{
		"https://cdn.discordapp.com/a.txt":               true,
		"https://media.discordapp.net/a.txt":             true,
		"https://CDN.discordapp.com/a.txt":               true,
		"https://files.test/a.txt":                       true,
		"http://files.test/a.txt":                        true,
		"http://cdn.discordapp.com/a.txt":                false,
		"https://cdn.discordapp.com:8443/a.txt":          false,
		"http://files.test:81/a.txt":                     false,
		"https://cdn.discordapp.com.evil.test/a.txt":     false,
		"https://cdn.discordapp.com@evil.test/a.txt":     false,
		"https://someone@cdn.discordapp.com/a.txt":       false,
		"https://evil.test/cdn.discordapp.com/a.txt":     false,
		"https://169.254.169.254/a.txt":                  false,
		"ftp://files.test/a.txt":                         false,
		"//cdn.discordapp.com/a.txt":                     false,
		"file:///etc/passwd":                             false,
		"":                                               false,
		"https://cdn.discordapp.com\\@evil.test/a.txt":   false,
		"https://evil.test#@cdn.discordapp.com/a.txt":    false,
		"https://cdn.discordapp.com%2eevil.test/a.txt":   false,
		"https://evil.test\t@cdn.discordapp.com/a.txt":   false,
		" https://cdn.discordapp.com/a.txt":              false,
		"https://[::ffff:127.0.0.1]/a.txt":               false,
		"https://cdn.discordapp.com./a.txt":              false,
		"javascript:https://cdn.discordapp.com/a.txt":    false,
		"https:cdn.discordapp.com/a.txt":                 false,
		"https://cdn.discordapp.com:443@evil.test/a.txt": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &store{files: map[string][]byte{"a.txt": []byte("hello")}}
			got := told(s.open(t, message(chat.Attachment{Name: "a.txt", Size: 5, URL: address})))
			want := "0 note a.txt: not fetched, since Discord does not keep it"
			if fetched {
				want = `0 text a.txt "hello"`
			}
			if len(got) != 1 || got[0] != want || (len(s.asked) > 0) != fetched {
				t.Errorf("%q: %q, requests %q; want %q", address, got, s.asked, want)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{files: map[string][]byte{"b.txt": []byte("secret")}, serve: map[string]http.HandlerFunc{
			"a.txt": http.RedirectHandler("https://cdn.discordapp.com/b.txt", http.StatusFound).ServeHTTP,
		}}
		got := told(s.open(t, message(chat.Attachment{Name: "a.txt", Size: 5, URL: "https://cdn.discordapp.com/a.txt"})))
		if diff := cmp.Diff(list("0 note a.txt: could not be fetched (status 302)"), got); diff != "" || len(s.asked) != 1 {
			t.Errorf("requests %q, (-want +got):\n%s", s.asked, diff)
		}
	})
}

// TestSlowFilesAreGivenUp: the timeout is ten seconds for each file, concurrently.
func TestSlowFilesAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		drip := func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte("x")) // until the client is gone
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(time.Second):
				case <-r.Context().Done():
				}
			}
		}
		s := &store{serve: map[string]http.HandlerFunc{"a.txt": hang, "b.txt": drip, "c.png": hang}}
		var files []chat.Attachment
		for _, name := range list("a.txt", "b.txt", "c.png") {
			files = append(files, chat.Attachment{Name: name, Size: 1000, URL: "https://cdn.discordapp.com/" + name})
		}
		files = append(files, s.kept("d.txt", "", []byte("hello")))
		began := time.Now()
		got := told(s.open(t, message(files...)))
		want := list(`0 text d.txt "hello"`, "0 note a.txt: could not be fetched in time", "0 note b.txt: could not be fetched in time", "0 note c.png: could not be fetched in time")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("opened (-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestPicturesOfAnAnsweredMessageComeFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{}
		picture := picturePNG(1, 1)
		var many []chat.Attachment
		for i := range 11 {
			many = append(many, s.kept(fmt.Sprintf("new-%d.png", i), "image/png", picture))
		}
		answered := &chat.Message{ID: "9", Attachments: list(s.kept("old.png", "image/png", picture), s.kept("old.txt", "", []byte("old")))}
		all := s.open(t,
			chat.Message{ID: "1", Attachments: many[:1]},
			chat.Message{ID: "2", Answers: answered, Attachments: many[1:]},
			chat.Message{ID: "3", Answers: answered},
			chat.Message{ID: "4", Answers: &chat.Message{ID: "1", Attachments: many[:1]}},
		)
		var names [][]string
		for _, e := range all {
			var of []string
			for _, p := range e.Pictures {
				of = append(of, p.Name)
			}
			names = append(names, of)
		}
		want := [][]string{{"new-0.png"}, {"old.png", "new-1.png", "new-2.png", "new-3.png", "new-4.png", "new-5.png", "new-6.png", "new-7.png", "new-8.png"}, nil, nil}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("pictures (-want +got):\n%s", diff)
		}
		notes := list("new-9.png: left out, since at most 10 pictures are looked at", "new-10.png: left out, since at most 10 pictures are looked at")
		if diff := cmp.Diff(notes, all[1].Notes); diff != "" {
			t.Errorf("notes (-want +got):\n%s", diff)
		}
		slices.Sort(s.asked)
		if len(slices.Compact(s.asked)) != 10 {
			t.Errorf("asked for %q", s.asked)
		}
	})
}

func TestPicturesTogetherHaveALimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &store{}
		var files []chat.Attachment
		for i := range 3 {
			f := s.kept(fmt.Sprintf("%d.png", i), "image/png", picturePNG(1, 1))
			f.Size = 18 << 20
			files = append(files, f)
		}
		got := told(s.open(t, message(files...)))
		if len(got) != 3 || got[2] != "0 note 2.png: left out, since all pictures together may have 50 MB" {
			t.Errorf("%q", got)
		}
	})
}
