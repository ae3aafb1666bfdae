package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

// discordsHosts are those of Discord's CDN.
var discordsHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// A refusal is why a file was not fetched, in words for the model. It never contains the
// address, with which anyone can read the file.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	elsewhere = refusal("not fetched, since Discord does not keep it")
	late      = refusal("could not be fetched in time")
	larger    = refusal("larger than Discord said, so it was not opened")
)

// noteOf is the model's note on an error.
func noteOf(err error) string {
	if r := refusal(""); errors.As(err, &r) {
		return r.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return late.Error()
	}
	return "could not be fetched"
}

// fetch reads a whole picture, or a text up to its limit.
func (o *Opener) fetch(ctx context.Context, it *item) ([]byte, error) {
	if !o.mayVisit(it.file.URL) {
		return nil, elsewhere
	}
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, it.file.URL, nil)
	if err != nil {
		return nil, elsewhere
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return nil, withoutAddress(err)
	}
	defer resp.Body.Close() // only read
	if resp.StatusCode != http.StatusOK {
		return nil, refusal(fmt.Sprintf("could not be fetched (status %d)", resp.StatusCode))
	}
	return it.take(resp)
}

// Sound reads a whole file that is to be played. An error is for the model, too.
func (o *Opener) Sound(ctx context.Context, file chat.Attachment) ([]byte, error) {
	data, err := o.fetch(ctx, &item{file: file, kind: isVoice, most: maxVoiceBytes})
	if err != nil {
		o.log.WarnContext(ctx, "sound not fetched", "err", err)
		return nil, refusal(noteOf(err))
	}
	return data, nil
}

// mayVisit reports whether files may be fetched from an address.
func (o *Opener) mayVisit(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if u.Scheme == "https" && slices.Contains(discordsHosts, strings.ToLower(u.Host)) {
		return true
	}
	named := slices.ContainsFunc(o.hosts, func(host string) bool { return strings.EqualFold(host, u.Host) })
	return named && (u.Scheme == "https" || u.Scheme == "http")
}

// take reads the planned number of bytes from a response.
func (it *item) take(resp *http.Response) ([]byte, error) {
	whole := it.kind != isText
	if whole && resp.ContentLength > int64(it.most) {
		return nil, larger
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(it.most)+1))
	switch {
	case err != nil:
		return nil, withoutAddress(err)
	case whole && len(data) > it.most:
		return nil, larger
	}
	return data, nil
}

func withoutAddress(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// A kind says how a file is opened.
type kind int

const (
	isOther kind = iota
	isPicture
	isText
	isPaper
	isVoice
)

// kindOf goes by the media type that Discord states, and else by the name: for source
// code the media type is often wrong.
func kindOf(file chat.Attachment) kind {
	declared, _, err := mime.ParseMediaType(file.Type)
	if err != nil {
		declared = ""
	}
	if k := kinds[declared]; k != isOther {
		return k
	}
	if strings.HasPrefix(declared, "text/") {
		return isText
	}
	name := strings.ToLower(path.Base(file.Name))
	if k := kinds[path.Ext(name)]; k != isOther {
		return k
	}
	return kinds[name]
}

// kinds has media types, file extensions and whole names.
var kinds = listed(
	isPaper, "application/pdf .pdf",
	isPicture, "image/png image/jpeg image/jpg image/webp image/gif .png .jpg .jpeg .webp .gif",
	isText, `application/json application/xml application/javascript application/typescript application/toml
		application/sql application/graphql application/php application/x-sh application/sh application/x-yaml application/yaml`,
	// Prose and data.
	isText, ".txt .md .markdown .mdx .rst .adoc .org .tex .bib .csv .tsv .json .jsonl .ndjson .json5 .jsonc .geojson .ipynb .log .srt .vtt .ics .vcf",
	// Markup and style.
	isText, ".html .htm .xhtml .xml .xsl .xsd .svg .css .scss .sass .less .vue .svelte .astro .hbs .ejs .tmpl .j2",
	// Configuration.
	isText, `.yaml .yml .toml .ini .cfg .conf .config .env .properties .editorconfig .gitignore .gitattributes .dockerignore .npmrc
		.lock .mod .sum .tf .tfvars .hcl .nix .service .desktop .plist .reg dockerfile makefile cmakelists.txt gemfile rakefile procfile license readme`,
	// Differences and scripts.
	isText, ".diff .patch .sh .bash .zsh .fish .bat .cmd .ps1 .psm1 .awk .sed .mk .cmake .gradle .bazel .bzl",
	// Source code.
	isText, `.go .py .pyi .rb .rs .c .h .cc .cpp .cxx .hh .hpp .hxx .m .mm .cs .fs .fsx .vb .java .kt .kts .scala .clj .cljs .groovy
		.js .mjs .cjs .jsx .ts .mts .cts .tsx .php .pl .pm .lua .r .jl .swift .dart .ex .exs .erl .hrl .hs .elm .ml .mli .nim .zig .v .d .pas
		.asm .s .sql .graphql .gql .proto .thrift .sol .vim .el .lisp .scm .rkt .tcl .coffee .glsl .wgsl .hlsl .gd`,
)

func listed(pairs ...any) map[string]kind {
	all := map[string]kind{}
	for i := 0; i < len(pairs); i += 2 {
		for _, name := range strings.Fields(pairs[i+1].(string)) {
			all[name] = pairs[i].(kind)
		}
	}
	return all
}

var mark = []byte("\ufeff") // the byte order mark, which some editors write

// read makes a document of the data of a text file, which may have been cut.
func (it *item) read(data []byte) {
	cut := len(data) > it.most
	if cut {
		data = wholeRunes(data[:it.most])
	}
	data = bytes.TrimPrefix(data, mark)
	switch {
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		it.note = "not a text in UTF-8, so it cannot be read"
		return
	case len(bytes.TrimSpace(data)) == 0:
		it.note = "the file is empty"
		return
	case cut:
		it.note = fmt.Sprintf("only the first %d KB of %d KB can be read", max(1, len(data)>>10), max(1, it.file.Size>>10))
	}
	it.text = &chat.Document{Name: it.name(), Text: string(data)}
}

// wholeRunes drops an incomplete character at the end.
func wholeRunes(data []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if last := data[len(data)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-n]
			}
			break
		}
	}
	return data
}
