package messaging

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// A SendFile posts a file of the machine that the bot runs on.
type SendFile struct {
	Channel  chat.ChannelRef `json:"channel" alias:"channelId" doc:"Channel name or ID, the current one too."`
	FilePath string          `json:"filePath" alias:"path,file" doc:"Path in the workspace or the outbox."`
	Content  string          `json:"content,omitempty" doc:"Text to send with it." max:"2000"`
	Kind     string          `json:"kind,omitempty" rare:"audio,recording" doc:"What it is, if its name does not say so." enum:"image,file,audio"`
	Cleanup  bool            `json:"cleanup,omitempty" rare:"clean up,cleanup,outbox" doc:"Delete the file after it was sent, if it is in the outbox."`
}

func (in SendFile) place() chat.ChannelRef { return in.Channel }

func (c *Category) sendFile() *actions.Action {
	return define(c, actions.Spec[SendFile]{
		Name:    "sendFile",
		Aliases: []string{"SEND_ATTACHMENT", "UPLOAD_FILE", "ATTACH_FILE", "SHARE_FILE"},
		Rare:    true, ExplainWhen: []string{"file", "datei", "fichier", "archivo", "document", "upload", "attach", "workspace", "outbox", "pdf", "csv", "picture", "image"},
		Summary:   "Send a file from the workspace or the outbox to a channel.",
		Sentence:  "Post the file {filePath} in {channel}[, shown as {kind}][, with the text {content:text}][, {cleanup?and delete it afterwards}]",
		Notes:     []string{"Documents, images, audio, video, text and archives, up to the server's upload limit; no hidden files."},
		Needs:     []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.AttachFiles},
		MayNeed:   actions.ForEmoji,
		Quiet:     true, // the file is visible
		Examples:  []SendFile{{Channel: "general", FilePath: "reports/may.pdf"}},
		AlsoNeeds: emoji(c, func(in SendFile) string { return in.Content }),
		Do:        c.doSendFile,
	})
}

func (c *Category) doSendFile(ctx context.Context, call actions.Call, in SendFile) (actions.Result, error) {
	doc, err := folders(c.Roots).open(in.FilePath, c.MaxSize(call.Origin.Place.Guild))
	if err != nil {
		return actions.Result{}, err
	}
	defer doc.Close()
	if err := c.checkSecret(doc); err != nil {
		return actions.Result{}, err
	}
	ch, err := c.textChannel(ctx, call, in.Channel)
	if err != nil {
		return actions.Result{}, err
	}
	id, err := c.send(ctx, call, ch, chat.Outgoing{
		Text: in.Content,
		Files: []chat.File{{Name: doc.name, Type: mediaType(in.Kind, doc.name),
			Open: func() (io.ReadCloser, error) { return doc.content(), nil }}},
	})
	if err != nil {
		return actions.Result{}, err
	}
	what := "the file " + chat.Literal(doc.name)
	done := "sent " + link(what, ch, id) + " to " + ch.ID.Mention()
	if in.Cleanup && c.cleanUp(ctx, doc) {
		done += ", and deleted it here"
	}
	return actions.Result{Summary: done, Undo: actions.TakeBack(what, placed(ch, id))}, nil
}

// mediaTypes are those of files that can be of the kind, by their endings. Some are taken for videos or documents by their names.
var mediaTypes = map[string]map[string]string{
	"audio": {
		"mp3": "audio/mpeg", "wav": "audio/wav", "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac",
		"m4a": "audio/mp4", "mp4": "audio/mp4", "aac": "audio/aac", "webm": "audio/webm",
	},
	"image": {
		"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp",
		"tif": "image/tiff", "tiff": "image/tiff", "svg": "image/svg+xml", "heic": "image/heic", "avif": "image/avif",
	},
}

// mediaType is a hint for Discord. It is empty if there is none.
func mediaType(kind, name string) string {
	return mediaTypes[kind][strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))]
}

// cleanUp deletes a file that was sent, and reports whether it is gone. Only what is in the outbox was put there to be sent; elsewhere a
// file belongs to people, and stays.
func (c *Category) cleanUp(ctx context.Context, doc document) bool {
	outbox, err := filepath.EvalSymlinks(c.Outbox)
	rel, inside := below(outbox, filepath.Join(doc.folder, doc.rel))
	if err != nil || !inside {
		c.Log.InfoContext(ctx, "a file that was sent is not deleted, because it is not in the outbox")
		return false
	}
	if err := doc.removeFrom(outbox, rel); err != nil {
		c.Log.WarnContext(ctx, "cannot delete a file that was sent", "err", err)
		return false
	}
	return true
}

// removeFrom deletes the file from a folder, unless another one has its name by now.
func (d document) removeFrom(folder, rel string) error {
	dir, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer dir.Close()
	now, err := dir.Lstat(rel)
	if err != nil {
		return err
	}
	if sent, err := d.Stat(); err != nil || !os.SameFile(now, sent) {
		return errChanged
	}
	return dir.Remove(rel)
}
