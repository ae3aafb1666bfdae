// Package workspace reads the texts that operators keep for the bot: who it is, whom it
// serves, and the context of each channel.
//
// Two folders hold them. The workspace has the persona ([Workspace.Persona]) and
// notes ([Workspace.Notes]). The content folder has a file for
// each channel ([Workspace.Context]), and an index of these. [Workspace.Scaffold] makes
// missing files and never changes existing ones.
//
// All of it is plain Markdown that can be edited while the bot runs. A comment in it,
// <!-- like this -->, is not part of the prompt, so a file with nothing else costs nothing.
// No name, and no link, leads out of the two folders.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/disk/atomicfile"
)

// Options configure a Workspace.
type Options struct {
	Folder  string // the workspace
	Content string // the content folder
	// AutoIndex gives a new channel a file, and a row in the index.
	AutoIndex bool
	// Require makes turns fail in a channel without a file.
	Require bool
	Zone    string // the time zone for the scaffold
	Log     *slog.Logger
}

// A Workspace reads the texts. It is safe for concurrent use.
type Workspace struct {
	Options
	texts   reader // of the workspace
	content reader

	indexing sync.Mutex // also held while the index, or a file that it names, is written
	index    index      // as last read
}

// New returns a workspace. It opens nothing.
func New(o Options) *Workspace {
	return &Workspace{
		Options: o,
		texts:   reader{folder: o.Folder, log: o.Log},
		content: reader{folder: o.Content, log: o.Log},
	}
}

// The documents of the workspace. The last one is for the people who run the bot.
const (
	soul     = "SOUL.md"
	identity = "IDENTITY.md"
	user     = "USER.md"
	agents   = "AGENTS.md"
	tools    = "TOOLS.md"
	memory   = "MEMORY.md"
)

// logs is the folder of the daily logs, named after the day.
const logs = "memory"

// Documents are the names of all that the bot itself makes or reads in the workspace. Private are those of them that
// are for the people who run it.
func Documents() (all, private []string) {
	return []string{soul, identity, user, agents, tools, memory, logs}, []string{memory, logs}
}

// Persona returns the documents about the bot and its users. An unreadable document becomes
// a note: half a persona is better than none, but should not pass for the whole.
func (w *Workspace) Persona(ctx context.Context) ([]chat.Document, error) {
	return w.texts.documents(ctx, soul, identity, user, agents, tools), nil
}

// Context returns the documents of a channel or, for a thread, of its parent, which has the
// given name. An error is for the requester: it says what is missing and names the remedy.
func (w *Workspace) Context(ctx context.Context, at chat.Place, name string) ([]chat.Document, error) {
	if at.Guild == "" {
		return w.required(ctx, dm, w.ensure(dm))
	}
	ch := at.Channel
	if at.Parent != "" {
		ch = at.Parent
	}
	file, err := w.fileOf(ch, name)
	return w.required(ctx, file, err)
}

// Notes returns the bot's memory, and the logs of a day and the one before. They may be private to the people who run the bot.
func (w *Workspace) Notes(ctx context.Context, day time.Time) []chat.Document {
	return w.texts.documents(ctx, memory, dailyLog(day), dailyLog(day.AddDate(0, 0, -1)))
}

func dailyLog(day time.Time) string { return logs + "/" + day.Format(time.DateOnly) + ".md" }

// errNoFile means that a channel has no context file.
var errNoFile = chat.WithRemedy(errors.New("I'm not set up for this channel yet, and only the people who run me can change that"),
	"this channel has no context file: name one in "+indexFile+" of the content folder, "+
		"set DISCORD_AUTO_INDEX_CHANNEL_CONTEXT=1 to have one made, or DISCORD_REQUIRE_CHANNEL_CONTEXT=0 to go without")

// required reads a context file. A missing one is an error only if the settings require it.
func (w *Workspace) required(ctx context.Context, file string, err error) ([]chat.Document, error) {
	if err == nil {
		var doc chat.Document
		if doc, err = w.content.document(ctx, channelsFolder+"/"+file); err == nil {
			doc.Name = file
			return some(doc), nil
		}
		if isMissing(err) {
			err = errNoFile
		}
	}
	if atomicfile.IsFull(err) { // a file that is still to be made is empty
		w.Log.WarnContext(ctx, "cannot make the channel context, the disk is full", "err", err)
		return nil, nil
	}
	if w.Require {
		return nil, w.worded(ctx, file, err)
	}
	if !errors.Is(err, errNoFile) {
		w.Log.WarnContext(ctx, "cannot read the channel context", "err", err)
	}
	return nil, nil
}

// worded is an error for the requester. Its details, which name folders of this machine, are
// logged.
func (w *Workspace) worded(ctx context.Context, file string, err error) error {
	if errors.Is(err, errNoFile) {
		return errNoFile
	}
	w.Log.ErrorContext(ctx, "cannot read the channel context", "err", err)
	what := "the context file of this channel cannot be made"
	if file != "" {
		what = fmt.Sprintf("the context file %s of this channel cannot be read", file)
	}
	return chat.WithRemedy(errors.New("I can't read what the people who run me wrote down about this channel"),
		what+": my log says why, and DISCORD_REQUIRE_CHANNEL_CONTEXT=0 goes without")
}

// some leaves out an empty document.
func some(doc chat.Document) []chat.Document {
	if doc.Text == "" {
		return nil
	}
	return []chat.Document{doc}
}

var nameLine = regexp.MustCompile(`(?im)^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__)?name(?:\*\*|__)?[ \t]*:(.*)$`)

// maxNameLength is Discord's limit of a nickname.
const maxNameLength = 32

// Name is the bot's name, from the line "Name: …" of its identity. It may be empty.
func (w *Workspace) Name() string {
	doc, err := w.texts.document(context.Background(), identity)
	if err != nil {
		return "" // the persona has a note on it
	}
	m := nameLine.FindStringSubmatch(doc.Text)
	if m == nil {
		return ""
	}
	name := []rune(chat.OneLine(strings.Trim(m[1], " \t*_`\"")))
	return strings.TrimSpace(string(name[:min(len(name), maxNameLength)]))
}
