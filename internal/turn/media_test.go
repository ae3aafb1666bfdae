package turn_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// draws is an answer with pictures in it.
func draws(text string, sizes ...int) script.Answer {
	a := script.Answer{script.Text(text)}
	for _, size := range sizes {
		a = append(a, script.Image("image/png", make([]byte, size)))
	}
	return a
}

func TestPicturesAreAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name  string
		scene scene
		want  []string // texts and files
	}{
		{"with text", scene{model: script.New(draws("Look:", 3, 4))}, []string{"Look:", "image-1.png, 3 bytes", "image-2.png, 4 bytes"}},
		{"alone", scene{model: script.New(draws("", 3))}, []string{"", "image-1.png, 3 bytes"}},
		{"where there need not be one", scene{model: script.New(draws("HEARTBEAT_OK", 3)), mayPass: true}, []string{"", "image-1.png, 3 bytes"}},
		{"beside a quiet success", scene{model: script.New(draws(block("send"), 3))}, []string{"", "image-1.png, 3 bytes"}},
		{"of all kinds", scene{model: script.New(script.Answer{
			script.Image("image/jpeg", []byte("j")), script.Image("image/gif", []byte("g")), script.Image("image/webp", []byte("w")), script.Image("", []byte("?")),
		})}, []string{"", "image-1.jpg, 1 bytes", "image-2.gif, 1 bytes", "image-3.webp, 1 bytes", "image-4.png, 1 bytes"}},
		{"too large", scene{model: script.New(draws("Look:", 11<<20, 3))},
			[]string{"Look:\n\n(1 picture was left out: an answer takes 20 of them, with 10 MB each and 20 MB together.)", "image-1.png, 3 bytes"}},
		{"too large, and nothing else", scene{model: script.New(draws("", 11<<20, 0))},
			[]string{"(2 pictures were left out: an answer takes 20 of them, with 10 MB each and 20 MB together.)"}},
		{"too large together", scene{model: script.New(draws("", 9<<20, 9<<20, 9<<20))},
			[]string{"(1 picture was left out: an answer takes 20 of them, with 10 MB each and 20 MB together.)", "image-1.png, 9437184 bytes", "image-2.png, 9437184 bytes"}},
		{"before a failure", scene{model: script.New(append(draws("Half", 3), script.Fail(&llm.Error{Kind: llm.Broken})))},
			[]string{"Half\n\n⚠️ The answer from the model broke off; try again.", "image-1.png, 3 bytes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.scene
			s.play(t)
			var got []string
			for _, r := range s.wall.replies {
				if !r.gone {
					got = append(append(got, r.text), r.files...)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("on the wall (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFollowUpOfPicturesIsNoAcknowledgement(t *testing.T) {
	s := scene{model: script.New(script.Say("Wait."+block("look")), draws("Done.", 3))}
	s.play(t)
	if len(s.wall.replies) != 2 || s.wall.replies[1].gone || len(s.wall.replies[1].files) != 1 {
		t.Errorf("%q", s.wall.shown())
	}
}

func TestOnlyTheFirstRequestHasImages(t *testing.T) {
	model := script.New(script.Say("Wait."+block("look")), script.Say("Two."))
	s := scene{model: script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] { return model.Invoke(ctx, req) }), prompt: talk{images: 2}}
	s.play(t)
	var images []int
	for _, req := range model.Requests() {
		images = append(images, len(req.Messages[0].Images))
	}
	if diff := cmp.Diff([]int{2, 0}, images); diff != "" || s.err != nil {
		t.Errorf("images (-want +got):\n%s%v", diff, s.err)
	}
}

// forbidden is the error of a Discord that will say the same again.
type forbidden struct{}

func (forbidden) Error() string   { return "no files here" }
func (forbidden) Permanent() bool { return true }

// TestTextArrivesWithoutFiles: the wall takes the text and then, with the files, no
// more than a part of it.
func TestTextArrivesWithoutFiles(t *testing.T) {
	long := strings.Repeat("x", 1990) + "\n" + strings.Repeat("y", 1990)
	const missing = "⚠️ Discord did not take the pictures that belong here. Check that the bot has “Attach Files” in this channel, and that they are not too large for the server."
	for _, tt := range []struct {
		name      string
		answer    script.Answer
		delivered int
		err       error
		want      []string
		fails     bool
	}{
		{"pictures alone", draws("", 3), 0, forbidden{}, []string{missing}, false},
		{"text and pictures", draws("Look:", 3), 0, forbidden{}, []string{"Look:\n\n" + missing}, false},
		{"long text and pictures", draws(long, 3), 1, forbidden{}, []string{strings.Repeat("x", 1990), strings.Repeat("y", 1990) + "|" + missing}, false},
		{"long text and pictures, and nobody knows", draws(long, 3), 1, errRefused,
			[]string{strings.Repeat("x", 1990), "⚠️ The rest of the answer could not be delivered; the bot's log has the details."}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := scene{model: script.New(tt.answer), wall: wall{failing: func(n int, chunks []string) (int, error) {
				if n == 0 {
					return tt.delivered, tt.err
				}
				return len(chunks), nil
			}}}
			s.play(t)
			if diff := cmp.Diff(tt.want, s.wall.shown()); diff != "" || (s.err != nil) != tt.fails {
				t.Errorf("error %v, on the wall (-want +got):\n%s", s.err, diff)
			}
		})
	}
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
		{"a language that nobody knows", program("```", "brainfog", 400), []string{"code-1.txt"}, []string{"`brainfog`"}, 1},
		{"code that never ends", "Here:\n```go\n" + strings.Repeat("x := 1\n", 2000), []string{"code-1.go"}, []string{"Here:\n📎 `code-1.go` (2000 lines)"}, 1},
		{"prose", strings.Repeat("Only words. ", 2000), []string{"answer.md"}, []string{"The whole answer has 24000 characters; it is attached."}, 1},
		{"prose with some code", strings.Repeat("Only words. ", 2000) + "\n" + program("```", "go", 300), []string{"answer.md"}, []string{"it is attached"}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			chunks, list := turn.Messages(tt.text, "A notice.")
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
	chunks, files := turn.Messages(text)
	if len(chunks) > 5 || len(files) != 1 || files[0].Name != "answer.md" || contents(t, files)["answer.md"] != text {
		t.Errorf("%d chunks and %d files", len(chunks), len(files))
	}
}

// TestCodeIsSaidWhereItCannotBeAttached: a file that is refused after the first chunks
// have arrived is not lost either.
func TestCodeIsSaidWhereItCannotBeAttached(t *testing.T) {
	text := strings.Repeat("Only words. ", 250) + "\n" + program("```", "go", 400) + "The end."
	s := scene{model: says(text), wall: wall{failing: func(n int, chunks []string) (int, error) {
		if n == 0 {
			return 1, forbidden{}
		}
		return len(chunks), nil
	}}}
	s.play(t)
	all := strings.Join(s.wall.shown(), "|")
	for _, part := range []string{"The end.", "line 0 of", "line 399 of", "`code-1.go`"} {
		if !strings.Contains(all, part) {
			t.Errorf("%q is not on the wall", part)
		}
	}
	if s.err != nil {
		t.Error(s.err)
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
		chunks, files := turn.Messages(b.String())
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
