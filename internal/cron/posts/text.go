package posts

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/cron/schedule"
	"discoclaw/internal/forum"
)

// cadences are tags that say how often a job runs. They follow its schedule.
var cadences = []schedule.Cadence{schedule.Frequent, schedule.Hourly, schedule.Daily, schedule.Weekly,
	schedule.Monthly, schedule.Yearly, schedule.Single}

func isCadence(tag string) bool {
	return slices.Contains(cadences, schedule.Cadence(strings.ToLower(tag)))
}

// project returns the post that a job should have.
func project(j cron.Job, tags forum.TagSet) forum.Post {
	plan, _ := j.Plan()
	p := forum.Post{Forum: tags.Forum, Name: j.Name, Archived: j.Archived || j.Over()}
	words := slices.Clone(j.Tags)
	if plan.String() != "" {
		p.Name = schedule.ThreadName(plan.Cadence(), j.Name)
		words = append([]string{string(plan.Cadence())}, words...)
	}
	for _, word := range words {
		if id := tags.IDs[strings.ToLower(word)]; id != "" && len(p.Tags) < forum.MaxTags && !slices.Contains(p.Tags, id) {
			p.Tags = append(p.Tags, id)
		}
	}
	slices.Sort(p.Tags)
	return p
}

// idMark stands in the bot's message about a job.
func idMark(id string) string { return "**ID:** `" + id + "`" }

var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?m)^\\*\\*ID:\\*\\* `(cron-[0-9a-f]{8,})`$") })

// markedID is the ID of the job whose post begins with a text of the bot, or empty. Its prompt comes after it.
func markedID(starter string) string {
	found := marked().FindStringSubmatch(starter)
	if found == nil {
		return ""
	}
	return found[1]
}

const deletedText = "This scheduled job was deleted."

func hiddenName(j cron.Job) string { return "🔒 " + j.ID }

func hidden(name string) bool { return strings.HasPrefix(name, "🔒 cron-") }

func hiddenText(j cron.Job) string {
	return idMark(j.ID) + "\nThis scheduled job belongs to a channel that not everybody here may see."
}

// shown is the bot's message about a job: when and where it runs, its last run, its next ones, and its prompt.
func (e *Engine) shown(j cron.Job, last *cron.Past) string {
	lines := []string{idMark(j.ID), "**When:** " + e.Jobs.Times(j.Definition, time.Time{}), "**Where:** " + j.Channel.Mention(), "**For:** " + j.Author.Mention()}
	switch {
	case j.Archived:
		lines = append(lines, "**Paused** until this post is taken out of the archive.")
	case j.Paused:
		lines = append(lines, "**Paused** until it is resumed.")
	case j.Over():
		lines = append(lines, "**Over.** Give it a new time to have it run again.")
	default:
		if next := Upcoming(j.Definition, j.Next.Add(-1), 3); len(next) > 0 && !j.Next.IsZero() {
			lines = append(lines, "**Next:** "+times(next))
		}
	}
	switch {
	case last == nil:
	case last.Status == cron.LeftOut:
		lines = append(lines, fmt.Sprintf("**Left out:** %s (%s)", chat.Clock(last.Slot), last.Error))
	default:
		outcome := map[cron.Status]string{cron.Success: "done", cron.Failed: "failed", cron.Canceled: "stopped"}[last.Status]
		line := fmt.Sprintf("**Last run:** %s, %s", chat.FromNow(last.Ended), outcome)
		if last.Input+last.Output > 0 {
			line += fmt.Sprintf(" (%d tokens read, %d written)", last.Input, last.Output)
		}
		lines = append(lines, line+"; "+chat.Counted(j.Runs, "run", "runs")+" so far")
	}
	facts := strings.Join(lines, "\n")
	return facts + "\n" + quoted(j.Prompt, forum.MaxStarter-chat.Length(facts+howTo)-2) + "\n" + howTo
}

// howTo ends the message about a job.
const howTo = "-# Archive this post to pause the job; delete it to delete the job."

// quoted is a text as a quote of at most so many characters.
func quoted(text string, most int) string {
	quote := "> " + strings.ReplaceAll(chat.Visible(text), "\n", "\n> ")
	return chat.Shorten(quote, most)
}

func times(list []time.Time) string {
	var parts []string
	for _, t := range list {
		parts = append(parts, chat.Clock(t))
	}
	return strings.Join(parts, ", ")
}

// Upcoming returns the next times of a definition after a moment.
func Upcoming(d cron.Definition, after time.Time, n int) []time.Time {
	plan, zone := d.Plan()
	if plan.String() == "" {
		return nil
	}
	return plan.Upcoming(after, zone, n)
}

// readTime bounds the wait for a model that reads a text.
const readTime = 30 * time.Second

// suggest tags a new job as a model suggests, if it has no tags and the forum has some that do not say how often a job runs.
func (e *Engine) suggest(ctx context.Context, j cron.Job, tags forum.TagSet) cron.Job {
	var names []string
	for _, name := range tags.Names {
		if !isCadence(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	live := e.live.Load()
	if len(j.Tags) > 0 || len(names) == 0 || live == nil || live.Suggest == nil || !e.asked.May() {
		return j
	}
	asked, cancel := context.WithTimeout(ctx, forum.SuggestTime)
	defer cancel()
	chosen, err := live.Suggest(asked, j, names)
	if err != nil {
		e.Log.DebugContext(ctx, "cannot suggest tags for a scheduled job", "job", j.ID, "err", err)
		return j
	}
	fit := forum.Chosen(names, chosen)
	_, after, err := e.Jobs.Update(ctx, j.Guild, j.ID, func(j *cron.Job) error { j.Tags = fit; return nil })
	if err != nil || len(fit) == 0 {
		return j
	}
	return after
}
