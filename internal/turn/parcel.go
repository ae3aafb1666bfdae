package turn

import (
	"context"
	"errors"

	"discoclaw/internal/chat"
	"discoclaw/internal/render"
)

// A parcel is an answer as it is sent.
type parcel struct {
	text    string
	notices []string
	chunks  []string
	files   []file // with the last chunk; code before pictures
}

func newParcel(text string, notices []string, pictures []file) parcel {
	p := parcel{text: text, notices: notices}
	p.chunks, p.files = compose(text, notices)
	p.files = append(p.files, pictures...)
	return p
}

const noPictures = "⚠️ Discord did not take the pictures that belong here. Check that the bot has “Attach Files” in this channel, and that they are not too large for the server."

// missing says that there should be pictures, if there should.
func (p parcel) missing() []string {
	for _, f := range p.files {
		if f.text == "" {
			return []string{noPictures}
		}
	}
	return nil
}

// postWithoutFiles delivers what is left of a parcel that failed: the bot may not be
// allowed to attach files. A flood is better than silence.
func (r *running) postWithoutFiles(ctx context.Context, reply Reply, p parcel, got chat.Receipt, failure error) (chat.Receipt, error) {
	if len(got.Messages) == 0 {
		return reply.Finish(ctx, split(p.text, append(p.notices, p.missing()...)))
	}
	// What may have arrived all the same is not sent again.
	if refused := (interface{ Permanent() bool })(nil); !errors.As(failure, &refused) || !refused.Permanent() {
		return got, failure
	}
	more, err := r.Venue.Open(ctx, r.key+"/without-files", followingUp)
	if err != nil {
		return got, errors.Join(failure, err)
	}
	receipt, err := more.Finish(ctx, p.rest(len(got.Messages)))
	got.Messages = append(got.Messages, receipt.Messages...)
	return got, err
}

// rest is what is still to be said after some messages have arrived.
func (p parcel) rest(arrived int) []string {
	var chunks []string
	if arrived < max(1, len(p.chunks)) { // the message with the code is not among them
		chunks = append(chunks, p.chunks[arrived:]...)
		for _, f := range p.files {
			chunks = append(chunks, render.Chunks(f.text)...)
		}
	}
	return append(chunks, p.missing()...)
}
