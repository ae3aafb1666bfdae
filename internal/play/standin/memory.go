package standin

import (
	"regexp"
	"slices"
	"strings"

	"discoclaw/internal/chat"
)

// memoryShapes are requests about what the bot remembers of a person.
func memoryShapes() []shape {
	return []shape{
		{
			asked: wordings(`what do you (?:know|remember)(?: about me)?(?: so far)?`,
				`(?:show|list|tell me)(?: me)? (?:my memories|what you (?:know|remember)(?: about me)?)`, `do you remember me`,
				`what have you (?:remembered|learned|saved|stored)(?: about me)?`),
			begin: func(s situation, _ match) string {
				if s.direct {
					return tellMemories(s.knows)
				}
				return act("memoryShow")
			},
			goOn: func(s situation, _ match) string {
				var list []string
				for _, r := range s.results {
					if m := memoryLine().FindStringSubmatch(r); m != nil {
						list = append(list, m[1])
					}
				}
				if about := subjects(s.asked); len(about) > 0 {
					fit := slices.DeleteFunc(slices.Clone(list), func(item string) bool { return counted(about, item) == 0 })
					list = map[bool][]string{true: fit, false: list}[len(fit) > 0]
				}
				return tellMemories(list)
			},
			talk: true,
		},
		{
			asked: wordings(`forget (?:everything|(?:all|everything) (?:of )?(?:that|this|it)|them all)(?: (?:about me|you know(?: about me)?))?`, `(?:delete|erase|wipe|remove|clear) (?:all )?(?:of )?(?:my (?:memories|memory|data)|(?:everything|all|what) you (?:know|remember|have)(?: .*)?)`),
			begin: func(s situation, _ match) string {
				if s.direct {
					return notDirectMemory
				}
				return act("memoryErase")
			},
			talk: true,
		},
		{
			asked: wordings(`forget (?:that |about )?{text}`),
			begin: func(s situation, m match) string {
				if s.direct {
					return notDirectMemory
				}
				return act("memoryForget", "substring", s.knownLike(strings.TrimSuffix(aboutPerson(m["text"]), ".")))
			},
			talk: true,
		},
		{
			asked: wordings(`(?:remember|keep in mind|note|memori[sz]e|don't forget)(?: that|:|,)? {text}`),
			begin: func(s situation, m match) string {
				if s.direct {
					return notDirectMemory
				}
				return act("memoryRemember", "text", sentence(aboutPerson(m["text"])))
			},
			talk: true,
		},
	}
}

// knownLike is what is remembered in its own words, of which people say only a few.
func (s situation) knownLike(words string) string {
	best, most := words, 0
	for _, item := range s.knows {
		if n := counted(subjects(words), item); n > most {
			best, most = strings.TrimSuffix(item, "."), n
		}
	}
	return best
}

const notDirectMemory = "I can't do that here, but a command can: `!memory remember I live in Ulm`, `!memory forget Ulm` or `!memory`."

// memoryLine is one of the results of memoryShow.
var memoryLine = lazily(`- \[\w+\] (.*) \([\d-]+\) durable-`)

func tellMemories(list []string) string {
	if len(list) == 0 {
		return "Nothing yet. Tell me to remember something."
	}
	return listed("What I remember about you:", list)
}

var ownWords = []struct {
	said *regexp.Regexp
	kept string
}{
	{regexp.MustCompile(`(?i)^I(?:'m| am) `), "Is "},
	{regexp.MustCompile(`(?i)^I have `), "Has "},
	{regexp.MustCompile(`(?i)^my (.+?) (is|are) `), "Their $1 $2 "},
}

var verbFirst = lazily(`(?i)^I (\w+)( .*)?$`)

// aboutPerson turns "I prefer tea" into "Prefers tea", as a note about somebody.
func aboutPerson(text string) string {
	for _, w := range ownWords {
		if w.said.MatchString(text) {
			return w.said.ReplaceAllString(text, w.kept)
		}
	}
	m := verbFirst().FindStringSubmatch(text)
	if m == nil || strings.Contains("can could will would should must don't was had", strings.ToLower(m[1])) {
		return chat.Capital(text)
	}
	return chat.Capital(thirdPerson(m[1])) + m[2]
}

func thirdPerson(verb string) string {
	switch {
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "o"),
		strings.HasSuffix(verb, "x"):
		return verb + "es"
	case strings.HasSuffix(verb, "y") && len(verb) > 2 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	}
	return verb + "s"
}
