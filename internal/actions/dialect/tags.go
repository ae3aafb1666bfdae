package dialect

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// compile returns what the tags in a block mean.
func compile(block string) (found []Region) {
	s := scanner{text: escapedQuotes.Replace(block)}
	for at := 0; ; {
		i := strings.IndexByte(s.text[at:], '<')
		if i < 0 {
			return found
		}
		at += i
		t, ok := s.tagAt(at)
		if !ok {
			at++
			continue
		}
		if at = t.end; t.name != "" {
			found = append(found, t.region())
		}
	}
}

var escapedQuotes = strings.NewReplacer(`\"`, `"`, `\'`, `'`)

// A tag is a child of a block.
type tag struct {
	name    string // in small letters; empty for a comment or a closing tag
	attrs   map[string]string
	content string // trimmed, for tags that have some
	end     int
	endless bool // a comment that is not closed
}

// region compiles a tag.
func (t tag) region() Region {
	channel, platform := t.target()
	if platform != "" && (t.name == "send-file" || t.name == "send-message") {
		return Region{Tidy: true, Stripped: t.name + "@" + platform}
	}
	members := map[string]any{}
	set := func(name, value string) {
		if value != "" {
			members[name] = value
		}
	}
	switch t.name {
	case "react":
		if t.attr("emoji") == "" {
			return unusable(`<react> needs an emoji`)
		}
		set("emoji", Emoji(t.attr("emoji")))
		set("messageId", t.attr("message"))
		region := compiled(directiveDialect, "react", members)
		region.Request.Quiet = true
		return region
	case "send-file":
		set("filePath", t.attr("path", "file"))
		if len(members) == 0 {
			return unusable(`<send-file> needs a path`)
		}
		set("content", t.attr("caption", "text"))
		if kind := strings.ToLower(t.attr("kind")); slices.Contains([]string{"image", "file", "audio"}, kind) {
			set("kind", kind)
		}
		if strings.EqualFold(t.attr("cleanup"), "true") {
			members["cleanup"] = true
		}
		set("channel", channel)
		return compiled(directiveDialect, "sendFile", members)
	case "send-message":
		if channel == "" || t.content == "" {
			return unusable(`<send-message> needs a channel, and a text before </send-message>`)
		}
		return compiled(directiveDialect, "sendMessage", map[string]any{"channel": channel, "content": t.content})
	case "voice":
		if t.content == "" {
			return unusable(`<voice> needs a text before </voice>`)
		}
		return compiled(directiveDialect, voiceType, map[string]any{"text": t.content})
	}
	return Region{Tidy: true, Stripped: t.name}
}

// voiceType is the type of a voice note, whose words people read if it cannot be made.
const voiceType = "voiceNote"

// VoiceNote returns the words of a request, if that is a directive to speak them.
func VoiceNote(r actions.Request) (text string, ok bool) {
	var note struct{ Text string }
	ok = r.Type == voiceType && r.Dialect == directiveDialect && json.Unmarshal(r.Args, &note) == nil
	return note.Text, ok
}

// attr is the first of the attributes that is not blank.
func (t tag) attr(names ...string) string {
	for _, name := range names {
		if value := strings.TrimFunc(t.attrs[name], isSpace); value != "" {
			return value
		}
	}
	return ""
}

// platforms are where LettaBot can send something to, besides Discord.
var platforms = []string{"telegram", "telegram-mtproto", "slack", "whatsapp", "signal", "bluesky", "matrix", "email", "sms"}

// target is where a tag sends something to: a channel, which is the current one if empty, or a platform that is not ours.
func (t tag) target() (channel, platform string) {
	channel, chat := t.attr("channel"), t.attr("chat")
	onDiscord := channel == "" || strings.EqualFold(channel, "discord")
	switch lower := strings.ToLower(channel); {
	case onDiscord:
		channel = chat
	case chat != "" || slices.Contains(platforms, lower):
		return "", lower
	}
	if id, ok := strings.CutPrefix(channel, "<#"); ok {
		return strings.TrimSuffix(id, ">"), ""
	}
	return strings.TrimPrefix(channel, "#"), ""
}

// A scanner reads tags. It remembers which closing tags are missing, so that they are looked for once.
type scanner struct {
	text    string
	missing []string
}

// tagAt reads a complete tag, with its text if it has some.
func (s *scanner) tagAt(i int) (t tag, ok bool) {
	if strings.HasPrefix(s.text[i:], "<!--") {
		n := strings.Index(s.text[i:], "-->")
		if n < 0 {
			return tag{end: len(s.text), endless: true}, true
		}
		return tag{end: i + n + len("-->")}, true
	}
	if !strings.HasPrefix(s.text[i:], "<") || slices.Contains(s.missing, ">") {
		return t, false
	}
	start := i + 1
	closing := strings.HasPrefix(s.text[start:], "/")
	if closing {
		start++
	}
	end := start
	for end < len(s.text) && isNamePart(s.text[end]) {
		end++
	}
	if end == start {
		return t, false
	}
	t.name = strings.ToLower(s.text[start:end])
	closed := false
	if t.attrs, t.end, closed, ok = attributes(s.text, end); !ok {
		s.missing = append(s.missing, ">")
		return t, false
	}
	switch {
	case closing:
		t.name = ""
	case !closed && (t.name == "voice" || t.name == "send-message"):
		s.readContent(&t)
	}
	return t, true
}

func isNamePart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

func (s *scanner) readContent(t *tag) {
	if slices.Contains(s.missing, t.name) {
		return
	}
	closer, ok := find(s.text, t.end, "</"+t.name+"~>")
	if !ok {
		s.missing = append(s.missing, t.name)
		return
	}
	t.content = strings.TrimFunc(unescapeXML(s.text[t.end:closer.Start]), isSpace)
	t.end = closer.End
}

// attributes reads up to the end of a tag, which closed says is that of an element too.
func attributes(text string, i int) (attrs map[string]string, end int, closed, ok bool) {
	attrs = map[string]string{}
	for {
		i = skipSpace(text, i)
		switch {
		case i == len(text):
			return nil, i, false, false
		case text[i] == '>':
			return attrs, i + 1, false, true
		case strings.HasPrefix(text[i:], "/>"):
			return attrs, i + 2, true, true
		}
		start := i
		for i < len(text) && isNamePart(text[i]) {
			i++
		}
		name := strings.ToLower(text[start:i])
		if i == start {
			i++ // something else
			continue
		}
		equals := skipSpace(text, i)
		if equals == len(text) || text[equals] != '=' {
			continue
		}
		value, end := attributeValue(text, skipSpace(text, equals+1))
		if _, twice := attrs[name]; !twice {
			attrs[name] = unescapeXML(value)
		}
		i = end
	}
}

// closingQuotes are what ends a value, by what begins it.
var closingQuotes = map[rune]string{'"': `"`, '\'': `'`, '“': "”“", '”': "”“", '„': "”“"}

func attributeValue(text string, i int) (value string, end int) {
	first, size := utf8.DecodeRuneInString(text[i:])
	if quotes, ok := closingQuotes[first]; ok {
		n := strings.IndexAny(text[i+size:], quotes)
		if n < 0 {
			return "", len(text)
		}
		_, last := utf8.DecodeRuneInString(text[i+size+n:])
		return text[i+size : i+size+n], i + size + n + last
	}
	end = i
	for end < len(text) && strings.IndexByte("\"'>", text[end]) < 0 && !strings.HasPrefix(text[end:], "/>") && skipSpace(text, end) == end {
		end++
	}
	return text[i:end], end
}

var entity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|lt|gt|amp|quot|apos);`)
})

// unescapeXML decodes the entities of XML. Those of HTML stay, for some do without a semicolon and are found in addresses.
func unescapeXML(text string) string {
	if !strings.Contains(text, "&") {
		return text
	}
	return entity().ReplaceAllStringFunc(text, html.UnescapeString)
}

// Emoji returns the emoji that a model means: name:id for a mention of a server's own, the character for one of the names that
// models use, and anything else as it is, but for the colons around it.
func Emoji(written string) string {
	s := strings.TrimFunc(written, isSpace)
	if inner, ok := strings.CutPrefix(s, "<"); ok && strings.HasSuffix(inner, ">") && strings.Count(inner, ":") == 2 {
		return strings.TrimPrefix(strings.TrimSuffix(inner, ">"), ":")
	}
	if len(s) > 2 && strings.HasPrefix(s, ":") && strings.HasSuffix(s, ":") {
		s = s[1 : len(s)-1]
	}
	if known, ok := chat.EmojiNamed(s); ok {
		return string(known)
	}
	return s
}
