package tools

import (
	"html"
	"slices"
	"strings"
)

// silent are the elements whose text is not shown on a page.
var silent = []string{"script", "style", "noscript", "template", "svg"}

// blocks are the elements that begin on a new line.
var blocks = map[string]bool{
	"address": true, "article": true, "aside": true, "blockquote": true, "br": true, "dd": true, "div": true, "dl": true, "dt": true, "footer": true, "form": true,
	"h1": true, "h2": true, "h3": true, "h4": true, "h5": true, "h6": true, "header": true, "hr": true, "li": true, "main": true, "nav": true, "ol": true, "p": true,
	"pre": true, "section": true, "table": true, "td": true, "th": true, "title": true, "tr": true, "ul": true,
}

// htmlText is the text of a page: without tags, one line for each block, with the addresses of links behind them.
func htmlText(page string) string {
	var b strings.Builder
	var link string
	for page != "" {
		text, after, found := strings.Cut(page, "<")
		b.WriteString(html.UnescapeString(strings.ReplaceAll(text, "\n", " ")))
		if !found {
			break
		}
		name, attributes, rest := tag(after)
		page = rest
		switch {
		case slices.Contains(silent, name):
			page = behind(rest, name)
		case name == "a":
			link = html.UnescapeString(hrefOf(attributes))
		case name == "/a" && strings.HasPrefix(link, "https://"):
			b.WriteString(" (" + link + ") ")
			link = ""
		case blocks[strings.TrimPrefix(name, "/")]:
			b.WriteByte('\n')
		}
	}
	return tidy(b.String())
}

// tag splits what stands behind an angle bracket into the name of the tag, in lower case, its attributes and the text after it.
func tag(text string) (name, attributes, rest string) {
	if after, ok := strings.CutPrefix(text, "!--"); ok {
		_, rest, _ = strings.Cut(after, "-->")
		return "!--", "", rest
	}
	end := endOfTag(text)
	rest = text[min(end+1, len(text)):]
	name, attributes, _ = strings.Cut(strings.Join(strings.Fields(text[:end]), " "), " ")
	return strings.ToLower(strings.TrimSuffix(name, "/")), attributes, rest
}

// endOfTag is where the closing bracket of a tag stands, outside of quotes.
func endOfTag(text string) int {
	var quote byte
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '>':
			return i
		}
	}
	return len(text)
}

// behind is what stands after the end of an element.
func behind(text, name string) string {
	for {
		_, after, found := strings.Cut(text, "</")
		if !found {
			return ""
		}
		if len(after) >= len(name) && strings.EqualFold(after[:len(name)], name) {
			_, rest, _ := strings.Cut(after, ">")
			return rest
		}
		text = after
	}
}

func hrefOf(attributes string) string {
	_, value, found := strings.Cut(attributes, "href=")
	if !found || value == "" {
		return ""
	}
	if quote := value[:1]; quote == `"` || quote == "'" {
		value, _, _ = strings.Cut(value[1:], quote)
		return value
	}
	value, _, _ = strings.Cut(value, " ")
	return value
}

// tidy trims the lines of a text and leaves no two blank ones in a row.
func tidy(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.Join(strings.Fields(line), " ")
		if line != "" || len(kept) > 0 && kept[len(kept)-1] != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
