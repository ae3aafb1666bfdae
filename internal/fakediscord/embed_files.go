package fakediscord

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// fileScheme begins the address of a picture in an embed that comes with the message.
// https://discord.com/developers/docs/reference#editing-message-attachments-using-attachments-within-embeds
const fileScheme = "attachment://"

func (w *World) attachmentAddress(in chat.ChannelID, a Attachment) string {
	return fmt.Sprintf("%s/attachments/%s/%s/%s", w.base, in, a.ID, url.PathEscape(a.Name))
}

// embedsJSON are embeds with the addresses of the files that they show.
func (w *World) embedsJSON(in chat.ChannelID, all []Embed, files []Attachment) []Embed {
	address := func(picture string) string {
		i := slices.IndexFunc(files, func(a Attachment) bool { return fileScheme+a.Name == picture })
		if i < 0 {
			return picture
		}
		return w.attachmentAddress(in, files[i])
	}
	out := []Embed{}
	for _, e := range all {
		e.Type = "rich"
		out = append(out, e.withPictures(address))
	}
	return out
}

// loose are the files that no embed shows. Discord lists only those as attachments.
func loose(files []Attachment, embeds []Embed) []Attachment {
	var shown []string
	for _, e := range embeds {
		e.withPictures(func(picture string) string {
			shown = append(shown, strings.TrimPrefix(picture, fileScheme))
			return picture
		})
	}
	return slices.DeleteFunc(slices.Clone(files), func(a Attachment) bool { return slices.Contains(shown, a.Name) })
}

// withPictures is the embed with other addresses of its pictures.
func (e Embed) withPictures(address func(string) string) Embed {
	for _, image := range []**EmbedImage{&e.Image, &e.Thumbnail} {
		if *image != nil {
			*image = &EmbedImage{URL: address((*image).URL)}
		}
	}
	if e.Footer != nil {
		footer := *e.Footer
		footer.IconURL = address(footer.IconURL)
		e.Footer = &footer
	}
	if e.Author != nil {
		author := *e.Author
		author.IconURL = address(author.IconURL)
		e.Author = &author
	}
	return e
}
