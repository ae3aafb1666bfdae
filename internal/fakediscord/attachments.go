package fakediscord

import (
	"bytes"
	"image"
	_ "image/gif"  // the formats of
	_ "image/jpeg" // pictures whose
	_ "image/png"  // size is known
	"net/http"
	"strings"

	"discoclaw/internal/chat"
)

// spoilerPrefix begins the name of a file that is shown only on a click, and attachmentSpoiler is its flag.
// https://discord.com/developers/docs/resources/message#attachment-object
const (
	spoilerPrefix     = "SPOILER_"
	attachmentSpoiler = 1 << 3
)

func (a Attachment) isSpoiler() bool { return strings.HasPrefix(a.Name, spoilerPrefix) }

// size is that of a picture, in one of the formats that the standard library reads.
func (a Attachment) size() (width, height int, isPicture bool) {
	c, _, err := image.DecodeConfig(bytes.NewReader(a.Data))
	return c.Width, c.Height, err == nil
}

// AttachmentRoute names the file server in faults.
const AttachmentRoute = "GET /attachments/{channel}/{attachment}/{name}"

// serveAttachment serves /attachments/{channel}/{attachment}/{name}. Like
// Discord's file server it asks for no token.
func (w *World) serveAttachment(rw http.ResponseWriter, r *http.Request) {
	if fault := w.attachmentFault(); fault != nil {
		if fault.Kind == Hang {
			select {
			case <-r.Context().Done():
			case <-w.closed:
			}
		}
		fault.answer().write(rw)
		return
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/attachments/"), "/")
	a, found := Attachment{}, false
	if len(parts) == 3 {
		a, found = w.attachment(chat.ChannelID(parts[0]), parts[1])
	}
	if !found {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Content-Type", a.Type)
	_, _ = rw.Write(a.Data) // the client may be gone
}

func (w *World) attachmentFault() *Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.takeFault(AttachmentRoute)
}

func (w *World) attachment(channel chat.ChannelID, id string) (Attachment, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.history[channel] {
		for _, a := range w.messages[m].Attachments {
			if a.ID == id {
				return a, true
			}
		}
	}
	return Attachment{}, false
}
