package userapi

import (
	"bytes"
	"mime"
	"net/http"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// images are the media types that may be shown in a page: those that can only be a picture.
var images = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// attachment serves a file. Its name, content and media type are untrusted, so a browser
// must neither run it nor guess: a file that is not a picture is a download.
func (c *call) attachment(parts []string) error {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		c.w.Header().Set("Allow", "GET, HEAD")
		return refusal{http.StatusMethodNotAllowed, "files can only be read"}
	}
	if len(parts) != 3 {
		return refusal{http.StatusNotFound, "there is nothing at this address"}
	}
	a, found := c.world.Attachment(chat.ChannelID(parts[0]), parts[1])
	if !found {
		return refusal{http.StatusNotFound, "there is no such file"}
	}
	h := c.w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin") // no other page may embed it
	h.Set("Cache-Control", "private, no-cache")
	if kind, ok := picture(a.Type, a.Data); ok {
		h.Set("Content-Type", kind)
	} else {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Content-Disposition", disposition(a.Name))
	}
	http.ServeContent(c.w, c.r, "", time.Time{}, bytes.NewReader(a.Data))
	return nil
}

// picture reports whether a file is the picture that its media type claims.
func picture(said string, data []byte) (kind string, ok bool) {
	kind, _, err := mime.ParseMediaType(said)
	return kind, err == nil && slices.Contains(images, kind) && http.DetectContentType(data) == kind
}

func disposition(name string) string {
	if value := mime.FormatMediaType("attachment", map[string]string{"filename": name}); value != "" {
		return value
	}
	return "attachment"
}
