package attach

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"discoclaw/internal/chat"
)

var mark = []byte("\ufeff") // the byte order mark, which some editors write

// read makes a document of the data of a text file, which may have been cut.
func (it *item) read(data []byte) {
	cut := len(data) > it.most
	if cut {
		data = wholeRunes(data[:it.most])
	}
	data = bytes.TrimPrefix(data, mark)
	switch {
	case !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0:
		it.note = "not a text in UTF-8, so it cannot be read"
		return
	case len(bytes.TrimSpace(data)) == 0:
		it.note = "the file is empty"
		return
	case cut:
		it.note = fmt.Sprintf("only the first %d KB of %d KB can be read", max(1, len(data)>>10), max(1, it.file.Size>>10))
	}
	it.text = &chat.Document{Name: it.name(), Text: string(data)}
}

// wholeRunes drops an incomplete character at the end.
func wholeRunes(data []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(data); n++ {
		if last := data[len(data)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return data[:len(data)-n]
			}
			break
		}
	}
	return data
}
