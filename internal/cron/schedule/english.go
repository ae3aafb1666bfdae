package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// forms are an example of each English form, and of a date. Time and days may stand in either order.
var forms = []string{
	"every 15 minutes", "every 2 hours", "every day at 7:30", "weekdays at 7", "weekends at noon", "every Monday and Thursday at 6 pm",
	"every second Tuesday at 9 from 2 December", "every 3 days at 9 until 1 March", "on the 1st of every month at 9", "every second month on the 1st at 9",
	"first Monday of the month at 9", "last Friday of the month at 17:00", "weekdays at 9 but not on 24 and 31 December", "once " + onceExample, "@every 90m",
}

func formsHelp() string {
	return "write it like one of these: " + strings.Join(forms, "; ")
}

// An english is a text in one of the English forms, read word by word. Every word is understood, or the whole is
// refused: to leave one out would be to guess.
type english struct {
	text  string
	now   time.Time // zero if it is not known
	words []string
	at    int // the next word

	// Fields of the expression, empty until they were read.
	interval     string // minute and hour
	clocks       string // minute and hour
	day, weekday string

	limits limits
	timed  bool // whether their beginning may have a time of day
}

func newEnglish(text string, now time.Time) *english {
	return &english{text: text, now: now, words: englishWords(text)}
}

// read turns the text into an expression, and limits.
func (e *english) read() (string, error) {
	for e.at < len(e.words) {
		if err := e.part(); err != nil {
			return "", err
		}
	}
	return e.expression()
}

// isoDate finds a date such as 2026-12-24, maybe with a time after it.
var isoDate = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(\d{4})-(\d\d?)-(\d\d?)(?:t(\d\d?:\d\d))?\b`) })

func englishWords(text string) []string {
	text = isoDate().ReplaceAllString(strings.ToLower(text), " $1/$2/$3 $4 ")
	text = strings.NewReplacer(",", " , ", "&", " and ", "-", " to ", "–", " to ", "’", "'", "a.m.", "am", "p.m.", "pm").Replace(text)
	var words []string
	for _, word := range strings.Fields(strings.TrimRight(text, " .!?")) {
		end := len(word) - len("am")
		switch {
		case word == "o'clock" || word == "oclock":
		case end > 0 && (word[end:] == "am" || word[end:] == "pm"): // 7pm
			words = append(words, word[:end], word[end:])
		default:
			words = append(words, word)
		}
	}
	return words
}

// part reads what comes next: how often, at what time, or on which days.
func (e *english) part() error {
	if e.at > 0 {
		e.separator()
	}
	for _, read := range []func() (bool, error){e.readEvery, e.readLimit, e.readInterval, e.readClocks, e.readDays} {
		if found, err := read(); found || err != nil {
			return err
		}
	}
	return e.notUnderstood()
}

func (e *english) notUnderstood() error {
	return fmt.Errorf("I do not understand %s as a schedule; %s", clipped(e.text), formsHelp())
}

// expression puts together what was read.
func (e *english) expression() (string, error) {
	days := "* * *"
	if e.day != "" {
		days = e.day + " * " + e.weekday
	}
	switch {
	case e.day == "" && e.limits.every > 0 && e.limits.unit != byDay:
		return "", fmt.Errorf("%s does not say on which days; add them, as in \"every 2 weeks on Tuesday at 9\"", clipped(e.text))
	case (e.interval == "") != (e.clocks == ""):
		return e.interval + e.clocks + " " + days, nil
	case e.interval == "" && (e.day != "" || e.limits.every > 0):
		return "", fmt.Errorf("%s does not say at what time; add it, such as \"at 9:00\"", clipped(e.text))
	}
	return "", e.notUnderstood()
}

// accept reads the words, if they come next.
func (e *english) accept(words ...string) bool {
	if !slices.Equal(e.words[e.at:min(len(e.words), e.at+len(words))], words) {
		return false
	}
	e.at += len(words)
	return true
}

// one reads one of the words, if it comes next.
func (e *english) one(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return e.accept(word) })
}

// next is the next word, or empty.
func (e *english) next() string {
	if e.at == len(e.words) {
		return ""
	}
	return e.words[e.at]
}

func (e *english) separator() bool {
	comma := e.accept(",")
	return e.accept("and") || comma
}

// list reads items as long as they come, with separators between them.
func (e *english) list(item func() bool) (found bool) {
	for {
		start := e.at
		if found && !e.separator() || !item() {
			e.at = start
			return found
		}
		found = true
	}
}

// readInterval reads how often, such as "every 15 minutes".
func (e *english) readInterval() (bool, error) {
	start := e.at
	switch {
	case e.accept("hourly"):
		return true, e.setInterval(60)
	case !e.one("every", "each"):
		return false, nil
	case e.accept("half", "hour"):
		return true, e.setInterval(30)
	}
	n, _ := e.number()
	switch {
	case e.one("minute", "minutes", "min", "mins"):
		return true, e.setInterval(n)
	case e.one("hour", "hours", "hr", "hrs"):
		return true, e.setInterval(60 * n)
	}
	e.at = start
	return false, nil
}

// numberWords are the numbers that people write out.
var numberWords = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// number reads a number, and is 1 without one.
func (e *english) number() (n int, counted bool) {
	n, ok := digits(e.next(), 4)
	if !ok {
		n = slices.Index(numberWords, e.next())
	}
	if n < 0 {
		return 1, false
	}
	e.at++
	return n, true
}

// digits reads a number, and is -1 without one.
func digits(text string, most int) (int, bool) {
	if text == "" || len(text) > most || strings.Trim(text, "0123456789") != "" {
		return -1, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// intervals are those, in minutes, that an expression can say: others do not come out even at the end of the hour or of
// the day, where its steps begin anew.
var intervals = []int{1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720}

func (e *english) setInterval(minutes int) error {
	if e.interval != "" {
		return e.notUnderstood()
	}
	i, possible := slices.BinarySearch(intervals, minutes)
	switch {
	case i == len(intervals):
		return errors.New("every 12 hours is the longest interval; for less often name the time and the days, such as \"every day at 7:30\"")
	case i == 0 && !possible:
		return errors.New("every minute is the shortest interval")
	case !possible:
		return fmt.Errorf("%s does not fit evenly into hours or days; the nearest that do are %q and %q; @every %dm runs nevertheless, counted from its first time",
			intervalWords(minutes), intervalWords(intervals[i-1]), intervalWords(intervals[i]), minutes)
	case minutes == 1:
		e.interval = "* *"
	case minutes < 60:
		e.interval = fmt.Sprintf("*/%d *", minutes)
	case minutes == 60:
		e.interval = "0 *"
	default:
		e.interval = fmt.Sprintf("0 */%d", minutes/60)
	}
	return nil
}

func intervalWords(minutes int) string {
	n, unit := minutes, "minute"
	if minutes%60 == 0 {
		n, unit = minutes/60, "hour"
	}
	if n == 1 {
		return "every " + unit
	}
	return fmt.Sprintf("every %d %ss", n, unit)
}

// readClocks reads times of day, such as "at 7 and 19:00".
func (e *english) readClocks() (bool, error) {
	at := e.accept("at")
	var hours, minutes uint64
	clocks, halves, bare := map[int]bool{}, 0, 0
	found := e.list(func() bool {
		e.accept("at")
		clock, half, ok := e.clock(at)
		if !ok {
			return false
		}
		clocks[clock] = true
		hours |= 1 << (clock / 60)
		minutes |= 1 << (clock % 60)
		switch {
		case half != "":
			halves++
		case clock != 0 && clock != 12*60:
			bare++
		}
		return true
	})
	switch {
	case !found && !at:
		return false, nil
	case !found || e.clocks != "":
		return false, e.notUnderstood()
	case halves > 0 && bare > 0: // "7 and 9 pm"
		return false, fmt.Errorf("%s: write am or pm after each of the times, or after none", clipped(e.text))
	case bits.OnesCount64(hours)*bits.OnesCount64(minutes) != len(clocks): // an expression has each minute in each hour
		return false, fmt.Errorf("%s: the times have different minutes, which one schedule cannot say; make a job for each", clipped(e.text))
	}
	e.clocks = numbers(minutes) + " " + numbers(hours)
	return true, nil
}

// clock reads a time of day, in minutes, with "am" or "pm" if it has that. A bare number is a time only after "at".
func (e *english) clock(at bool) (clock int, half string, ok bool) {
	switch {
	case e.accept("noon"):
		return 12 * 60, "", true
	case e.accept("midnight"):
		return 0, "", true
	}
	hourText, minuteText, colon := strings.Cut(e.next(), ":")
	hour, ok := digits(hourText, 2)
	minute := 0
	if colon && ok {
		minute, ok = digits(minuteText, 2)
		ok = ok && len(minuteText) == 2
	}
	if !ok || hour > 23 || minute > 59 {
		return 0, "", false
	}
	e.at++
	if word := e.next(); e.one("am", "pm") {
		if hour < 1 || hour > 12 {
			return 0, "", false
		}
		half, hour = word, hour%12
		if half == "pm" {
			hour += 12
		}
	}
	return hour*60 + minute, half, at || colon || half != ""
}

// numbers writes a set as a field of an expression, such as 1-5 or 7,19.
func numbers(set uint64) string {
	var items []string
	for _, run := range runs(set) {
		switch {
		case run.high-run.low > 1:
			items = append(items, fmt.Sprintf("%d-%d", run.low, run.high))
		case run.high > run.low:
			items = append(items, strconv.Itoa(run.low), strconv.Itoa(run.high))
		default:
			items = append(items, strconv.Itoa(run.low))
		}
	}
	return strings.Join(items, ",")
}

// A run is a span of numbers in a set, of which all are in the set.
type run struct{ low, high int }

func runs(set uint64) []run {
	var list []run
	for set != 0 {
		low := bits.TrailingZeros64(set)
		high := low + bits.TrailingZeros64(^(set >> low)) - 1
		list = append(list, run{low, high})
		set = set >> (high + 1) << (high + 1)
	}
	return list
}
