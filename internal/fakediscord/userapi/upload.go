package userapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"strings"
	"unicode"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// Limits of a message with files.
// https://discord.com/developers/docs/reference#uploading-files
const (
	maxUpload = 25 << 20
	maxFiles  = 10
)

// written reads a message: JSON, or a form with the JSON in the part payload and
// the files in parts called files.
func (c *call) written() (written, []fakediscord.SayOption, error) {
	var in written
	kind, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type")) // an invalid type is not a form
	if kind != "multipart/form-data" {
		return in, nil, c.decode(&in)
	}
	form := multipart.NewReader(http.MaxBytesReader(c.w, c.r.Body, maxUpload), params["boundary"])
	var files []fakediscord.SayOption
	for {
		part, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return in, files, nil
		case err != nil:
			return in, nil, unread(err, maxUpload)
		case part.FormName() == "payload":
			err = readPayload(part, &in)
		case part.FormName() == "files" && len(files) == maxFiles:
			err = refusal{http.StatusBadRequest, fmt.Sprintf("a message takes %d files at most", maxFiles)}
		case part.FormName() == "files":
			files, err = readFile(part, files)
		default:
			err = refusal{http.StatusBadRequest, fmt.Sprintf("the form has a part %q; there are payload and files", chat.Clip(part.FormName(), 40))}
		}
		if err != nil {
			return in, nil, err
		}
	}
}

func readPayload(part *multipart.Part, in *written) error {
	data, err := io.ReadAll(io.LimitReader(part, maxBody+1))
	if err != nil {
		return unread(err, maxUpload)
	}
	if len(data) > maxBody {
		return refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("the payload is larger than %d KiB", maxBody>>10)}
	}
	return decode(data, in)
}

func readFile(part *multipart.Part, files []fakediscord.SayOption) ([]fakediscord.SayOption, error) {
	data, err := io.ReadAll(part)
	if err != nil {
		return nil, unread(err, maxUpload)
	}
	name := cleanName(part.FileName())
	return append(files, fakediscord.Attaching(name, mediaType(part.Header.Get("Content-Type"), name), data)), nil
}

// maxFileName is longer than file systems allow.
const maxFileName = 120

// cleanName is a file's name as Discord would keep it: no path, and only letters, digits,
// points, dashes and underscores.
func cleanName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(".-_", r) {
			return r
		}
		return '_'
	}, name)
	name = strings.TrimLeft(name, ".")
	if runes := []rune(name); len(runes) > maxFileName {
		name = string(runes[len(runes)-maxFileName:]) // the extension stays
	}
	if name == "" {
		return "file"
	}
	return name
}

// mediaType is the declared type of a file, or that of its name.
func mediaType(said, name string) string {
	if kind, params, err := mime.ParseMediaType(said); err == nil && kind != "application/octet-stream" {
		if clean := mime.FormatMediaType(kind, params); clean != "" {
			return clean
		}
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}
