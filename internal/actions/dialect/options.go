package dialect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Options say which dialects a bot understands besides blocks. The zero value is the default, without envelopes.
type Options struct {
	// Setting lists dialects by their names, with commas; "all" and "none" are known too. Those that are listed are also
	// taught. If it is empty, all but the envelope are understood and none is taught, so that prompts stay small.
	Setting string
	// Position of directives: "start", which is the default, or "anywhere".
	Position string
	// Like is the emoji of [LIKE] and LIKE. The default is 👍.
	Like string
	// Named finds the action that a name means, as [actions.Registry.Named] does. The envelope needs it.
	Named func(name string) (exact string, ok bool)
}

// understood are the dialects by default.
var understood = []string{directiveDialect, signalDialect, keywordDialect}

// Names are the dialects that a setting may list.
var Names = append(slices.Clone(understood), EnvelopeName)

// List returns the dialects, or says what is wrong with the options.
func (o Options) List() (List, error) {
	names, err := o.names()
	if err != nil {
		return nil, err
	}
	if position := fold(o.Position); position != "" && position != "start" && position != "anywhere" {
		return nil, fmt.Errorf("%q is no position of directives; write start or anywhere", o.Position)
	}
	like := cmp.Or(Emoji(o.Like), "👍")
	passes := map[string]Dialect{
		directiveDialect: {Pass: Directives(fold(o.Position) == "anywhere"), Teach: teachDirectives(fold(o.Position) == "anywhere")},
		signalDialect:    {Pass: Signals(), Teach: teachSignals},
		keywordDialect:   {Pass: Keywords(like), Teach: teachKeywords},
		EnvelopeName:     {Pass: Envelope(o.Named, like), Teach: teachEnvelope},
	}
	list := List{{Pass: Blocks()}}
	for _, name := range []string{EnvelopeName, directiveDialect, signalDialect, keywordDialect} { // the order in which they take text
		if !slices.Contains(names, name) {
			continue
		}
		d := passes[name]
		if fold(o.Setting) == "" {
			d.Teach = nil
		}
		list = append(list, d)
	}
	if slices.Contains(names, EnvelopeName) {
		return list, checkNames(o.Named)
	}
	return list, nil
}

// names are the dialects of the setting.
func (o Options) names() (names []string, err error) {
	switch fold(o.Setting) {
	case "":
		return understood, nil
	case "all":
		return Names, nil
	case "none":
		return nil, nil
	}
	for name := range strings.SplitSeq(o.Setting, ",") {
		switch name = fold(name); {
		case slices.Contains(Names, name):
			names = append(names, name)
		case name != "" && name != blockDialect: // blocks are always understood
			return nil, fmt.Errorf("there is no dialect %q; write all, none, or some of %s", name, strings.Join(Names, ", "))
		}
	}
	return names, nil
}

func fold(setting string) string { return strings.ToLower(strings.Join(strings.Fields(setting), "")) }
