package reply

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/order"
	"discoclaw/internal/turn/render"
)

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
