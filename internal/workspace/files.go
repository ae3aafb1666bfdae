package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

const (
	maxFileBytes     = 64 << 10 // of a file, with its comments
	maxDocumentBytes = 8 << 10  // of a document in a prompt
	maxTotalBytes    = 32 << 10 // of all documents that are read together
)

// A reader reads the documents of a folder. An unchanged file is not read again.
type reader struct {
	folder string
	log    *slog.Logger

	mu    sync.Mutex
	known map[string]known // by name
}

// known is the content of a file with this time and size.
type known struct {
	changed time.Time
	size    int64
	text    string
	problem error
}

// documents are those with content, in order. Unreadable ones, and those over the limit,
// become notes.
func (r *reader) documents(ctx context.Context, names ...string) []chat.Document {
	var docs []chat.Document
	room := maxTotalBytes
	for _, name := range names {
		doc, err := r.document(ctx, name)
		switch {
		case isMissing(err) || err == nil && doc.Text == "":
			continue
		case err != nil:
			doc.Text = fmt.Sprintf("(%s cannot be read)", name)
		case len(doc.Text) > room:
			doc.Text = fmt.Sprintf("(%s is left out: the documents before it are too long)", name)
		}
		room -= len(doc.Text)
		docs = append(docs, doc)
	}
	return docs
}

// document is the content of a file for the model. A new error is logged.
func (r *reader) document(ctx context.Context, name string) (chat.Document, error) {
	doc := chat.Document{Name: name}
	root, err := os.OpenRoot(r.folder)
	if err != nil {
		return doc, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if isMissing(err) {
		return doc, err
	}
	now := known{problem: err}
	if err == nil {
		now.changed, now.size = info.ModTime(), info.Size()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, ok := r.known[name]
	if err == nil && ok && before.changed.Equal(now.changed) && before.size == now.size {
		doc.Text = before.text
		return doc, before.problem
	}
	if err == nil {
		now.text, now.problem = read(root, name)
	}
	if now.problem != nil && (before.problem == nil || before.problem.Error() != now.problem.Error()) {
		r.log.WarnContext(ctx, "cannot read document", "err", now.problem)
	}
	if r.known == nil {
		r.known = map[string]known{}
	}
	r.known[name] = now
	doc.Text = now.text
	return doc, now.problem
}

// isMissing reports whether a file does not exist, which is no error.
func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

var comment = regexp.MustCompile(`(?s)<!--.*?-->`)

// read is the content of a file without comments.
func read(root *os.Root, name string) (string, error) {
	whole, more, err := readUpTo(root, name, maxFileBytes)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(comment.ReplaceAllString(strings.TrimPrefix(whole, "\ufeff"), ""))
	if len(text) <= maxDocumentBytes && !more {
		return text, nil
	}
	return fmt.Sprintf("%s\n(%s goes on, but is cut here: it may have %d KB)", strings.TrimSpace(upTo(text, maxDocumentBytes)), name, maxDocumentBytes>>10), nil
}

// upTo cuts a text to whole characters.
func upTo(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// readUpTo reads the beginning of a text file and reports whether there is more.
func readUpTo(root *os.Root, name string, most int) (text string, more bool, err error) {
	// A file that is not regular could block, or have no end.
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return "", false, errors.Join(err, fmt.Errorf("%s is not a plain file", name))
	}
	f, err := root.Open(name)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil {
		return "", false, err
	}
	text = upTo(string(data), most)
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", false, fmt.Errorf("%s is not a text", name)
	}
	return text, len(data) > most, nil
}
