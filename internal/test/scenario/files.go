package scenario

import (
	"path"
	"strconv"
	"strings"

	"discoclaw/internal/fakediscord"
)

// smallPicture is a PNG of one pixel.
const smallPicture = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\b\x06\x00\x00\x00\x1f\x15\xc4\x89" +
	"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"

// attaching are attachments of a message, and other things that come with it.
func (p *People) attaching(names string) []fakediscord.SayOption {
	var with []fakediscord.SayOption
	for name := range strings.SplitSeq(names, ", ") {
		if name == "" {
			continue
		}
		if kind, rest, ok := strings.Cut(name, " "); ok {
			with = append(with, extra(kind, rest))
			continue
		}
		data, kind := "what is in "+name, "text/plain; charset=utf-8"
		switch path.Ext(name) {
		case ".png":
			data, kind = smallPicture, "image/png"
		case ".zip":
			kind = "application/zip"
		}
		if section, ok := p.files[name]; ok {
			data = section
		}
		with = append(with, fakediscord.Attaching(name, kind, []byte(data)))
	}
	return with
}

// extra is something in a message that is neither text nor a file.
func extra(kind, what string) fakediscord.SayOption {
	parts := strings.Split(what, " / ")
	switch kind {
	case "sticker":
		return fakediscord.WithSticker(what)
	case "poll":
		return fakediscord.WithPoll(parts[0], parts[1:]...)
	case "embed":
		return fakediscord.WithEmbed(fakediscord.Embed{Title: parts[0], Description: strings.Join(parts[1:], "\n")})
	case "voice":
		seconds, _ := strconv.Atoi(what)
		return fakediscord.Speaking(seconds)
	case "button":
		button := fakediscord.Component{Type: fakediscord.Button, Style: 1, Label: what, CustomID: "x"}
		return fakediscord.WithComponents(fakediscord.Component{Type: fakediscord.ActionRow, Components: []fakediscord.Component{button}})
	}
	return fakediscord.WithComponents(fakediscord.Component{Type: fakediscord.TextDisplay, Content: what})
}
