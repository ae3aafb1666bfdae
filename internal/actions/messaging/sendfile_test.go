package messaging_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/chat"
)

// TestTheKindOfAFileIsAHint: the name still decides whether it may be sent.
func TestTheKindOfAFileIsAHint(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		for _, tt := range []struct{ name, kind, want string }{
			{"note.mp4", "audio", "audio/mp4"},
			{"note.OGG", "audio", "audio/ogg"},
			{"note.bmp", "image", "image/bmp"},
			{"note.txt", "audio", "text/plain"},
			{"note.txt", "file", "text/plain"},
			{"note.txt", "", "text/plain"},
		} {
			w.write(tt.name, "x")
			w.RequirePart("ada", fmt.Sprintf(`{"type":"sendFile","channel":"ops","filePath":%q,"kind":%q}`, tt.name, tt.kind), "Done: sent ")
			m, _ := w.Message(chat.MessageID(w.latest("#ops")))
			if got := m.Attachments[0]; !strings.HasPrefix(got.Type, tt.want) || got.Name != tt.name {
				t.Errorf("%s of kind %q is sent as %s %s", tt.name, tt.kind, got.Type, got.Name)
			}
		}
		w.write("note.exe", "x")
		for _, kind := range []string{"audio", "image", "file"} {
			w.RequirePart("ada", `{"type":"sendFile","channel":"ops","filePath":"note.exe","kind":"`+kind+`"}`, "Failed: sendFile: I don't send files like `note.exe`")
		}
		w.RequirePart("ada", `{"type":"sendFile","channel":"ops","filePath":"note.txt","kind":"video"}`, "Failed: sendFile: kind: ")
	})
}

// TestWhatWasSentIsDeletedFromTheOutboxAlone, by where a file really is.
func TestWhatWasSentIsDeletedFromTheOutboxAlone(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		outbox := filepath.Join(t.TempDir(), "outbox")
		w.Must(os.MkdirAll(filepath.Join(outbox, "in"), 0o700))
		put := func(path string) { w.Must(os.WriteFile(path, []byte("x"), 0o600)) }
		mine, theirs := filepath.Join(outbox, "in", "mine.txt"), filepath.Join(w.files, "theirs.txt")
		w.Must(os.Symlink(theirs, filepath.Join(outbox, "to-theirs.txt")))
		w.Must(os.Symlink(mine, filepath.Join(w.files, "to-mine.txt")))
		var log bytes.Buffer
		w.Offer(messaging.New(w.Bot, messaging.Options{Roots: []string{w.files, outbox}, Outbox: outbox, Log: slog.New(slog.NewTextHandler(&log, nil))}))
		for _, tt := range []struct {
			name, fields string
			deleted      string
		}{
			{"in the outbox", `"filePath":"in/mine.txt","cleanup":true`, mine},
			{"in the outbox, through a link", `"filePath":"to-mine.txt","cleanup":true`, mine},
			{"without being asked to", `"filePath":"in/mine.txt"`, ""},
			{"asked not to", `"filePath":"in/mine.txt","cleanup":false`, ""},
			{"in the workspace", `"filePath":"theirs.txt","cleanup":true`, ""},
			{"in the workspace, through a link in the outbox", `"filePath":"to-theirs.txt","cleanup":true`, ""},
		} {
			put(mine)
			put(theirs)
			log.Reset()
			got := w.RequirePart("ada", `{"type":"sendFile","channel":"ops",`+tt.fields+`}`, "Done: sent ")
			for _, path := range []string{mine, theirs} {
				_, err := os.Stat(path)
				if gone := os.IsNotExist(err); gone != (path == tt.deleted) {
					t.Errorf("%s: that %s is gone is %v", tt.name, path, gone)
				}
			}
			if says := strings.HasSuffix(got, ", and deleted it here"); says != (tt.deleted != "") {
				t.Errorf("%s: %s", tt.name, got)
			}
			if ignored := strings.Contains(log.String(), "not in the outbox"); ignored != (tt.deleted == "" && strings.Contains(tt.fields, "cleanup\":true")) || strings.Contains(log.String(), "theirs") {
				t.Errorf("%s: the log has %s", tt.name, log.String())
			}
		}
	})
}

// TestAFileThatWasNotSentStays: Discord refuses it.
func TestAFileThatWasNotSentStays(t *testing.T) {
	t.Parallel()
	onServer(t, layout, func(t *testing.T, w *world) {
		path := w.write("a.txt", "x")
		w.Offer(messaging.New(w.Bot, messaging.Options{Roots: []string{w.files}, Outbox: w.files}))
		w.Must(w.Deny("#ops", "bot", chat.AttachFiles))
		w.RequirePart("ada", `{"type":"sendFile","channel":"ops","filePath":"a.txt","cleanup":true}`, "Failed: ")
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	})
}
