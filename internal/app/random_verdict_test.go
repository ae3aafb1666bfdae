package app

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/test/chaos"
)

// A verdict is the result of a day.
type verdict struct {
	said, mishaps, givenUp, lost, doubled int
	undone                                int // wishes that were lost or fulfilled twice

	badSeeds []uint64 // of days that failed
}

func (v *verdict) add(other verdict) {
	v.said, v.mishaps, v.givenUp = v.said+other.said, v.mishaps+other.mishaps, v.givenUp+other.givenUp
	v.lost, v.doubled, v.undone = v.lost+other.lost, v.doubled+other.doubled, v.undone+other.undone
	v.badSeeds = append(v.badSeeds, other.badSeeds...)
}

func (v *verdict) table(seeds []uint64) chaos.Table {
	return chaos.Table{
		Summary: fmt.Sprintf("The seeds are %s.", spans(seeds)),
		Head:    []string{"runs", "messages", "mishaps", "given up after three kills, and said so", "without an answer", "answered twice", "actions and deferred runs lost, or done twice"},
		Rows:    [][]string{row(fmt.Sprint(len(seeds)), v.said, v.mishaps, v.givenUp, v.lost, v.doubled, v.undone)},
	}
}

// A judge checks the result of a day.
type judge struct {
	*badDay
	verdict
	own []fakediscord.Message // the bot's messages
}

func (d *badDay) judge() verdict {
	j := &judge{badDay: d, verdict: verdict{said: len(d.people.said) + len(d.commands) + len(d.reactions), mishaps: d.mishaps}}
	bot := d.world.UserID("bot")
	for _, ch := range d.world.Channels() {
		for _, m := range d.world.Messages(string(ch.ID)) {
			if m.Author == bot {
				j.own = append(j.own, m)
			}
		}
	}
	for n := range d.people.said {
		j.judgeSaying(n)
	}
	for _, c := range d.commands {
		j.count(fmt.Sprintf("the command %s", c.id), len(j.repliesTo(c.id)), true)
	}
	for n, r := range d.reactions {
		// On a full disk, people are asked to repeat a reaction that is not accepted.
		wanted := r.heard && (r.written || !d.diskFull) && !j.isGivenUp(r.id)
		j.count(fmt.Sprintf("the reaction to remark %d", n), len(j.about(noticed, n)), wanted)
	}
	j.judgePlaceholders()
	j.judgeTasks()
	return j.verdict
}

// count checks that something was answered once. Without wanted, it may also be unanswered.
func (j *judge) count(what string, answers int, wanted bool) {
	switch {
	case answers == 0 && wanted:
		j.lost++
		j.t.Errorf("%s was not answered", what)
	case answers > 1:
		j.doubled++
		j.t.Errorf("%s was answered %d times", what, answers)
	}
}

// wrong reports that a wish was not fulfilled as it should be.
func (j *judge) wrong(format string, args ...any) {
	j.undone++
	j.t.Errorf(format, args...)
}

func (j *judge) judgeSaying(n int) {
	s := j.people.said[n]
	report, reported := j.report(n)
	answers := len(j.about(indeed, n))
	if answers == 0 && lookFailed.MatchString(report.Content) {
		answers = len(j.about(looking, n)) // there is no further answer then
	}
	givenUp := answers == 0 && j.areGivenUp(n)
	if givenUp {
		j.givenUp++
	}
	j.count(fmt.Sprintf("saying %d", n), answers, !givenUp && !s.deleted)
	if ch, _ := j.world.Channel(s.channel); reported && report.Channel != ch.ID {
		j.t.Errorf("saying %d in %s was answered elsewhere", n, s.channel)
	}
	if len(j.about(looking, n)) > 1 || len(j.about(soBeIt, n)) > 1 {
		j.t.Errorf("a part of the answer to saying %d is there twice", n)
	}
	if done := j.done(n); done > 1 {
		j.wrong("what saying %d asked for was done %d times", n, done)
	}
	if reported {
		j.judgeReport(n, report)
	}
	if s.wish == errand {
		j.judgeErrand(n)
	}
}

// Patterns of the model's answers, with the numbers that they are about.
var (
	indeed    = regexp.MustCompile(`Indeed: ([\d, ]+)\.`)
	looking   = regexp.MustCompile(`Looking: ([\d, ]+)\.`)
	soBeIt    = regexp.MustCompile(`So be it: ([\d, ]+)\.`)
	noticed   = regexp.MustCompile(`Noticed: (\d+)\.`)
	errandRan = regexp.MustCompile(`Errand: (\d+)\.`)
	errandEnd = regexp.MustCompile(`The errand is over: (\d+)\.`) // in a follow-up after a failure
)

// about returns the messages that match a pattern with number n.
func (j *judge) about(what *regexp.Regexp, n int) (list []fakediscord.Message) {
	for _, m := range j.own {
		found := what.FindStringSubmatch(m.Content)
		if found != nil && slices.Contains(strings.Split(found[1], ", "), strconv.Itoa(n)) {
			list = append(list, m)
		}
	}
	return list
}

// repliesTo returns the replies to a message, except for those that it has to wait.
func (j *judge) repliesTo(id chat.MessageID) (list []fakediscord.Message) {
	for _, m := range j.own {
		if m.ReplyTo == id && !strings.Contains(m.Content, "I cannot start anything safely") {
			list = append(list, m)
		}
	}
	return list
}

// isGivenUp reports whether the bot dropped a message after three attempts, because the process was
// killed in each, and said so.
func (j *judge) isGivenUp(id chat.MessageID) bool {
	return slices.ContainsFunc(j.repliesTo(id), func(m fakediscord.Message) bool { return strings.Contains(m.Content, "after three tries") })
}

// areGivenUp reports the same for a saying. Sayings that share a turn are dropped together.
func (j *judge) areGivenUp(n int) bool {
	return slices.ContainsFunc(append(j.model.together(n), n), func(other int) bool { return j.isGivenUp(j.people.said[other].id) })
}

// done returns how often the wish of a saying was fulfilled.
func (j *judge) done(n int) (count int) {
	switch j.people.said[n].wish {
	case word:
		return j.inLog(fmt.Sprintf("word %d", n))
	case room:
		for _, ch := range j.world.Channels() {
			if ch.Name == fmt.Sprintf("room-%d", n) {
				count++
			}
		}
	default:
		count = j.fulfilled(n)
	}
	return count
}

// inLog counts the messages in #log with a text.
func (j *judge) inLog(text string) (count int) {
	for _, m := range j.world.Messages("log") {
		if m.Content == text {
			count++
		}
	}
	return count
}

// reports returns the answers that list the actions for a saying.
func (j *judge) reports(n int) []fakediscord.Message {
	return append(j.about(looking, n), j.about(indeed, n)...)
}

// report returns the first of the reports.
func (j *judge) report(n int) (fakediscord.Message, bool) {
	for _, m := range j.reports(n) {
		return m, true
	}
	return fakediscord.Message{}, false
}

// lookFails begins the line of a query that failed. One about rights may also be of a change.
const lookFails = `Failed: I could not (?:list the channels|look up what <@\d+> may do): `

// lookFailed matches a query that failed in an outage of the server. A bot that is shutting down
// repeats it instead.
var lookFailed = regexp.MustCompile(lookFails + `.*(Discord did not answer|wait until Discord has described it)`)

// folded matches the line that stands for several failures.
var folded = regexp.MustCompile(`^Failed: .*; (\d+) things were not done$`)

// perhaps matches the report of a request without a response.
var perhaps = regexp.MustCompile(`may have been done|did not say whether it was done`)

// scheduled matches the report of a deferred run.
var scheduled = regexp.MustCompile(`come back to this in <#\d+> on (<t:\d+:f>)`)

// judgeReport compares a report with what was done. It may be about several sayings.
func (j *judge) judgeReport(n int, report fakediscord.Message) {
	jobs := scheduled.FindAllStringSubmatch(report.Content, -1)
	missing, ran, looks, byArchive := -len(jobs), 0, 0, 0
	for i, s := range j.people.said {
		if !slices.ContainsFunc(j.reports(i), func(m fakediscord.Message) bool { return m.ID == report.ID }) {
			continue
		}
		switch s.wish {
		case word, room:
			missing += 1 - min(j.done(i), 1)
		case look:
			looks++
		case errand:
			missing++
			ran += len(j.about(errandRan, i))
		case nothing:
		default:
			missing += 1 - min(j.done(i), 1)
			if j.byArchive(s.wish) {
				byArchive++
			}
		}
	}
	j.judgeJobs(n, ran, jobs)
	// The line of a query that failed in an outage does not say that it was one.
	failed := strings.Count(report.Content, "Failed: ") - min(looks, len(lookFailed.FindAllString(report.Content, -1)))
	unclear := byArchive + strings.Count(report.Content, interrupted) + len(perhaps.FindAllString(report.Content, -1))
	lines := strings.Split(report.Content, "\n")
	for _, line := range lines {
		if all := folded.FindStringSubmatch(line); all != nil {
			n, _ := strconv.Atoi(all[1])
			failed += n - 1
			if strings.Contains(line, interrupted) || perhaps.MatchString(line) {
				unclear += n - 1
			}
		}
	}
	if missing > failed || missing < failed-unclear {
		j.wrong("the report about saying %d says that %d failed, of which %d may have been done; %d are missing:\n%s", n, failed, unclear, missing, report.Content)
	}
}

// judgeErrand checks that a deferred run did not run twice.
func (j *judge) judgeErrand(n int) {
	ran, words := len(j.about(errandRan, n)), j.inLog(fmt.Sprintf("word of errand %d", n))
	if ran > 1 || words > 1 {
		j.wrong("errand %d was run %d times, and did %d times what it was for", n, ran, words)
	}
	if len(j.about(errandEnd, n)) > 1 {
		j.wrong("a part of errand %d is there twice", n)
	}
}

// judgeJobs checks that each deferred run has run, or that people were told that it has not, or
// only in part.
func (j *judge) judgeJobs(n, ran int, jobs [][]string) {
	told := 0
	for _, job := range jobs {
		told += j.told(job[1])
	}
	if ran+told < len(jobs) {
		j.wrong("of %d deferred runs that saying %d led to, %d have run, and of %d it was told that they have not", len(jobs), n, ran, told)
	}
}

// told reports whether there is a notice that a deferred run, of which the due time is known, has not run, or only in part.
func (j *judge) told(due string) int {
	count, runs := 0, 0
	for _, m := range j.world.Messages("later") {
		count += strings.Count(m.Content, "wanted here at "+due)
	}
	for _, m := range j.own {
		runs += strings.Count(m.Content, "come back to this in "+j.world.ChannelID("later").Mention()+" on "+due)
	}
	if count > runs {
		j.wrong("it was told %d times that %d deferred runs due %s have not run", count, runs, due)
	}
	return min(count, 1)
}

// judgePlaceholders checks that no placeholder is left.
func (j *judge) judgePlaceholders() {
	for _, m := range j.own {
		if m.Unfinished() {
			j.t.Errorf("a reply in %s is never finished: %s", m.Channel, m.Content)
		}
	}
}
