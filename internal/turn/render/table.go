package render

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Limits of a table that is aligned.
const (
	maxColumn = 30 // cells of the display up to which a column is padded; what is longer pushes the rest of its row to the right
	maxGrowth = 8  // times that the text of a table may grow
)

// Tables puts the tables of a text into code with aligned columns, since Discord shows those of
// Markdown as they are written. Line ends become \n.
//
// A table is a row, a line of dashes with as many columns, and the rows below, each with a |. It stays
// as it is within code and quotes; with a mention, a link or a picture in it, which code would show as an ID or an address;
// and if it would grow beyond all measure. Nothing is lost but Markdown's marks of bold
// text and code.
func Tables(text string) string {
	text = lineEnds.Replace(text)
	if !strings.Contains(text, "|") {
		return text
	}
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	var b strings.Builder
	var open fence
	for i := 0; i < len(lines); {
		if !open.open() {
			if code, n := aligned(lines[i:]); n > 0 {
				b.WriteString(code)
				i += n
				continue
			}
		}
		open = open.after(strings.TrimSuffix(lines[i], "\n"))
		b.WriteString(lines[i])
		i++
	}
	return b.String()
}

// aligned returns the table that the lines begin with, as code if it can be, and how many lines it has.
func aligned(lines []string) (code string, n int) {
	if len(lines) < 2 || !isRow(lines[0]) || !isRow(lines[1]) {
		return "", 0
	}
	head, right := row(lines[0]), alignment(row(lines[1]))
	if len(head) != len(right) {
		return "", 0
	}
	t := table{rows: [][]string{head}, right: right}
	size := len(lines[0]) + len(lines[1])
	for n = 2; n < len(lines) && isRow(lines[n]); n++ {
		t.rows = append(t.rows, fitted(row(lines[n]), len(head)))
		size += len(lines[n])
	}
	t.measure()
	source := strings.Join(lines[:n], "")
	if t.size() > maxGrowth*size || isUncodable(source) {
		return source, n
	}
	code = t.String()
	if strings.Contains(code, "```") {
		return source, n
	}
	code = "```\n" + code + "```"
	if strings.HasSuffix(source, "\n") {
		code += "\n"
	}
	return code, n
}

// alignment reads the cells of a line of dashes: which columns are aligned to the right. It is nil for any other line.
func alignment(cells []string) []bool {
	right := make([]bool, len(cells))
	for i, text := range cells {
		if strings.Trim(text, ":-") != "" || !strings.Contains(text, "-") {
			return nil
		}
		right[i] = strings.HasSuffix(text, ":") && !strings.HasPrefix(text, ":")
	}
	return right
}

// isUncodable reports whether Discord shows a part of a text as something else outside code.
func isUncodable(text string) bool {
	for _, mark := range []string{"<@", "<#", "<t:", "<:", "<a:", "</", "]("} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

// isRow reports whether a line can be a row of a table.
func isRow(line string) bool {
	return strings.Contains(line, "|") && !strings.HasPrefix(strings.TrimLeft(line, " \t"), ">") && !markOf(line).open()
}

// row returns the cells of a line, without the marks of Markdown.
func row(line string) []string {
	line, _ = strings.CutPrefix(strings.TrimSpace(line), "|")
	var cells []string
	from := 0
	for i := 0; i < len(line); i++ {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			cells = append(cells, cell(line[from:i]))
			from = i + 1
		}
	}
	if rest := line[from:]; strings.TrimSpace(rest) != "" || len(cells) == 0 {
		cells = append(cells, cell(rest))
	}
	return cells
}

func cell(text string) string {
	text = unmarked.Replace(text)
	for _, mark := range []string{"**", "`"} {
		if strings.Count(text, mark)%2 == 0 {
			text = strings.ReplaceAll(text, mark, "")
		}
	}
	return strings.TrimSpace(text)
}

var unmarked = strings.NewReplacer(`\|`, "|", "<br>", "; ", "<br/>", "; ", "<br />", "; ", "\t", " ")

// fitted gives a row no more cells than there are columns. What is left over goes into the last one.
func fitted(cells []string, columns int) []string {
	if len(cells) <= columns {
		return cells
	}
	return append(cells[:columns-1], strings.Join(cells[columns-1:], " | "))
}

// A table is one that is aligned.
type table struct {
	rows  [][]string // the first has the headings
	right []bool     // by column: aligned to the right
	width []int      // by column
}

// measure finds out how wide the columns are. Nothing is measured beyond maxColumn.
func (t *table) measure() {
	t.width = make([]int, len(t.right))
	for _, cells := range t.rows {
		for i, text := range cells {
			if n := displayWidth(text); n <= maxColumn {
				t.width[i] = max(t.width[i], n)
			}
		}
	}
}

// size returns how many bytes the table has at most, before it is built.
func (t *table) size() int {
	n := 0
	for _, cells := range t.rows {
		for i, text := range cells {
			n += len(text) + t.width[i] + 2
		}
	}
	return n
}

func (t *table) String() string {
	var b strings.Builder
	for n, cells := range t.rows {
		b.WriteString(t.line(cells))
		if n == 0 {
			rule := make([]string, len(t.width))
			for i, w := range t.width {
				rule[i] = strings.Repeat("-", max(w, 1))
			}
			b.WriteString(t.line(rule))
		}
	}
	return b.String()
}

// line returns a row with its line end. Its last cell is not padded.
func (t *table) line(cells []string) string {
	var b strings.Builder
	for i, text := range cells {
		if i > 0 {
			b.WriteString("  ")
		}
		pad := strings.Repeat(" ", max(0, t.width[i]-displayWidth(text)))
		if t.right[i] {
			text, pad = pad+text, ""
		}
		b.WriteString(text)
		if i < len(cells)-1 {
			b.WriteString(pad)
		}
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// displayWidth returns how many cells of a display a text takes, or something above maxColumn if
// these are more.
func displayWidth(text string) int {
	n := 0
	for i, r := range text {
		switch kind := width.LookupRune(r).Kind(); {
		case i > 0 && insideCluster(text, i):
		case kind == width.EastAsianWide, kind == width.EastAsianFullwidth, r >= 0x1F1E6 && r <= 0x1F1FF:
			n += 2
		default:
			n++
		}
		if n > maxColumn || i > maxColumn*utf8.UTFMax*4 {
			return maxColumn + 1
		}
	}
	return n
}
