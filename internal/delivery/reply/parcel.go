package reply

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/turn"
	"discoclaw/internal/turn/render"
)

// Limits of one message.
// https://discord.com/developers/docs/resources/message#create-message
const (
	maxText  = 2000
	maxFiles = 10
)

// A parcel is an answer split into messages and files.
type parcel struct {
	body   turn.Body
	chunks []string
	files  []file // with the last chunk; code before pictures
}

// A file is an attachment.
type file struct {
	chat.File
	text string // posted instead if it cannot be attached; empty for a picture
}

func pack(b turn.Body) parcel {
	b.Text = render.Tables(b.Text)
	chunks, files := compose(b.Text, b.Notices)
	for _, f := range b.Pictures {
		files = append(files, file{File: f})
	}
	return parcel{body: b, chunks: withRemark(b.Remark, chunks, len(files) > 0), files: files}
}

// Messages splits an answer. If it has too many messages, its longest code becomes files; if that
// is not enough, all of it becomes one.
func Messages(b turn.Body) []chat.Outgoing { return pack(b).messages() }

// messages returns the messages of the parcel. Files come with the last chunk, ten to a message,
// and if there are more, after it.
func (p parcel) messages() []chat.Outgoing {
	var list []chat.Outgoing
	for _, text := range p.chunks {
		list = append(list, chat.Outgoing{Text: text})
	}
	for i, group := range slices.Collect(slices.Chunk(p.files, maxFiles)) {
		if i > 0 || len(list) == 0 {
			list = append(list, chat.Outgoing{})
		}
		last := &list[len(list)-1]
		for _, f := range group {
			last.Files = append(last.Files, f.File)
		}
	}
	if len(list) > 0 {
		list[len(list)-1].Buttons = p.body.Buttons
	}
	return list
}

const noPictures = "⚠️ Discord did not take the pictures that belong here. Check that I may *Attach Files* in this channel, and that they are not too large for this server."

// missing returns a notice if the answer has pictures.
func (p parcel) missing() []string {
	if len(p.body.Pictures) == 0 {
		return nil
	}
	return []string{noPictures}
}

// withoutFiles returns the same answer as text alone.
func (p parcel) withoutFiles() parcel {
	chunks := split(p.body.Text, slices.Concat(p.body.Notices, p.missing()))
	return parcel{body: turn.Body{Buttons: p.body.Buttons}, chunks: withRemark(p.body.Remark, chunks, false)}
}

// rest returns the rest of the answer, as text alone, after some messages have arrived.
func (p parcel) rest(arrived int) parcel {
	var chunks []string
	if arrived < max(1, len(p.chunks)) { // the message with the code is not among them
		chunks = append(chunks, p.chunks[arrived:]...)
		for _, f := range p.files {
			chunks = append(chunks, render.Chunks(f.text)...)
		}
	}
	return parcel{body: turn.Body{Buttons: p.body.Buttons}, chunks: append(chunks, p.missing()...)}
}

// withRemark puts a remark above chunks, or below them if the first has no room for it: each
// chunk must keep its number when a resumed turn delivers the answer again. So must the chunk
// with the files, and then there may be no place for the remark.
func withRemark(remark string, chunks []string, files bool) []string {
	if remark == "" || len(chunks) == 0 {
		return chunks
	}
	if with := remark + "\n" + chunks[0]; chat.Length(with) <= maxText {
		return append([]string{with}, chunks[1:]...)
	}
	if files {
		return chunks
	}
	return append(slices.Clone(chunks), remark)
}

const (
	// maxChunks is how many messages an answer may have before a part of it is sent as
	// a file.
	maxChunks = 5
	// maxCodeFiles is how many files the code of an answer may have. They all come
	// with the last chunk.
	maxCodeFiles = 9
)

// textFile returns a file with this content, and the text to post if it cannot be attached.
func textFile(name, data, instead string) file {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(data)), nil }
	return file{chat.File{Name: name, Open: open}, instead}
}

func compose(text string, notices []string) ([]string, []file) {
	chunks := split(text, notices)
	if len(chunks) <= maxChunks {
		return chunks, nil
	}
	if chunks, files := withCodeAsFiles(text, notices); files != nil {
		return chunks, files
	}
	attached := fmt.Sprintf("(The whole answer has %d characters; it is attached.)", chat.Length(text))
	beginning := render.Chunks(chat.Clip(text, 1000))[0]
	short := split(beginning, append([]string{attached}, notices...))
	return short, []file{textFile("answer.md", text, text)}
}

func split(text string, notices []string) []string {
	return render.Chunks(render.Report(text, nil, notices))
}

// withCodeAsFiles moves blocks of code into files, the longest first, until the rest of the
// text is short enough. If it never is, it returns no files.
func withCodeAsFiles(text string, notices []string) ([]string, []file) {
	text = render.Report(text, nil, nil) // with uniform line ends
	blocks := render.Blocks(text)
	longest := slices.Clone(blocks)
	order.By(longest, func(a, b render.Block) int { return len(b.Code) - len(a.Code) })
	longest = longest[:min(len(longest), maxCodeFiles)]
	for n := range longest {
		taken := slices.Clone(longest[:n+1])
		order.By(taken, func(a, b render.Block) int { return a.From - b.From })
		rest, files := takeOut(text, taken)
		if chunks := split(rest, notices); len(chunks) <= maxChunks {
			return chunks, files
		}
	}
	return nil, nil
}

// takeOut replaces each block with a line that names its file.
func takeOut(text string, blocks []render.Block) (string, []file) {
	var rest strings.Builder
	var files []file
	at := 0
	for _, b := range blocks {
		language, known := extension(b.Info)
		name := fmt.Sprintf("code-%d.%s", len(files)+1, language)
		line := fmt.Sprintf("📎 `%s` (%s)", name, lines(b.Code))
		if !known {
			line += " " + chat.InCode(b.Info)
		}
		rest.WriteString(text[at:b.From] + line)
		if strings.HasSuffix(text[b.From:b.To], "\n") {
			rest.WriteByte('\n')
		}
		files = append(files, textFile(name, b.Code, "`"+name+"`\n"+text[b.From:b.To]))
		at = b.To
	}
	return rest.String() + text[at:], files
}

func lines(code string) string {
	n := strings.Count(strings.TrimSuffix(code, "\n"), "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// extension returns the file name extension for an info string. It is false if the info string
// has more than a language, or an unknown one.
func extension(info string) (string, bool) {
	language := strings.ToLower(info)
	if word, _, more := strings.Cut(language, " "); more {
		known, _ := extension(word)
		return known, false
	}
	for ending, names := range languages {
		if language == ending || slices.Contains(strings.Fields(names), language) {
			return ending, true
		}
	}
	return "txt", language == ""
}

// languages are the names of languages, by file name extension.
var languages = map[string]string{
	"txt": "text plain plaintext", "md": "markdown", "go": "golang", "py": "python python3 py3", "js": "javascript node mjs", "ts": "typescript", "jsx": "", "tsx": "",
	"json": "jsonc json5", "yaml": "yml", "toml": "", "ini": "cfg conf", "xml": "", "html": "htm", "css": "", "scss": "sass", "svg": "", "csv": "", "tsv": "", "log": "",
	"sh": "bash shell zsh console terminal sh-session", "ps1": "powershell pwsh", "bat": "cmd batch", "sql": "mysql postgresql sqlite plsql",
	"c": "", "h": "", "cpp": "c++ cc cxx", "hpp": "", "cs": "csharp c#", "java": "", "kt": "kotlin", "swift": "", "m": "objc objective-c", "scala": "", "groovy": "gradle",
	"rs": "rust", "rb": "ruby", "php": "", "pl": "perl", "lua": "", "r": "", "jl": "julia", "dart": "", "hs": "haskell", "ex": "elixir", "erl": "erlang", "clj": "clojure",
	"ml": "ocaml", "fs": "fsharp f#", "nim": "", "zig": "", "vue": "", "svelte": "", "tex": "latex", "diff": "patch", "proto": "protobuf", "graphql": "gql",
	"dockerfile": "docker", "mk": "makefile make", "tf": "terraform hcl", "nix": "", "vim": "viml", "asm": "nasm assembly", "sol": "solidity",
}
