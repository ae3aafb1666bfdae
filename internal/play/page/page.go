// Package page is the playground's page: a small Discord in a browser tab.
//
// The page is a folder of static files that needs nothing from elsewhere: plain
// HTML, style sheets and JavaScript modules, without a build step. It speaks to
// the /api/ and /attachments/ paths of the address it came from; whoever serves
// those mounts [Handler] next to them. The folder's main.js is the place to
// start reading.
package page

import (
	"bytes"
	"embed"
	"io/fs"
	"net/http"
	"path"
	"time"
)

//go:embed static
var static embed.FS

// policy lets the page load its own files, images that are part of a style sheet,
// and nothing else. Text that somebody wrote into a message cannot run even if it
// found a way into the page as markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// types are the kinds of files there are. They are written down because the tables
// of the operating system differ, and browsers refuse a module of another type.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handler serves the page at / and its files next to it. Every answer, also one
// that refuses, carries the headers that keep foreign code and foreign frames out.
func Handler() http.Handler {
	files := load(static)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		name := r.URL.Path
		if name == "/" {
			name = "/index.html"
		}
		file, found := files[name]
		switch {
		case !found:
			http.Error(w, "there is no such page; the playground is at /", http.StatusNotFound)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "a page can only be read", http.StatusMethodNotAllowed)
		default:
			w.Header().Set("Content-Type", types[path.Ext(name)])
			http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file))
		}
	})
}

func protect(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	// A page of yesterday's program would speak to today's API.
	h.Set("Cache-Control", "no-store")
}

// load reads the files once, by the path they are served at.
func load(folder fs.FS) map[string][]byte {
	files := map[string][]byte{}
	entries, err := fs.ReadDir(folder, "static")
	if err != nil {
		panic(err) // it is part of the program
	}
	for _, e := range entries {
		content, err := fs.ReadFile(folder, path.Join("static", e.Name()))
		if err != nil {
			panic(err) // it is part of the program
		}
		files["/"+e.Name()] = content
	}
	return files
}
