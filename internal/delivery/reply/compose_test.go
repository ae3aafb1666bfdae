package reply_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/turn"
)

const missing = "⚠️ Discord did not take the pictures that belong here. Check that I may *Attach Files* in this channel, and that they are not too large for this server."

// TestTextArrivesWithoutFiles: Discord refuses the message with the files.
func TestTextArrivesWithoutFiles(t *testing.T) {
	t.Parallel()
	refused := fakediscord.Fault{Kind: fakediscord.BadStatus, Status: 403, Times: 1}
	for _, tt := range []struct {
		name, text, route string
		fault             fakediscord.Fault
		want              []string
		delivered         int
		fails             bool
	}{
		{"pictures alone", "", patchMessage, refused, []string{missing}, 1, false},
		{"text and pictures", "Look:", patchMessage, refused, []string{"Look:\n\n" + missing}, 1, false},
		{"text and pictures, with a remark", "-# Late.\nLook:", patchMessage, refused, []string{"-# Late.\nLook:\n\n" + missing}, 1, false},
		{"long text and pictures", long("ab"), postMessage, refused, []string{"a", "b", missing}, 3, false},
		{"long text and pictures, with an unknown outcome", long("ab"), postMessage, fakediscord.Fault{}, []string{"a"}, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
				r := b.openAs(t, b.options("general", "turn"), turn.First)
				tt.fault.Match = tt.route
				b.Fail(tt.fault)
				body := turn.Body{Text: tt.text, Pictures: []chat.File{file("image-1.png", "png")}}
				if remark, text, ok := strings.Cut(tt.text, "\nLook"); ok {
					body.Remark, body.Text = remark, "Look"+text
				}
				receipt, err := r.Finish(t.Context(), body)
				if len(receipt.Messages) != tt.delivered || (err != nil) != tt.fails {
					t.Errorf("%v, %v", receipt, err)
				}
				if diff := cmp.Diff(tt.want, letters(b.texts("general"))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestCodeIsPostedAsTextIfItCannotBeAttached: a file that is refused after the first chunks have
// arrived is not lost either, and nothing is doubled when the answer is delivered again.
func TestCodeIsPostedAsTextIfItCannotBeAttached(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		text := strings.Repeat("Only words. ", 250) + "\n" + program("```", "go", 400) + "The end."
		var first []string
		for range 2 {
			b.start(t)
			r := b.openAs(t, b.options("general", "turn"), turn.First)
			b.Fail(fakediscord.Fault{Match: postMessage, Kind: fakediscord.BadStatus, Status: 403, Times: 1})
			if _, err := r.Finish(t.Context(), turn.Body{Text: text}); err != nil {
				t.Fatal(err)
			}
			b.Recover()
			if first == nil {
				first = b.texts("general")
			}
		}
		all := strings.Join(b.texts("general"), "|")
		for _, part := range []string{"The end.", "line 0 of", "line 399 of", "`code-1.go`"} {
			if !strings.Contains(all, part) {
				t.Errorf("%q is not in the channel", part)
			}
		}
		if diff := cmp.Diff(first, b.texts("general")); diff != "" {
			t.Errorf("delivered again (-want +got):\n%s", diff)
		}
	})
}

func TestAnAnswerThatWouldFloodTheChannelBecomesAFile(t *testing.T) {
	t.Parallel()
	onBench(t, "guild disco: #general", func(t *testing.T, b *bench) {
		text := strings.Repeat("A line of twenty-four.\n\n", 2000)
		r := b.openAs(t, b.options("general", "turn"), turn.First)
		if _, err := r.Finish(t.Context(), turn.Body{Text: text}); err != nil {
			t.Fatal(err)
		}
		m := b.message(t, b.id())
		if len(m.Attachments) != 1 || m.Attachments[0].Name != "answer.md" || string(m.Attachments[0].Data) != text || !strings.Contains(m.Content, "attached") {
			t.Errorf("%d files below %q", len(m.Attachments), m.Content)
		}
	})
}

func TestARemarkStandsAboveTheAnswerIfThereIsRoom(t *testing.T) {
	t.Parallel()
	const remark = "-# Late."
	picture := []chat.File{file("image-1.png", "png")}
	for _, tt := range []struct {
		name string
		body turn.Body
		want []string
	}{
		{"room", turn.Body{Text: "Hello."}, []string{remark + "\nHello."}},
		{"room in the first of two", turn.Body{Text: strings.Repeat("x", 1900) + "\n" + long("a")}, []string{remark + "\n" + strings.Repeat("x", 1900), "a"}},
		{"no room", turn.Body{Text: strings.Repeat("a", 1995) + "\n" + long("b")}, []string{strings.Repeat("a", 1995), "b", remark}},
		{"room, with files", turn.Body{Text: "Hello.", Pictures: picture}, []string{remark + "\nHello."}},
		{"no room, with files", turn.Body{Text: strings.Repeat("a", 1995), Pictures: picture}, []string{strings.Repeat("a", 1995)}},
		{"files alone", turn.Body{Pictures: picture}, []string{""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.body.Remark = remark
			chunks, _ := taken(reply.Messages(tt.body))
			if diff := cmp.Diff(tt.want, letters(chunks)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// taken are the texts and the files of messages.
func taken(list []chat.Outgoing) (texts []string, files []chat.File) {
	for _, m := range list {
		texts, files = append(texts, m.Text), append(files, m.Files...)
	}
	return texts, files
}

// program is code of so many lines.
func program(fence, info string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d of some code that goes on and on\n", i)
	}
	return fence + info + "\n" + b.String() + fence + "\n"
}

func contents(t *testing.T, files []chat.File) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, f := range files {
		body, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(data)
	}
	return all
}

func TestLongCodeBecomesFiles(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		files      []string
		says       []string
		chunks     int
	}{
		{"code that fits", "Here:\n" + program("```", "go", 200), nil, []string{"line 199"}, 5},
		{"one long block", "Here:\n" + program("```", "go", 400) + "\nThat was it.", []string{"code-1.go"}, []string{"Here:\n📎 `code-1.go` (400 lines)\n\nThat was it."}, 1},
		{"the longest first", program("```", "go", 50) + "between\n" + program("~~~~", "python", 400) + "end", []string{"code-1.py"}, []string{"```go", "between\n📎 `code-1.py` (400 lines)\nend"}, 2},
		{"as many as needed, in order", program("```", "sh", 300) + "\n" + program("```", "json", 100) + "\n" + program("```", "", 400), []string{"code-1.sh", "code-2.txt"}, []string{"```json", "code-1.sh", "code-2.txt"}, 3},
		{"an info string that says more", program("```", "js title=\"a.js\"", 400), []string{"code-1.js"}, []string{"`js title=\"a.js\"`"}, 1},
		{"an unknown language", program("```", "brainfog", 400), []string{"code-1.txt"}, []string{"`brainfog`"}, 1},
		{"code that never ends", "Here:\n```go\n" + strings.Repeat("x := 1\n", 2000), []string{"code-1.go"}, []string{"Here:\n📎 `code-1.go` (2000 lines)"}, 1},
		{"prose", strings.Repeat("Only words. ", 2000), []string{"answer.md"}, []string{"The whole answer has 24000 characters; it is attached."}, 1},
		{"prose with some code", strings.Repeat("Only words. ", 2000) + "\n" + program("```", "go", 300), []string{"answer.md"}, []string{"it is attached"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			chunks, list := taken(reply.Messages(turn.Body{Text: tt.text, Notices: []string{"A notice."}}))
			files := contents(t, list)
			var names []string
			for _, f := range list {
				names = append(names, f.Name)
			}
			all := strings.Join(chunks, "\n")
			if diff := cmp.Diff(tt.files, names); diff != "" || len(chunks) != tt.chunks || !strings.HasSuffix(all, "A notice.") {
				t.Errorf("%d chunks that end in %q; files (-want +got):\n%s", len(chunks), all[max(0, len(all)-60):], diff)
			}
			for _, part := range tt.says {
				if !strings.Contains(all, part) {
					t.Errorf("%q is not in:\n%s", part, all)
				}
			}
			for _, data := range files {
				all += data
			}
			for line := range strings.Lines(tt.text) {
				line = strings.TrimSuffix(line, "\n")
				if fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"); !fence && !strings.Contains(all, line) {
					t.Errorf("lost: %q", line)
				}
			}
		})
	}
}

func TestManyBlocksOfCodeAreFewFiles(t *testing.T) {
	text := strings.Repeat(program("```", "go", 60), 30)
	chunks, files := taken(reply.Messages(turn.Body{Text: text}))
	if len(chunks) > 5 || len(files) != 1 || files[0].Name != "answer.md" || contents(t, files)["answer.md"] != text {
		t.Errorf("%d chunks and %d files", len(chunks), len(files))
	}
}

// TestNothingOfAnAnswerIsLost: every line is in a message or in a file, in few messages.
func TestNothingOfAnAnswerIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(1, 15).Draw(rt, "parts") {
			size := rapid.IntRange(1, 150).Draw(rt, "size")
			if rapid.Bool().Draw(rt, "code") {
				fence := rapid.SampledFrom([]string{"```", "````", "~~~"}).Draw(rt, "fence")
				b.WriteString(program(fence, rapid.SampledFrom([]string{"", "go", "python", "sh title", "what?"}).Draw(rt, "info"), size))
				continue
			}
			for line := range size / 10 {
				fmt.Fprintf(&b, "Paragraph %d says in line %d what it has to say.\n\n", i, line)
			}
		}
		chunks, files := taken(reply.Messages(turn.Body{Text: b.String()}))
		if len(chunks) > 5 {
			rt.Fatalf("%d chunks", len(chunks))
		}
		all := strings.Join(chunks, "\n")
		for _, data := range contents(t, files) {
			all += "\n" + data
		}
		left := map[string]int{}
		for line := range strings.Lines(all) {
			left[strings.TrimSpace(line)]++
		}
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSpace(line)
			if fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"); line == "" || fence {
				continue
			}
			if left[line]--; left[line] < 0 {
				rt.Fatalf("%q is lost", line)
			}
		}
	})
}
