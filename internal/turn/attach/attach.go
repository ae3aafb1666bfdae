// Package attach opens what came with messages: pictures that a model can look at,
// and text files that it can read.
//
// An [Opener] fetches files from where Discord keeps them and from nowhere else. It
// is bounded in all directions (time, number, bytes, pixels), and it never fails: for
// what could not be opened there is a sentence that the model can pass on.
package attach

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// Options say how files are reached.
type Options struct {
	// HTTP fetches the files. Nil means http.DefaultClient. Redirects are not followed,
	// whatever it says about them.
	HTTP *http.Client
	// Hosts are those that files may come from besides Discord's own, with a port where
	// it is not the usual one. Only with these, plain http will do.
	Hosts []string
	// Log is told why a file could not be fetched. Nil means that nobody is.
	Log *slog.Logger
}

// An Opener opens attachments. It is safe for concurrent use.
type Opener struct {
	client http.Client
	hosts  []string
	log    *slog.Logger

	// scaling has an element while a picture is made smaller: it takes much memory for
	// a moment, so that this is done with one at a time.
	scaling chan struct{}
}

// New returns an opener.
func New(o Options) *Opener {
	opener := &Opener{
		client:  *cmp.Or(o.HTTP, http.DefaultClient),
		hosts:   o.Hosts,
		log:     cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
		scaling: make(chan struct{}, 1),
	}
	// A redirect leads to an address that nobody has looked at.
	opener.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return opener
}

const (
	maxPictures          = 10        // as many as models take at once
	maxPictureBytes      = 20 << 20  // bytes of one
	maxTotalPictureBytes = 50 << 20  // of all
	maxTextBytes         = 100 << 10 // of one text file; of a longer one the beginning is read
	maxTotalTextBytes    = 200 << 10 // of all

	fileTime = 10 * time.Second // for one file
	openTime = 15 * time.Second // for all: somebody waits for the answer
)

// Open opens what came with messages, and the pictures of the messages that they
// answer. The result has an element for each message. The limits hold for all of them
// together; pictures of answered messages come first.
func (o *Opener) Open(ctx context.Context, said ...chat.Message) []chat.Opened {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	items := plan(said)
	var wg sync.WaitGroup
	for _, it := range items {
		if it.note == "" {
			wg.Go(func() { o.open(ctx, it) })
		}
	}
	wg.Wait()
	all := make([]chat.Opened, len(said))
	for _, it := range items {
		it.addTo(&all[it.message])
	}
	return all
}

// An item is a file, and what became of it.
type item struct {
	message int // which of the messages it came with
	file    chat.Attachment
	kind    kind
	most    int  // bytes that may be read
	quoted  bool // it came with the message that is answered

	picture *chat.Picture
	text    *chat.Document
	note    string // what the model should know, without the name
}

// plan decides which files are opened, and how much is read of each, before anything
// is fetched: what Discord says about their sizes is held against them later.
func plan(said []chat.Message) []*item {
	var b budget
	var items []*item
	for i, m := range said {
		if m.Answers == nil || !b.first(m.Answers.ID, said) {
			continue
		}
		for _, file := range m.Answers.Attachments {
			if kindOf(file) == isPicture {
				it := b.item(i, file)
				it.quoted = true
				items = append(items, it)
			}
		}
	}
	for i, m := range said {
		for _, file := range m.Attachments {
			items = append(items, b.item(i, file))
		}
	}
	return items
}

// A budget is what has been planned so far.
type budget struct {
	answered               []chat.MessageID
	pictures               int
	pictureBytes, textData int
}

// first says whether the pictures of an answered message are still to be opened: they
// are not, if it is answered twice, or is itself one of those that are opened.
func (b *budget) first(answered chat.MessageID, said []chat.Message) bool {
	if slices.Contains(b.answered, answered) || slices.ContainsFunc(said, func(m chat.Message) bool { return m.ID == answered }) {
		return false
	}
	b.answered = append(b.answered, answered)
	return true
}

func (b *budget) item(message int, file chat.Attachment) *item {
	it := &item{message: message, file: file, kind: kindOf(file)}
	switch {
	case it.kind == isOther:
		it.note = "this kind of file cannot be read"
	case file.Size <= 0:
		it.note = "the file is empty"
	case it.kind == isText:
		b.takeText(it)
	default:
		b.takePicture(it)
	}
	return it
}

func (b *budget) takeText(it *item) {
	it.most = min(it.file.Size, maxTextBytes, maxTotalTextBytes-b.textData)
	b.textData += it.most
	if it.most == 0 {
		it.note = fmt.Sprintf("left out, since all text files together may have %d KB", maxTotalTextBytes>>10)
	}
}

func (b *budget) takePicture(it *item) {
	switch {
	case it.file.Size > maxPictureBytes:
		it.note = tooLarge
		return
	case b.pictures == maxPictures:
		it.note = fmt.Sprintf("left out, since at most %d pictures are looked at", maxPictures)
		return
	case b.pictureBytes+it.file.Size > maxTotalPictureBytes:
		it.note = fmt.Sprintf("left out, since all pictures together may have %d MB", maxTotalPictureBytes>>20)
		return
	}
	it.most = it.file.Size
	b.pictures++
	b.pictureBytes += it.most
}

var tooLarge = fmt.Sprintf("the picture is too large; it may have %d MB", maxPictureBytes>>20)

// open fetches a file and makes something of it. A fault in one of the decoders must
// not end more than the look at this file.
func (o *Opener) open(ctx context.Context, it *item) {
	defer func() {
		if v := recover(); v != nil {
			o.log.ErrorContext(ctx, "opening an attachment panicked", "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			it.picture, it.text, it.note = nil, nil, "could not be opened"
		}
	}()
	data, err := o.fetch(ctx, it)
	switch {
	case err != nil:
		o.log.DebugContext(ctx, "attachment not fetched", "err", err)
		it.note = noteOf(err)
	case it.kind == isText:
		it.read(data)
	default:
		o.look(ctx, it, data)
	}
}

// addTo puts what became of a file with what came with its message.
func (it *item) addTo(e *chat.Opened) {
	if it.picture != nil {
		it.picture.Answered = it.quoted
		e.Pictures = append(e.Pictures, *it.picture)
	}
	if it.text != nil {
		e.Texts = append(e.Texts, *it.text)
	}
	switch {
	case it.note == "":
	case it.quoted:
		e.Notes = append(e.Notes, it.name()+", of the answered message: "+it.note)
	default:
		e.Notes = append(e.Notes, it.name()+": "+it.note)
	}
}

func (it *item) name() string { return it.file.Label() }
