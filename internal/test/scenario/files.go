package scenario

import (
	"path"
	"strings"

	"discoclaw/internal/fakediscord"
)

// smallPicture is a PNG of one pixel.
const smallPicture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"

// attaching are attachments of a message.
func (st *stage) attaching(names string) []fakediscord.SayOption {
	var with []fakediscord.SayOption
	for name := range strings.SplitSeq(names, ", ") {
		if name == "" {
			continue
		}
		data, kind := "what is in "+name, "text/plain; charset=utf-8"
		switch path.Ext(name) {
		case ".png":
			data, kind = smallPicture, "image/png"
		case ".zip":
			kind = "application/zip"
		}
		if section, ok := st.files[name]; ok {
			data = section
		}
		with = append(with, fakediscord.Attaching(name, kind, []byte(data)))
	}
	return with
}
