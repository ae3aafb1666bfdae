package posts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/commands"
	"discoclaw/internal/cron"
	"discoclaw/internal/cron/schedule"
	"discoclaw/internal/forum"
)

// Said is what a person's text says of a job.
type Said struct {
	Schedule string `json:"schedule"`
	Zone     string `json:"timezone"`
	Channel  string `json:"channel"`
	Prompt   string `json:"prompt"`
}

// An Order asks for a new job, or for a change of one: what is empty stays.
type Order struct {
	By      chat.UserID
	At      chat.Place
	Job     string // empty for a new one
	Name    string // of a new one
	Request string // names the order, so that a repeated one makes no second job
	Said
}

// defaultChannel is where a job's answers go if its post does not say.
const defaultChannel = "general"

// yes confirms a draft.
const yes chat.Emoji = "✅"

// about is what the question is about that a post waits for: what was read of it, and when.
func (r record) about() string {
	return fmt.Sprintf("%s%d/%d", aboutPrefix, r.row, r.draft.Read.UnixMicro())
}

const aboutPrefix = "cron-post/"

// define reads a person's text if it is new, asks the person whether it was understood, and carries out what was confirmed. It returns the
// job as it is then.
func (e *Engine) define(ctx context.Context, r *record, j *cron.Job, thread chat.Channel, whole bool) (*cron.Job, error) {
	if r.Job != "" && j == nil {
		return nil, nil // it was deleted, and its post with it
	}
	if (whole || r.read == "") && !thread.Archived {
		if err := e.readText(ctx, r, j, thread); err != nil {
			return j, err
		}
	}
	switch {
	case r.draft == nil:
		return j, nil
	case r.draft.Problem != "":
		return j, e.tellProblem(ctx, r)
	case r.draft.Confirmed:
		return e.apply(ctx, r, j, thread)
	case r.draft.Question == "":
		return j, e.ask(ctx, r)
	case whole:
		return j, e.askAgain(ctx, r, thread)
	}
	return j, nil
}

// askAgain asks once more if the question was deleted before it was answered, or waits no longer.
func (e *Engine) askAgain(ctx context.Context, r *record, thread chat.Channel) error {
	_, err := e.Server.Message(ctx, r.Thread, r.draft.Question)
	expired := err == nil && time.Since(r.draft.Read) > choices.Retention && !thread.Archived
	if !chat.IsGone(err) && !expired {
		return err
	}
	if expired {
		if err := e.withdraw(ctx, r, "-# This has waited too long, so I ask again below."); err != nil {
			return err
		}
	}
	err = e.rows.save(ctx, r, func(now *record) {
		if now.draft != nil && !now.draft.Confirmed {
			now.draft.Read, now.draft.Question = time.UnixMicro(time.Now().UnixMicro()), ""
		}
	})
	if err != nil || r.draft == nil || r.draft.Question != "" {
		return err
	}
	return e.ask(ctx, r)
}

// readText reads the first message of a person's post, unless it was read before.
func (e *Engine) readText(ctx context.Context, r *record, j *cron.Job, thread chat.Channel) error {
	m, err := e.Server.Message(ctx, r.Thread, chat.MessageID(r.Thread))
	if chat.IsGone(err) {
		return nil // the person has deleted it, and the job stays
	}
	if err != nil || forum.Hash(m.Text) == r.read {
		return err
	}
	if e.posts.Allowed != nil && !e.posts.Allowed(r.Owner, thread.Place()) {
		return nil // the person is not served any more
	}
	next, problem, err := &draft{}, errors.New("it looks like a secret, which I show to no model; delete it, and change the secret, since others may have read it"), error(nil)
	if !commands.Secret(m.Text) && !commands.Secret(thread.Name) {
		if next, problem, err = e.understood(ctx, *r, m.Text); err != nil {
			return err
		}
	}
	if err := e.withdraw(ctx, r, "-# This was about an earlier version of the text above."); err != nil {
		return err
	}
	if problem != nil {
		next = &draft{Problem: unclear(problem, j != nil)}
	}
	if next != nil {
		next.Read, next.Name = time.UnixMicro(time.Now().UnixMicro()), nameOf(thread.Name)
	}
	return e.rows.save(ctx, r, func(now *record) { now.read, now.draft = forum.Hash(m.Text), next })
}

// tellProblem says what is wrong with a text. It was read already, so that nothing is paid for again if that cannot be said.
func (e *Engine) tellProblem(ctx context.Context, r *record) error {
	if _, err := e.note(ctx, *r, fmt.Sprint("problem-", r.draft.Read.UnixMicro()), r.draft.Problem); err != nil && !chat.IsPermanent(err) {
		return err
	}
	return e.rows.save(ctx, r, func(now *record) { now.draft = nil })
}

// understood returns what a text asks for, nothing if that is what was confirmed already, or what is wrong with it, for people.
func (e *Engine) understood(ctx context.Context, r record, text string) (next *draft, problem, err error) {
	said, exact := block(text)
	if !exact {
		if said, problem = e.readWithModel(ctx, r.Owner, text, r.agreed); problem != nil {
			return nil, problem, nil
		}
	}
	if said.Schedule == "" {
		return nil, errors.New("I could not tell at which times it should run"), nil
	}
	if said.Prompt == "" && r.agreed != nil {
		said.Prompt = r.agreed.Prompt
	}
	switch {
	case said.Zone != "":
	case r.agreed != nil:
		said.Zone = r.agreed.Zone
	default:
		said.Zone = e.Jobs.ZoneOf(ctx, r.Owner).String()
	}
	d, problem := e.Jobs.Checked(cron.Definition{Name: "job", Schedule: said.Schedule, Zone: said.Zone, Prompt: said.Prompt})
	if problem != nil {
		return nil, problem, nil
	}
	if r.agreed != nil && r.agreed.Schedule != d.Schedule { // the same words still count from the same day
		from, _ := schedule.Limit(r.agreed.Schedule, "from")
		same := cron.Definition{Name: "job", Schedule: said.Schedule + " from " + from, Zone: said.Zone, Prompt: said.Prompt}
		if again, err := e.Jobs.Checked(same); err == nil && again.Schedule == r.agreed.Schedule {
			d = again
		}
	}
	if r.agreed == nil || r.agreed.Schedule != d.Schedule || r.agreed.Zone != d.Zone {
		if problem := e.Jobs.Ahead(d); problem != nil {
			return nil, problem, nil
		}
	}
	said = Said{d.Schedule, d.Zone, said.Channel, d.Prompt}
	if said.Channel = strings.TrimPrefix(strings.TrimSpace(said.Channel), "#"); said.Channel == "" {
		said.Channel = defaultChannel
	}
	ch, problem := e.Server.Channel(ctx, r.Guild, r.Owner, chat.ChannelRef(said.Channel))
	if problem != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		return nil, problem, nil
	}
	if r.agreed != nil && *r.agreed == said {
		return nil, nil, nil
	}
	return &draft{Said: said, Target: ch.ID}, nil, nil
}

// readWithModel has a model read a text. A problem is for people.
func (e *Engine) readWithModel(ctx context.Context, by chat.UserID, text string, before *Said) (Said, error) {
	live := e.live.Load()
	if live == nil || live.Read == nil || !e.asked.May() {
		return Said{}, errors.New("I have read many posts in the last minutes and take a break")
	}
	asked, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	said, err := live.Read(asked, by, text, before)
	if err != nil {
		e.Log.WarnContext(ctx, "cannot read the post of a scheduled job with a model", "err", err)
		return Said{}, errors.New("I could not understand when it should run and what is to be done")
	}
	return said, nil
}

// block returns what a text says exactly: with nothing but fields, at least the times and the prompt, or with some in a fenced block.
func block(text string) (Said, bool) {
	if said, nothingElse := fieldsIn(text); nothingElse && said.Schedule != "" && said.Prompt != "" {
		return said, true
	}
	_, rest, found := strings.Cut(text, "```")
	inside, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		return Said{}, false
	}
	said, _ := fieldsIn(inside)
	return said, said.Schedule != "" || said.Prompt != ""
}

// fieldsIn reads one field a line; the prompt goes on to the end of the text. Other lines are passed over.
func fieldsIn(text string) (said Said, nothingElse bool) {
	nothingElse = true
	fields := map[string]*string{"schedule": &said.Schedule, "timezone": &said.Zone, "channel": &said.Channel, "prompt": &said.Prompt}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		field := fields[strings.ToLower(strings.TrimSpace(name))]
		if field == nil {
			nothingElse = false
			continue
		}
		*field = strings.TrimSpace(value)
		if field == &said.Prompt {
			said.Prompt = strings.TrimSpace(value + "\n" + strings.Join(lines[i+1:], "\n"))
			break
		}
	}
	return said, nothingElse
}

// withdraw takes back the question of a draft that is replaced, and says why.
func (e *Engine) withdraw(ctx context.Context, r *record, why string) error {
	if r.draft == nil || r.draft.Question == "" {
		return nil
	}
	if err := e.Choices.Forget(ctx, r.draft.Question); err != nil {
		return err
	}
	return e.reword(ctx, *r, r.draft.Question, why)
}

// reword changes a question that is answered or taken back. It stays as it is if it was deleted, or its post archived.
func (e *Engine) reword(ctx context.Context, r record, question chat.MessageID, text string) error {
	err := e.Server.Edit(ctx, r.Thread, question, chat.Outgoing{Text: text})
	if err != nil && !chat.IsGone(err) && !chat.IsPermanent(err) {
		return fmt.Errorf("change a question: %w", err)
	}
	return nil
}

// ask shows a person what was understood, and asks whether it is right.
func (e *Engine) ask(ctx context.Context, r *record) error {
	d := *r.draft
	id, err := e.note(ctx, *r, fmt.Sprint("question-", d.Read.UnixMicro()), e.question(*r, d))
	if err != nil {
		return err
	}
	err = e.Choices.Register(ctx, choices.Question{
		Message: id, Channel: r.Thread, Guild: r.Guild, Requester: r.Owner, Text: "Is this right?", Choices: []chat.Emoji{yes}, About: r.about(),
	})
	if err != nil {
		return err
	}
	if err := e.Server.React(ctx, r.Thread, id, yes); err != nil && !chat.IsPermanent(err) { // the person can add it as well
		return err
	}
	return e.rows.save(ctx, r, func(now *record) {
		if now.draft != nil && now.draft.Read.Equal(d.Read) {
			now.draft.Question = id
		}
	})
}

// question is what a person is asked to confirm.
func (e *Engine) question(r record, d draft) string {
	def := cron.Definition{Trigger: cron.BySchedule, Schedule: d.Schedule, Zone: d.Zone}
	first := r.Owner.Mention() + ", I read this as a scheduled job:"
	last := fmt.Sprintf("React with %s to start it, or edit your text.", yes)
	if r.Job != "" {
		first = r.Owner.Mention() + ", I read your new text like this:"
		last = fmt.Sprintf("React with %s to change the job. Until then it stays as it was.", yes)
	}
	if r.Job == "" {
		first += " " + chat.Bold(d.Name)
	}
	facts := strings.Join([]string{
		first, "**When:** " + e.Jobs.Times(def, e.Jobs.Now()), "**Where:** " + d.Target.Mention(), "**Next:** " + cmp.Or(times(Upcoming(def, e.Jobs.Now(), 3)), "none, since that has passed"),
	}, "\n")
	return facts + "\n" + quoted(d.Prompt, forum.MaxStarter-chat.Length(facts+last)-2) + "\n" + last
}

// unclear says what is wrong with a text, and how to write it.
func unclear(problem error, exists bool) string {
	text := "I can't make a scheduled job of this: " + problem.Error() + ". Edit your text, or write it like this:\n" +
		"```\nschedule: weekdays at 7:00\ntimezone: Europe/Berlin\nchannel: general\nprompt: Say what the weather will be today.\n```"
	if exists {
		text += "Until then the job stays as it was."
	}
	return text
}

// Answered notes that a person has confirmed a draft. It is idempotent.
func (e *Engine) Answered(ctx context.Context, q choices.Question) error {
	about, found := strings.CutPrefix(q.About, aboutPrefix)
	row, _, _ := strings.Cut(about, "/")
	if !found {
		return nil
	}
	r, err := e.rows.get(ctx, "id = ?", row)
	if errors.Is(err, cron.ErrNotFound) {
		return nil // the post is gone
	}
	if err != nil {
		return err
	}
	err = e.rows.save(ctx, &r, func(now *record) {
		if now.draft != nil && now.about() == q.About {
			now.draft.Confirmed, now.draft.Question = true, q.Message
		}
	})
	e.RetryAfter(r.key(), 0)
	e.Wake()
	return err
}

// apply has a job made or changed as its author has confirmed.
func (e *Engine) apply(ctx context.Context, r *record, j *cron.Job, thread chat.Channel) (*cron.Job, error) {
	d := *r.draft
	o := Order{By: r.Owner, At: thread.Place(), Job: r.Job, Request: fmt.Sprintf("post/%d/%d", r.row, d.Read.UnixMicro()), Said: d.Said, Name: d.Name}
	o.Channel = string(d.Target)
	if r.Job != "" && r.agreed != nil {
		o.Said = changes(*r.agreed, o.Said, d.Channel)
	}
	id, refused, err := e.live.Load().Apply(ctx, o)
	if err != nil {
		return j, err
	}
	if refused != nil {
		if _, err := e.note(ctx, *r, fmt.Sprint("refused-", d.Read.UnixMicro()), "I can't do that: "+refused.Error()+". Edit your text when that has changed."); err != nil {
			return j, err
		}
		return j, e.rows.save(ctx, r, func(now *record) { now.draft = nil })
	}
	isNew := r.Job == ""
	if !isNew {
		if err := e.reword(ctx, *r, d.Question, "Done: changed "+changedWords(o.Said)+"."); err != nil {
			return j, err
		}
	}
	err = e.rows.save(ctx, r, func(now *record) {
		now.Job, now.agreed, now.draft = id, &d.Said, nil
		if isNew {
			now.message = d.Question
		}
	})
	if err != nil {
		return j, err
	}
	return e.job(ctx, *r)
}

// changes returns what differs between two texts; the channel of the new one was found already.
func changes(old, now Said, name string) Said {
	if old.Schedule == now.Schedule {
		now.Schedule = ""
	}
	if old.Zone == now.Zone {
		now.Zone = ""
	}
	if old.Channel == name {
		now.Channel = ""
	}
	if old.Prompt == now.Prompt {
		now.Prompt = ""
	}
	return now
}

// changedWords says what a change changes.
func changedWords(s Said) string {
	var parts []string
	for _, p := range []struct{ value, word string }{{s.Schedule, "its times"}, {s.Zone, "its time zone"}, {s.Channel, "its channel"}, {s.Prompt, "its prompt"}} {
		if p.value != "" {
			parts = append(parts, p.word)
		}
	}
	return chat.And(parts)
}

// nameOf is the name of a job by that of its post.
func nameOf(thread string) string {
	name := strings.TrimSpace(chat.Shorten(chat.OneLine(schedule.JobName(thread)), cron.MaxName))
	if name == "" {
		return "Job of " + time.Now().Format("2006-01-02")
	}
	return name
}
