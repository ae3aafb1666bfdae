package imagegen

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/disk/atomicfile"
	studio "discoclaw/internal/imagegen"
)

// maxAlt is how much of the prompt describes the picture to those who do not see it.
const maxAlt = 1000

// A post is a message with a picture.
type post struct {
	name    string // of its file in the folder, without the ending; the same for a repeated request
	again   bool   // the request may be repeated
	caption string
	alt     string
}

func newPost(call actions.Call, order studio.Order, caption string) post {
	p := post{name: "image-" + rand.Text()[:12], caption: caption, alt: chat.Clip(order.Prompt, maxAlt)}
	if part, ok := call.IdempotencyKey(); ok {
		sum := sha256.Sum256([]byte(string(call.Origin.Turn) + "\x00" + part))
		p.name, p.again = "image-"+hex.EncodeToString(sum[:8]), true
	}
	return p
}

// A kept picture is in a file, unless path is empty.
type kept struct {
	path   string
	data   []byte
	ending string
}

// find finds the picture of an earlier attempt.
func (p post) find(folder string) (kept, bool) {
	if !p.again {
		return kept{}, false
	}
	for _, ending := range studio.Endings {
		path := filepath.Join(folder, p.name+"."+ending)
		if data, err := os.ReadFile(path); err == nil {
			return kept{path, data, ending}, true
		}
	}
	return kept{}, false
}

// keep writes a picture down before it is posted, since it is paid for.
func (p post) keep(ctx context.Context, c *Category, made studio.Picture) kept {
	k := kept{data: made.Data, ending: made.Ending, path: filepath.Join(c.Folder, p.name+"."+made.Ending)}
	err := atomicfile.WritePath(k.path, 0o600, func(w io.Writer) error {
		_, err := w.Write(made.Data)
		return err
	})
	if err != nil {
		c.Log.WarnContext(ctx, "cannot keep a picture until it is posted", "err", err)
		k.path = ""
	}
	return k
}

// post posts a picture, and drops its file then. A failed attempt is repeated once.
func (c *Category) post(ctx context.Context, call actions.Call, ch chat.Channel, p post, k kept) (chat.MessageID, error) {
	if limit := c.server.UploadLimit(ch.Guild); len(k.data) > limit {
		return "", k.unposted(fmt.Errorf("the picture has %d MB, and this server takes files of at most %d", len(k.data)>>20, limit>>20))
	}
	// The nonce is the same in both attempts: the first may have arrived though its answer was lost.
	m := chat.Outgoing{Text: p.caption, Nonce: rand.Text()[:25], Files: []chat.File{{
		Name: "image-1." + k.ending, Alt: p.alt,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(k.data)), nil },
	}}}
	id, err := c.send(ctx, call, ch.ID, m)
	if err != nil && ctx.Err() == nil && !chat.IsPermanent(err) {
		id, err = c.send(ctx, call, ch.ID, m)
	}
	if err != nil {
		return "", k.unposted(err)
	}
	if k.path != "" {
		if err := os.Remove(k.path); err != nil {
			c.Log.WarnContext(ctx, "cannot remove a picture that was posted", "err", err)
		}
	}
	return id, nil
}

func (c *Category) send(ctx context.Context, call actions.Call, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	if part, ok := call.IdempotencyKey(); ok && c.Once != nil {
		return c.Once(ctx, call.Origin.Turn, part, ch, m)
	}
	return c.server.Send(ctx, ch, m)
}

// unposted says where a picture is that could not be posted.
func (k kept) unposted(why error) error {
	if k.path == "" {
		return fmt.Errorf("the picture was made, but it is lost: %w", why)
	}
	return fmt.Errorf("the picture was made and is kept as %s in my outbox, from which I can send it: %w", chat.InCode(filepath.Base(k.path)), why)
}
