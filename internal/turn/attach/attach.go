// Package attach opens the attachments of messages: pictures that a model can look at,
// text files and PDFs that it can read, and voice messages, which are transcribed.
//
// An [Opener] fetches files from Discord's CDN only. It is bounded in time, number, bytes
// and pixels, and it never fails: a file that could not be opened has a note that the
// model can pass on.
package attach

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// A Transcriber returns what is said in a recording, a file of a message.
type Transcriber func(ctx context.Context, m chat.Message, file chat.Attachment, data []byte) (string, error)

// Options configure an Opener.
type Options struct {
	// HTTP fetches the files. Nil means http.DefaultClient. Redirects are never followed.
	HTTP *http.Client
	// Hosts are further hosts that files may come from, with a port unless it is the
	// default one. Only these may use plain http.
	Hosts      []string
	Transcribe Transcriber // nil means that voice messages are not opened
	// Log gets the reasons of failed fetches. It may be nil.
	Log *slog.Logger
}

// An Opener opens attachments. It is safe for concurrent use.
type Opener struct {
	client http.Client
	hosts  []string
	hear   Transcriber
	log    *slog.Logger
}

// New returns an opener.
func New(o Options) *Opener {
	opener := &Opener{
		client: *cmp.Or(o.HTTP, http.DefaultClient),
		hosts:  o.Hosts,
		hear:   o.Transcribe,
		log:    cmp.Or(o.Log, slog.New(slog.DiscardHandler)),
	}
	// The target of a redirect is not checked against the hosts.
	opener.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return opener
}

const (
	maxPictures          = 10        // the limit of common models
	maxPictureBytes      = 20 << 20  // bytes of one
	maxTotalPictureBytes = 50 << 20  // of all pictures
	maxTextBytes         = 100 << 10 // of one text file; a longer one is cut
	maxTotalTextBytes    = 200 << 10 // of all text files
	maxPaperBytes        = 10 << 20  // of all PDFs, which vendors take in one request
	maxVoiceBytes        = 20 << 20  // of one voice message

	fileTime = 10 * time.Second // timeout of one file
	openTime = 15 * time.Second // timeout of all files, since the requester waits
	hearTime = time.Minute      // timeout of a transcription
)

// Open opens the attachments of messages, and the pictures of the messages that they
// reply to. The result has an element for each message. The limits hold for all of them
// together; pictures of replied-to messages come first.
func (o *Opener) Open(ctx context.Context, said ...chat.Message) []chat.Opened {
	return o.openAll(ctx, plan(said, o.hear != nil), len(said))
}

// Texts opens the text files of a message that is looked up. Its other files have a note on when they can be opened. It
// leaves out voice messages, of which the message says what there is to say.
func (o *Opener) Texts(ctx context.Context, m chat.Message) chat.Opened {
	var b budget
	var items []*item
	for _, file := range m.Files() {
		it := b.item(0, file)
		if later := elsewhereOnly[it.kind]; later != "" {
			it.note = later
		}
		if it.kind != isVoice {
			items = append(items, it)
		}
	}
	return o.openAll(ctx, items, 1)[0]
}

// elsewhereOnly says when files are opened that Texts does not open.
var elsewhereOnly = map[kind]string{
	isPicture: "a picture; you see it only if you are asked in a reply to that message",
	isPaper:   "a PDF; you can read it only if it comes with a message to you",
}

// openAll opens files. The result has an element for each message.
func (o *Opener) openAll(ctx context.Context, items []*item, messages int) []chat.Opened {
	fetching, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	var wg sync.WaitGroup
	for _, it := range items {
		if it.note == "" {
			wg.Go(func() { o.open(fetching, it); o.transcribe(ctx, it) })
		}
	}
	wg.Wait()
	all := make([]chat.Opened, messages)
	for _, it := range items {
		it.addTo(&all[it.message])
	}
	return all
}

// An item is a file and the result of opening it.
type item struct {
	message int // index of its message
	file    chat.Attachment
	kind    kind
	most    int           // bytes to read at most
	quoted  bool          // it belongs to the replied-to message
	said    *chat.Message // its message; nil for pictures of the replied-to one, and for what is looked up

	picture *chat.Picture
	text    *chat.Document
	paper   *chat.Paper
	sound   []byte // of a voice message that was not transcribed yet
	spoken  string
	note    string // for the model, without the file's name
}

// plan decides which files are opened, and how many bytes are read of each, by the sizes
// that Discord states. These are enforced when the files are fetched.
func plan(said []chat.Message, hears bool) []*item {
	var b budget
	var items []*item
	for i, m := range said {
		if m.Answers == nil || !b.first(m.Answers.ID, said) {
			continue
		}
		for _, file := range m.Answers.Files() {
			if kindOf(file) == isPicture {
				it := b.item(i, file)
				it.quoted = true
				items = append(items, it)
			}
		}
	}
	for i, m := range said {
		for _, file := range m.Files() {
			if file.Spoken == 0 || hears && m.Forwards == nil { // of other voice messages, the message says what there is to say
				it := b.item(i, file)
				it.said = &said[i]
				items = append(items, it)
			}
		}
	}
	return items
}

// A budget is the total planned so far.
type budget struct {
	answered               []chat.MessageID
	pictures               int
	pictureBytes, textData int
	paperBytes             int
}

// first reports whether the pictures of a replied-to message still have to be opened:
// not if two messages reply to it, or if it is one of said itself.
func (b *budget) first(answered chat.MessageID, said []chat.Message) bool {
	if slices.Contains(b.answered, answered) || slices.ContainsFunc(said, func(m chat.Message) bool { return m.ID == answered }) {
		return false
	}
	b.answered = append(b.answered, answered)
	return true
}

func (b *budget) item(message int, file chat.Attachment) *item {
	it := &item{message: message, file: file, kind: kindOf(file)}
	if file.Spoken > 0 {
		it.kind = isVoice
	}
	switch {
	case it.kind == isOther:
		it.note = "this kind of file cannot be read"
	case file.Size <= 0:
		it.note = "the file is empty"
	case it.kind == isText:
		b.takeText(it)
	case it.kind == isPaper:
		b.takePaper(it)
	case it.kind == isVoice && file.Size > maxVoiceBytes:
		it.note = "the voice message is too long to be transcribed"
	case it.kind == isVoice:
		it.most = file.Size
	default:
		b.takePicture(it)
	}
	return it
}

func (b *budget) takePaper(it *item) {
	if b.paperBytes+it.file.Size > maxPaperBytes {
		it.note = fmt.Sprintf("left out, since all PDFs together may have %d MB", maxPaperBytes>>20)
		return
	}
	it.most = it.file.Size
	b.paperBytes += it.most
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

// open fetches and decodes a file. A panic in a decoder costs only this file.
func (o *Opener) open(ctx context.Context, it *item) {
	defer func() {
		if v := recover(); v != nil {
			o.log.ErrorContext(ctx, "cannot open attachment: panic", "err", fmt.Sprintf("%v\n%s", v, debug.Stack()))
			it.picture, it.text, it.paper, it.sound, it.note = nil, nil, nil, nil, "could not be opened"
		}
	}()
	data, err := o.fetch(ctx, it)
	switch {
	case err != nil:
		o.log.DebugContext(ctx, "cannot fetch attachment", "err", err)
		it.note = noteOf(err)
	case it.kind == isText:
		it.read(data)
	case it.kind == isVoice:
		it.sound = data
	case it.kind == isPaper && !bytes.HasPrefix(data, []byte("%PDF-")):
		it.note = "not a PDF, though it is called one"
	case it.kind == isPaper:
		it.paper = &chat.Paper{Name: it.name(), Type: "application/pdf", Data: data}
	default:
		look(ctx, it, data)
	}
}

// transcribe writes down what is said in a voice message that was fetched.
func (o *Opener) transcribe(ctx context.Context, it *item) {
	if it.sound == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hearTime)
	defer cancel()
	text, err := o.hear(ctx, *it.said, it.file, it.sound)
	it.sound = nil
	if err != nil {
		o.log.WarnContext(ctx, "cannot transcribe a voice message", "err", err)
		it.note = "the voice message could not be transcribed, so you cannot know what it says"
		return
	}
	it.spoken = text
}

// addTo adds the result of a file to that of its message.
func (it *item) addTo(e *chat.Opened) {
	if it.picture != nil {
		it.picture.Answered = it.quoted
		e.Pictures = append(e.Pictures, *it.picture)
	}
	if it.text != nil {
		e.Texts = append(e.Texts, *it.text)
	}
	if it.paper != nil {
		e.Papers = append(e.Papers, *it.paper)
	}
	if it.spoken != "" {
		e.Spoken = strings.TrimSpace(e.Spoken + "\n" + it.spoken)
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
