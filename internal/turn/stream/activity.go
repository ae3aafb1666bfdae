package stream

import (
	"fmt"
	"strings"

	"discoclaw/internal/chat"
)

// activity is the status text for the tools in use, or nothing.
func (l *latest) activity() string {
	if l.waits {
		return "waiting until another answer is done"
	}
	if len(l.tools) == 0 {
		return ""
	}
	line := l.tools[len(l.tools)-1].words()
	if others := len(l.tools) - 1; others > 0 {
		line += fmt.Sprintf(", and %d more", others)
	}
	return line
}

// words describe the use of a tool. An unknown tool may do anything, so neither its name
// nor its argument is shown.
func (u use) words() string {
	verb, known := verbs[plainName(u.name)]
	switch about := lastTwo(u.about); {
	case !known:
		return "using a tool"
	case about == "" || verb.alone != "" && verb.with == "":
		return verb.alone
	default:
		return verb.with + " " + about
	}
}

// A verb describes what a tool does: without its argument, and with it. If with is
// empty, the argument is not shown: a command may contain anything.
type verb struct{ alone, with string }

// verbs are those of common tools, by the names of different vendors.
var verbs = named(map[string]verb{
	"read readfile view cat":                         {"reading a file", "reading"},
	"write writefile create createfile":              {"writing a file", "writing"},
	"edit editfile multiedit strreplace applypatch":  {"editing a file", "editing"},
	"notebookread":                                   {"reading a notebook", "reading"},
	"notebookedit":                                   {"editing a notebook", "editing"},
	"glob ls list listfiles listdirectory":           {"looking for files", "looking through"},
	"grep search searchfiles searchfilecontent":      {"searching", "searching"},
	"websearch googlewebsearch":                      {"searching the web", ""},
	"webfetch fetch":                                 {"reading a web page", ""},
	"bash shell exec runcommand runshellcommand":     {"running a command", ""},
	"task agent":                                     {"asking a helper", ""},
	"todowrite todoread updateplan":                  {"planning", ""},
	"python codeinterpreter runcode imagegeneration": {"working", ""},
})

func named(lists map[string]verb) map[string]verb {
	all := map[string]verb{}
	for names, v := range lists {
		for _, name := range strings.Fields(names) {
			all[name] = v
		}
	}
	return all
}

// plainName is a tool's name without differences of spelling between vendors.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
}

// lastTwo are the last two parts of a path, short enough for a line. The parts before
// them are private to the operator.
func lastTwo(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	for i, p := range parts {
		parts[i] = chat.Clip(chat.Literal(p), 40)
	}
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}
