// Package work counts the steps of code, for tests of how they grow with the input. The
// instrumented code of hostile.Counted calls it: Step in every function and in every round of a
// loop, and for functions of the standard library the one here with the same name. That
// counts the bytes which the original has to read. If one is missing, add it with its cost.
//
// It is for tests only, and not safe for concurrent use.
package work

import (
	"encoding/json"
	"iter"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
)

var (
	steps  int
	budget int // 0 means none
)

// Exceeded is what Step panics with when the budget is used up, so that quadratic work does
// not have to complete.
type Exceeded struct{ Steps int }

// Of returns how many steps f takes. If that is more than most, f is not finished; 0 means no such
// limit.
func Of(most int, f func()) (n int, finished bool) {
	steps, budget = 0, most
	defer func() {
		budget = 0
		if v := recover(); v != nil {
			over, ok := v.(Exceeded)
			if !ok {
				panic(v)
			}
			n, finished = over.Steps, false
		}
	}()
	f()
	return steps, true
}

// Step counts one step.
func Step() { add(1) }

func add(n int) {
	steps += n
	if budget > 0 && steps > budget {
		panic(Exceeded{steps})
	}
}

// Text counts the bytes of a text that is read as a whole.
func Text(s string) string { add(1 + len(s)); return s }

// until counts the bytes up to the end of a match at i, or all of them.
func until(s string, i, size int) int {
	if i < 0 {
		add(1 + len(s))
	} else {
		add(1 + i + size)
	}
	return i
}

// from is until for a search from the end.
func from(s string, i int) int { add(1 + len(s) - max(i, 0)); return i }

// taken counts the bytes that were removed from s.
func taken(s, left string) string { add(1 + len(s) - len(left)); return left }

func Index(s, sub string) int        { return until(s, strings.Index(s, sub), len(sub)) }
func IndexByte(s string, c byte) int { return until(s, strings.IndexByte(s, c), 1) }
func IndexAny(s, chars string) int   { return until(s, strings.IndexAny(s, chars), 1) }
func Contains(s, sub string) bool    { return Index(s, sub) >= 0 }
func ContainsRune(s string, r rune) bool {
	return IndexFunc(s, func(c rune) bool { return c == r }) >= 0
}
func LastIndexByte(s string, c byte) int { return from(s, strings.LastIndexByte(s, c)) }
func LastIndexAny(s, chars string) int   { return from(s, strings.LastIndexAny(s, chars)) }

func EqualFold(s, t string) bool         { add(1 + min(len(s), len(t))); return strings.EqualFold(s, t) }
func HasPrefix(s, prefix string) bool    { add(1 + len(prefix)); return strings.HasPrefix(s, prefix) }
func HasSuffix(s, suffix string) bool    { add(1 + len(suffix)); return strings.HasSuffix(s, suffix) }
func TrimSuffix(s, suffix string) string { add(1 + len(suffix)); return strings.TrimSuffix(s, suffix) }

func TrimPrefix(s, prefix string) string { add(1 + len(prefix)); return strings.TrimPrefix(s, prefix) }

func IndexFunc(s string, f func(rune) bool) int { return until(s, strings.IndexFunc(s, f), 1) }

func CutPrefix(s, prefix string) (string, bool) {
	add(1 + len(prefix))
	return strings.CutPrefix(s, prefix)
}

func Cut(s, sep string) (before, after string, found bool) {
	before, after, found = strings.Cut(s, sep)
	Text(before)
	return before, after, found
}

func Trim(s, set string) string      { return taken(s, strings.Trim(s, set)) }
func TrimLeft(s, set string) string  { return taken(s, strings.TrimLeft(s, set)) }
func TrimRight(s, set string) string { return taken(s, strings.TrimRight(s, set)) }
func TrimSpace(s string) string      { return taken(s, strings.TrimSpace(s)) }

func TrimFunc(s string, f func(rune) bool) string      { return taken(s, strings.TrimFunc(s, f)) }
func TrimLeftFunc(s string, f func(rune) bool) string  { return taken(s, strings.TrimLeftFunc(s, f)) }
func TrimRightFunc(s string, f func(rune) bool) string { return taken(s, strings.TrimRightFunc(s, f)) }

func Fields(s string) []string                        { return strings.Fields(Text(s)) }
func Split(s, sep string) []string                    { return strings.Split(Text(s), sep) }
func ReplaceAll(s, old, with string) string           { return strings.ReplaceAll(Text(s), old, with) }
func Count(s, sub string) int                         { return strings.Count(Text(s), sub) }
func Join(list []string, sep string) string           { return Text(strings.Join(list, sep)) }
func Map(f func(rune) rune, s string) string          { return strings.Map(f, Text(s)) }
func ContainsAny(s, chars string) bool                { return IndexAny(s, chars) >= 0 }
func SplitSeq(s, sep string) iter.Seq[string]         { return strings.SplitSeq(Text(s), sep) }
func ToUpper(s string) string                         { return strings.ToUpper(Text(s)) }
func FieldsSeq(s string) iter.Seq[string]             { return strings.FieldsSeq(Text(s)) }
func FieldsFunc(s string, f func(rune) bool) []string { return strings.FieldsFunc(Text(s), f) }
func ToLower(s string) string                         { return strings.ToLower(Text(s)) }
func Repeat(s string, n int) string                   { return Text(strings.Repeat(s, n)) }
func NewReplacer(pairs ...string) *strings.Replacer   { return strings.NewReplacer(pairs...) }

func Lines(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(s) {
			if !yield(Text(line)) {
				return
			}
		}
	}
}

func DecodeRuneInString(s string) (rune, int)     { Step(); return utf8.DecodeRuneInString(s) }
func DecodeLastRuneInString(s string) (rune, int) { Step(); return utf8.DecodeLastRuneInString(s) }
func RuneStart(c byte) bool                       { Step(); return utf8.RuneStart(c) }
func FullRuneInString(s string) bool              { Step(); return utf8.FullRuneInString(s) }
func RuneCountInString(s string) int              { return utf8.RuneCountInString(Text(s)) }

func Marshal(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	add(1 + len(data))
	return data, err
}

func Valid(data []byte) bool { add(1 + len(data)); return json.Valid(data) }

func MustCompile(expression string) *regexp.Regexp { return regexp.MustCompile(expression) }

func Unmarshal(data []byte, v any) error { add(1 + len(data)); return json.Unmarshal(data, v) }

// Search counts the steps of f.
func Search(n int, f func(int) bool) int { return sort.Search(n, f) }
