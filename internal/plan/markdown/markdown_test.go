package markdown_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/plan/markdown"
)

// shape has a letter for each line: c for code, t for text.
func shape(lines []markdown.Line) string {
	var b strings.Builder
	for _, l := range lines {
		if l.Code {
			b.WriteByte('c')
		} else {
			b.WriteByte('t')
		}
	}
	return b.String()
}

func TestCodeIsToldFromText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in, want string
		unclosed       int
	}{
		{"plain", "a\nb", "tt", -1},
		{"a block", "a\n```go\nb\n```\nc", "tccct", -1},
		{"tildes", "~~~\n```\n~~~\na", "ccct", -1},
		{"a longer fence holds a shorter one", "````\n```\nb\n````\na", "cccct", -1},
		{"a fence with a word does not close", "```\n```go\n```\na", "ccct", -1},
		{"code within a line", "```a```\nb", "tt", -1},
		{"in a list", "- a\n    ```\n    b\n    ```\nc", "tccct", -1},
		{"opened by an item", "1. ```go\n   b\n   ```\nc", "ccct", -1},
		{"Windows", "```\r\nb\r\n```\r\nc", "ccct", -1},
		{"unclosed", "a\n```\nb", "tcc", 1},
		{"quoted", "> ```\nb", "tt", -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			lines, unclosed := markdown.Lines(tt.in)
			if got := shape(lines); got != tt.want || unclosed != tt.unclosed {
				t.Errorf("%q is %s, unclosed %d, want %s, %d", tt.in, got, unclosed, tt.want, tt.unclosed)
			}
		})
	}
}

func TestItemsAndHeadings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in      string
		indent  int
		content string
		isItem  bool
		level   int
	}{
		{"- a", 0, "a", true, 0},
		{"  * a", 2, "a", true, 0},
		{"\t12) a", 4, "a", true, 0},
		{"1. a", 0, "a", true, 0},
		{"1.5 a", 0, "1.5 a", false, 0},
		{"**a**", 0, "**a**", false, 0},
		{"-a", 0, "-a", false, 0},
		{"-", 0, "", true, 0},
		{"12345678901. a", 0, "12345678901. a", false, 0},
		{"## a ##", 0, "## a ##", false, 2},
		{"#a", 0, "#a", false, 0},
		{"####### a", 0, "####### a", false, 0},
	} {
		indent, content, isItem := markdown.Item(tt.in)
		level, _ := markdown.Heading(tt.in)
		if indent != tt.indent || content != tt.content || isItem != tt.isItem || level != tt.level {
			t.Errorf("%q: indent %d, content %q, item %t, level %d", tt.in, indent, content, isItem, level)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("a\r\n```go\nb\n```\n- c\n## d")
	f.Fuzz(func(t *testing.T, text string) {
		lines, unclosed := markdown.Lines(text)
		var b strings.Builder
		for _, l := range lines {
			b.WriteString(text[l.Start:l.End])
			_, _ = markdown.Heading(l.Text)
			_, _, _ = markdown.Item(l.Text)
		}
		if b.String() != text {
			t.Errorf("the lines of %q are %q", text, b.String())
		}
		if unclosed >= len(lines) {
			t.Errorf("%q: line %d is not there", text, unclosed)
		}
	})
}

func TestFencedTextCannotCloseItsFence(t *testing.T) {
	for _, text := range []string{"", "plain\n", "```\nout\n```", "a ````` b", "~~~", "```go\n````"} {
		fenced := chat.Fenced(text)
		lines, unclosed := markdown.Lines(fenced)
		for _, l := range lines {
			if !l.Code {
				t.Errorf("%q: the line %q is outside of the block", fenced, l.Text)
			}
		}
		if unclosed >= 0 || !strings.Contains(fenced, strings.TrimRight(text, "\n")) {
			t.Errorf("%q is not closed, or not all there", fenced)
		}
	}
}
