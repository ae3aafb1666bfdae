// Package page is the playground's page: a small Discord in a browser tab.
//
// The page is a folder of static files without dependencies: plain HTML, style sheets and
// JavaScript modules, without a build step. It uses the /api/ and /attachments/ paths of
// its own origin; their server mounts [Handler] next to them. The folder's main.js is the
// place to start reading.
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

// policy lets the page load its own files and images in style sheets, and nothing else.
// Code in a message cannot run even if it got into the page as markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// types are the media types of the files. They are listed here because the tables of
// operating systems differ, and browsers refuse a module of another type.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Handler serves the page at / and its files next to it. Every response, also an error,
// has the headers that keep foreign code and foreign frames out.
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
	// A cached page of an earlier version would not fit the API.
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
