package fakediscord_test

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"
)

// TestAPictureHasItsSize, and other files have none.
func TestAPictureHasItsSize(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	for name, encode := range map[string]func(io.Writer, image.Image) error{
		"a.png": png.Encode,
		"a.jpg": func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) },
		"a.gif": func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) },
		"a.txt": func(w io.Writer, _ image.Image) error { _, err := w.Write([]byte("text")); return err },
	} {
		var data bytes.Buffer
		if err := encode(&data, image.NewRGBA(image.Rect(0, 0, 30, 20))); err != nil {
			t.Fatal(err)
		}
		kind, body := form(t, `{}`, name, data.String())
		sent := r.sendRaw("POST", r.in("#a", "/messages"), kind, bytes.NewReader(body)).want(200, 0)
		got := sent["attachments"].([]any)[0].(map[string]any)
		var width, height any = 30.0, 20.0
		if name == "a.txt" {
			width, height = nil, nil
		}
		if got["width"] != width || got["height"] != height {
			t.Errorf("%s: %v by %v", name, got["width"], got["height"])
		}
	}
}

// TestASpoilerIsMarked, whether its name says that it is one or a field does.
func TestASpoilerIsMarked(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	for _, tt := range []struct {
		payload, name, want string
		flags               float64
	}{
		{`{}`, "end.txt", "end.txt", 0},
		{`{}`, "SPOILER_end.txt", "SPOILER_end.txt", 8},
		{`{"attachments":[{"id":"0","is_spoiler":true}]}`, "end.txt", "SPOILER_end.txt", 8},
		{`{"attachments":[{"id":0,"filename":"SPOILER_x.txt","is_spoiler":true}]}`, "end.txt", "SPOILER_x.txt", 8},
	} {
		kind, body := form(t, tt.payload, tt.name, "everybody dies")
		got := r.sendRaw("POST", r.in("#a", "/messages"), kind, bytes.NewReader(body)).want(200, 0)["attachments"].([]any)[0].(map[string]any)
		if flags, _ := got["flags"].(float64); got["filename"] != tt.want || flags != tt.flags {
			t.Errorf("%s %s: %v", tt.payload, tt.name, got)
		}
	}
}
