package reply

import (
	"slices"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/render"
)

// Limits of one message.
// https://discord.com/developers/docs/resources/message#create-message
const (
	maxText  = 2000
	maxFiles = 10
)

// A parcel is an answer split into messages and files.
type parcel struct {
	body   turn.Body
	chunks []string
	files  []file // with the last chunk; code before pictures
}

// A file is an attachment.
type file struct {
	chat.File
	text string // posted instead if it cannot be attached; empty for a picture
}

func pack(b turn.Body) parcel {
	b.Text = render.Tables(b.Text)
	chunks, files := compose(b.Text, b.Notices)
	for _, f := range b.Pictures {
		files = append(files, file{File: f})
	}
	return parcel{body: b, chunks: withRemark(b.Remark, chunks, len(files) > 0), files: files}
}

// Messages splits an answer. If it has too many messages, its longest code becomes files; if that
// is not enough, all of it becomes one.
func Messages(b turn.Body) []chat.Outgoing { return pack(b).messages() }

// messages returns the messages of the parcel. Files come with the last chunk, ten to a message,
// and if there are more, after it.
func (p parcel) messages() []chat.Outgoing {
	var list []chat.Outgoing
	for _, text := range p.chunks {
		list = append(list, chat.Outgoing{Text: text})
	}
	for i, group := range slices.Collect(slices.Chunk(p.files, maxFiles)) {
		if i > 0 || len(list) == 0 {
			list = append(list, chat.Outgoing{})
		}
		last := &list[len(list)-1]
		for _, f := range group {
			last.Files = append(last.Files, f.File)
		}
	}
	if len(list) > 0 {
		list[len(list)-1].Buttons = p.body.Buttons
	}
	return list
}

const noPictures = "⚠️ Discord did not take the pictures that belong here. Check that I may *Attach Files* in this channel, and that they are not too large for this server."

// missing returns a notice if the answer has pictures.
func (p parcel) missing() []string {
	if len(p.body.Pictures) == 0 {
		return nil
	}
	return []string{noPictures}
}

// withoutFiles returns the same answer as text alone.
func (p parcel) withoutFiles() parcel {
	chunks := split(p.body.Text, slices.Concat(p.body.Notices, p.missing()))
	return parcel{body: turn.Body{Buttons: p.body.Buttons}, chunks: withRemark(p.body.Remark, chunks, false)}
}

// rest returns the rest of the answer, as text alone, after some messages have arrived.
func (p parcel) rest(arrived int) parcel {
	var chunks []string
	if arrived < max(1, len(p.chunks)) { // the message with the code is not among them
		chunks = append(chunks, p.chunks[arrived:]...)
		for _, f := range p.files {
			chunks = append(chunks, render.Chunks(f.text)...)
		}
	}
	return parcel{body: turn.Body{Buttons: p.body.Buttons}, chunks: append(chunks, p.missing()...)}
}

// withRemark puts a remark above chunks, or below them if the first has no room for it: each
// chunk must keep its number when a resumed turn delivers the answer again. So must the chunk
// with the files, and then there may be no place for the remark.
func withRemark(remark string, chunks []string, files bool) []string {
	if remark == "" || len(chunks) == 0 {
		return chunks
	}
	if with := remark + "\n" + chunks[0]; chat.Length(with) <= maxText {
		return append([]string{with}, chunks[1:]...)
	}
	if files {
		return chunks
	}
	return append(slices.Clone(chunks), remark)
}
