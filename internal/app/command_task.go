package app

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/actions"
	planact "discoclaw/internal/actions/plans"
	"discoclaw/internal/actions/schema"
	taskact "discoclaw/internal/actions/tasks"
	"discoclaw/internal/chat"
	"discoclaw/internal/commands"
	"discoclaw/internal/flow"
	"discoclaw/internal/journal"
	"discoclaw/internal/tasks"
)

// taskVerbs are what !task can do.
var taskVerbs = []string{"new", "list", "show", "update", "close", "sync"}

// taskExamples has one use of each verb.
var taskExamples = map[string]string{
	"new":    "!task new Fix the login p1 due:2027-05-01 @ada #bug",
	"list":   "!task list mine",
	"show":   "!task show 7",
	"update": "!task update 7 p0 status:blocked",
	"close":  "!task close 7 shipped",
}

// taskMisuse is the error for arguments that make no sense, with an example of what would.
func taskMisuse(verb, problem string) error {
	return &commands.UsageError{Problem: problem, Example: taskExamples[verb]}
}

// taskCommand returns !task, which manages tasks without a model: each of its forms is one of the actions.
func (b *Bot) taskCommand() commands.Command {
	return commands.Command{
		Name: "task", Args: "[" + strings.Join(taskVerbs, " | ") + "]",
		Summary: "Open, list, show, change or close tasks.", Where: commands.OnServers, Off: b.partOff("tasks"), Run: b.task,
		Options: []commands.Option{
			{Name: "what", Summary: "What to do; a list of what is open if left out.", Choices: taskVerbs},
			{Name: "task", Summary: "Which task, by its ID; not for new and list.", Complete: b.openTaskIDs},
			{Name: "text", Summary: "Title, p0 to p4, due:2027-05-01, status:blocked, @somebody, #tag; for close the reason."},
		},
	}
}

// openTaskIDs returns the IDs of open tasks, for completion.
func (b *Bot) openTaskIDs(ctx context.Context, who chat.User, at chat.Place, _ string) []string {
	const most = 25
	if !b.core.readsTasks(ctx, at, who.ID) {
		return nil
	}
	list, err := b.core.tasks.Open(ctx, at.Guild, most)
	if err != nil {
		b.core.log.WarnContext(ctx, "open tasks not read", "err", err)
	}
	var ids []string
	for _, t := range list {
		ids = append(ids, t.ID)
	}
	return ids
}

func (b *Bot) task(ctx context.Context, m chat.Message, args string) (string, error) {
	verb, rest := cutWords(strings.TrimSpace(args), 1)
	verb = cmp.Or(strings.ToLower(strings.TrimSpace(verb)), "list")
	typ, input, err := taskRequest(m.Author, verb, rest)
	if err != nil {
		return "", err
	}
	answer, err := b.answerWith(ctx, m, typ, input, "Not everybody here may see the tasks. Ask me in the task forum, or with `/discoclaw task`, which answers you alone.")
	if misuse := (*commands.UsageError)(nil); errors.As(err, &misuse) {
		return "", taskMisuse(verb, misuse.Problem)
	}
	return answer, err
}

// answerWith runs an action that a command asks for, and returns its result as the answer. Hidden is the answer if not all of its readers may
// know what was found.
func (b *Bot) answerWith(ctx context.Context, m chat.Message, typ string, input any, hidden string) (string, error) {
	out, err := b.perform(ctx, m, typ, input)
	if err != nil {
		return "", err
	}
	return b.answerOf(ctx, m, out, hidden)
}

// answerOf is the answer to a command that has run an action; see answerWith.
func (b *Bot) answerOf(ctx context.Context, m chat.Message, out actions.Outcome, hidden string) (string, error) {
	switch {
	case out.Misfit():
		return "", &commands.UsageError{Problem: chat.Capital(out.Err.Error()) + "."}
	case out.Err != nil:
		return chat.Capital(out.Err.Error()) + ".", nil
	case out.Pending != nil:
		return "", nil // the card is the answer
	case out.Result.Found == "":
		return chat.Capital(out.Result.Summary) + ".", nil
	case !b.shows(ctx, m, out.Result):
		return hidden, nil
	}
	return chat.Capital(out.Result.Found) + period(out.Result.Found), nil
}

// period ends a sentence; a list has none.
func period(text string) string {
	if strings.Contains(text, "\n") {
		return ""
	}
	return "."
}

// perform runs an action that a command asks for, with the rights of its author, and writes changes into the journal.
func (b *Bot) perform(ctx context.Context, m chat.Message, typ string, input any) (actions.Outcome, error) {
	return b.performAfter(ctx, m, "", typ, input)
}

// performAfter is perform for an input with outside text.
func (b *Bot) performAfter(ctx context.Context, m chat.Message, outside chat.Sources, typ string, input any) (actions.Outcome, error) {
	args, err := schema.Encode(typ, input)
	if err != nil {
		return actions.Outcome{}, err
	}
	o := actions.Origin{Flow: actions.FlowMessage, Place: m.Place, Requester: m.Author.ID, Outside: outside}
	if m.ID != "" { // from the menu there is no message to which the journal could link, and no other reader
		o.Turn = newTurn()
		ctx = planact.WithoutOutside(taskact.WithoutOutside(ctx)) // an answer to a command is not marked, and models may read it
	}
	gate, began := b.core.registry.Gate(b.core.people, flow.Narrowings(o)...), time.Now()
	out := b.dispatcher.Execute(ctx, o, gate, []actions.Request{{Type: typ, Args: args}})[0]
	if o.Turn != "" {
		over := journal.Turn{ID: o.Turn, Flow: o.Flow, Place: o.Place, Requester: o.Requester, RequesterName: m.Author.Name, Began: began, Took: time.Since(began)}
		err = b.journal.Record(ctx, over)
	}
	return out, err
}

// shows reports whether the readers of the answer to a command may know what was found. Answers to the menu have one.
func (b *Bot) shows(ctx context.Context, m chat.Message, found actions.Result) bool {
	for _, source := range found.From {
		if ok, err := b.core.discord.Readable(ctx, m.Place.Guild, m.Place.Channel, source); m.ID != "" && (err != nil || !ok) {
			return false
		}
	}
	return true
}

// taskRequest returns the action that the arguments of !task ask for, and its input.
func taskRequest(by chat.User, verb, rest string) (typ string, input any, err error) {
	switch verb {
	case "list":
		return "taskList", taskFilter(by, rest), nil
	case "sync":
		return "taskSync", taskact.Sync{}, nil
	case "new":
		w := taskWordsOf(by, rest)
		if w.title == "" {
			return "", nil, taskMisuse(verb, "Say what is to be done.")
		}
		return "taskCreate", taskact.Create{Title: w.title, Description: w.description.Value, Priority: w.priority, Due: w.due.Value, Assignee: w.assignee.Value, Tags: w.tags}, nil
	}
	id, rest := cutWords(rest, 1)
	if id = strings.TrimSpace(id); id == "" && (verb == "show" || verb == "update" || verb == "close") {
		return "", nil, taskMisuse(verb, "Say which task, by its number; `!task list` shows them.")
	}
	switch verb {
	case "show":
		return "taskShow", taskact.Show{TaskID: id}, nil
	case "close":
		return "taskClose", taskact.Close{TaskID: id, Reason: rest}, nil
	case "update":
		in, err := taskUpdate(id, taskWordsOf(by, rest))
		return "taskUpdate", in, err
	}
	return "", nil, taskMisuse("", "I can't do that with tasks.")
}

// taskUpdate is the request of !task update.
func taskUpdate(id string, w taskWords) (taskact.Update, error) {
	in := taskact.Update{TaskID: id, Title: w.title, Description: w.description, Priority: w.priority, Due: w.due, Assignee: w.assignee}
	if len(w.tags) > 0 {
		in.Tags = schema.Some(w.tags)
	}
	if w.status == "" {
		return in, nil
	}
	status, err := tasks.ParseStatus(w.status)
	if err != nil {
		return in, taskMisuse("update", chat.Capital(err.Error())+".")
	}
	in.Status = string(status)
	return in, nil
}

// taskWords are the arguments of !task new and !task update: the words of the title, with others among them that have a meaning.
// Further lines are the description.
type taskWords struct {
	title, status string
	description   schema.Opt[string]
	priority      schema.Opt[int]
	due           schema.Opt[string]
	assignee      schema.Opt[chat.UserRef]
	tags          []string
}

var (
	priorityWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[pP]([0-4])$`) })
	inProgress   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(status:)in progress\b`) })
	tagWord      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#([\p{L}_-][\p{L}\p{N}_:-]*)$`) })
)

func taskWordsOf(by chat.User, text string) (w taskWords) {
	first, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if more = strings.TrimSpace(more); more != "" {
		w.description = schema.Some(more)
	}
	var title []string
	for word := range strings.FieldsSeq(inProgress().ReplaceAllString(first, "${1}in_progress")) {
		due, isDue := cutPrefixFold(word, "due:")
		status, isStatus := cutPrefixFold(word, "status:")
		switch {
		case priorityWord().MatchString(word):
			n, _ := strconv.Atoi(word[1:]) // it is a digit
			w.priority = schema.Some(n)
		case isDue:
			w.due = schema.Some(orNone(due))
		case isStatus:
			w.status = status
		case tagWord().MatchString(word):
			w.tags = append(w.tags, word[1:])
		case strings.HasPrefix(word, "<@") || strings.HasPrefix(word, "@") && len(word) > 1:
			w.assignee = schema.Some(personOf(by, word))
		default:
			title = append(title, word)
		}
	}
	w.title = strings.Join(title, " ")
	return w
}

// taskFilter reads what !task list is to list. Other words are a status.
func taskFilter(by chat.User, text string) taskact.List {
	w := taskWordsOf(by, text)
	in := taskact.List{Status: w.status, Assignee: w.assignee.Value, Due: w.due.Value, Limit: 20}
	if len(w.tags) > 0 {
		in.Tag = w.tags[0]
	}
	if strings.EqualFold(w.title, "mine") {
		in.Assignee = chat.UserRef(by.ID)
	} else if w.title != "" {
		in.Status = w.title
	}
	return in
}

// personOf is a user as a command names them; empty for none.
func personOf(by chat.User, word string) chat.UserRef {
	switch strings.ToLower(word) {
	case "@me":
		return chat.UserRef(by.ID)
	case "@nobody", "@none":
		return ""
	}
	return chat.UserRef(word)
}

// orNone is a value, or empty for one that says so.
func orNone(value string) string {
	if strings.EqualFold(value, "none") {
		return ""
	}
	return value
}

func cutPrefixFold(word, prefix string) (string, bool) {
	if len(word) < len(prefix) || !strings.EqualFold(word[:len(prefix)], prefix) {
		return "", false
	}
	return word[len(prefix):], true
}
