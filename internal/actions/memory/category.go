// Package memory is the category memory: what the bot keeps in mind about the requester. It fronts the engine
// of internal/memory. No request can name another person.
package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/clock"
	"discoclaw/internal/memory"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/store"
)

// A Server is what the category needs of Discord. Errors are sentences for people.
type Server interface {
	// Messages are the latest ones, or the latest of those before a message, newest first; at most 100.
	Messages(ctx context.Context, ch chat.ChannelID, before chat.MessageID, limit int) ([]chat.Message, error)
	// ChannelByID finds a channel of any server.
	ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error)
	// MissingPermissions returns which of the permissions a member lacks in a channel.
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// KnownToLack and Public answer without a request: whether a user lacks a permission, and whether every member may read a place.
	KnownToLack(at chat.Place, u chat.UserID, p chat.Permission) bool
	Public(at chat.Place) bool
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
}

// Options are the parts behind the category. All but Talk are required.
type Options struct {
	Engine *memory.Engine
	Talk   *recall.Engine // has old messages; may be nil
	Server Server
	// Ask asks a model for the requester of a turn, who pays for it. Errors are sentences for people.
	Ask func(ctx context.Context, o actions.Origin, system, text string) (string, error)
	// AskForSummary asks the model that sums up conversations.
	AskForSummary func(ctx context.Context, system, text string) (string, error)

	Durable, CommandsOn bool // whether people's items are used, and whether !memory is on
	Zone                clock.ZoneOf
	// Notes are those of the workspace about a day, for operators.
	Notes    func(ctx context.Context, day time.Time) []chat.Document
	Operates func(ctx context.Context, who chat.UserID, g chat.GuildID) bool

	DB         *store.DB
	Jobs       Jobs
	ReadsTasks func(ctx context.Context, g chat.GuildID, who chat.UserID) bool
	Log        *slog.Logger
}

// Jobs are scheduled jobs, of which a person may have some.
type Jobs interface {
	DeleteOf(ctx context.Context, who chat.UserID) (n int64, err error)
}

// A Category remembers.
type Category struct {
	Options
	turns actions.PerTurn
}

// New returns the category memory.
func New(o Options) *Category { return &Category{Options: o} }

func (*Category) Name() string { return "memory" }

func (*Category) Flag() actions.Flag {
	return actions.Flag{Env: "DISCOCLAW_DISCORD_ACTIONS_MEMORY", Default: true, Part: "DISCOCLAW_DURABLE_MEMORY_ENABLED"}
}

func (c *Category) Actions() []*actions.Action {
	return []*actions.Action{c.remember(), c.forget(), c.tier(), c.show(), c.search(), c.summary(), c.eraseAll()}
}

func (*Category) ForReference() string {
	return "Items are about the person who asks, and reach their prompts on every server. Remember what will still matter in a month, in one sentence each."
}

// alone returns the person of a turn. The author of a question must neither see nor change what is remembered about
// the person who answers it.
func alone(o actions.Origin) (chat.UserID, error) {
	if people := o.People(); len(people) == 1 {
		return people[0], nil
	}
	return "", errors.New("what I remember about people is between each of them and me, and this was asked by more than one")
}

// A Remember asks to keep something in mind.
type Remember struct {
	Text       string `json:"text" alias:"fact,content" word:"text" doc:"What to remember about the asker, in one sentence." max:"1000"`
	Replaces   string `json:"replaces,omitempty" alias:"supersedes,insteadOf" doc:"The text of the one that it takes the place of." max:"1000"`
	Kind       string `json:"kind,omitempty" doc:"What kind of thing it is." enum:"fact,preference,project,constraint,person,tool,workflow" default:"fact"`
	Importance int    `json:"importance,omitempty" rare:"yes" doc:"3 for what must not be forgotten, 1 for trifles." min:"1" max:"3" default:"2"`
}

func (c *Category) remember() *actions.Action {
	return actions.Define(actions.Spec[Remember]{
		Name:     "memoryRemember",
		Aliases:  []string{"REMEMBER", "SAVE_MEMORY", "STORE_FACT", "ADD_FACT", "TAKE_NOTE"},
		Effect:   actions.Keeps,
		Free:     func(_ actions.Call, in Remember) bool { return in.Replaces == "" },
		Later:    true,
		Summary:  "Keep something in mind about the asker, in all conversations with them.",
		Brief:    "for the asker alone",
		Sentence: "Remember this about you: {text}[, instead of {replaces}], as a {kind} of importance {importance}",
		Stores:   []string{"text"},
		Examples: []Remember{{Text: "Prefers tea to coffee.", Kind: "preference"}},
		Do: func(ctx context.Context, call actions.Call, in Remember) (actions.Result, error) {
			who, err := alone(call.Origin)
			if err != nil {
				return actions.Result{}, err
			}
			return c.keep(ctx, call, who, in)
		},
	})
}

// keep stores an item. What a model wants to keep after it has read outside text is never important: it would be in every prompt of
// the person, and make all of their turns distrusted.
func (c *Category) keep(ctx context.Context, call actions.Call, who chat.UserID, in Remember) (actions.Result, error) {
	if call.Origin.Outside != "" {
		in.Importance = min(in.Importance, memory.Normal)
	}
	source := memory.ByAction
	if call.Origin.Flow == actions.FlowCommand {
		source = memory.ByCommand
	}
	it, replaced, near, err := c.Engine.Replace(ctx, who, in.Replaces, memory.Item{
		Kind: in.Kind, Text: in.Text, Importance: in.Importance, Source: source, Said: call.Origin.Place, Outside: call.Origin.Outside,
	})
	switch {
	case err != nil:
		return actions.Result{}, err
	case it.ID == "":
		return unclear(call.Origin, near)
	case len(replaced) > 0:
		old := c.called(call.Origin, replaced, in.Replaces)
		return actions.Result{
			Summary: "remembered " + quoted(it.Text) + ", instead of " + old,
			Undo:    again(replaced, "remember "+old+" again, instead of "+quoted(it.Text), it.ID),
		}, nil
	}
	return actions.Result{
		Summary: "remembered " + quoted(it.Text),
		Undo:    []actions.Inverse{actions.Reverse("forget "+quoted(it.Text), "memoryForget", Forget{Text: it.ID})},
	}, nil
}

// A Forget asks to keep something in mind no longer.
type Forget struct {
	Text string `json:"substring" alias:"text,id" doc:"Its text or subject, or its ID from memoryShow." max:"1000"`
}

func (c *Category) forget() *actions.Action {
	return actions.Define(actions.Spec[Forget]{
		Name:     "memoryForget",
		Aliases:  []string{"FORGET", "FORGET_THIS", "REMOVE_FACT"},
		Effect:   actions.Keeps,
		Summary:  "Forget something about the asker.",
		Sentence: "Forget this about you: {substring}",
		Brief:    "by text or ID; a part: memoryRemember with replaces",
		Examples: []Forget{{Text: "Prefers tea to coffee."}},
		Names: func(context.Context, actions.Call, Forget) map[string]string {
			return map[string]string{actions.OwnField: "substring"} // nobody else's can be forgotten
		},
		Do: func(ctx context.Context, call actions.Call, in Forget) (actions.Result, error) {
			who, err := alone(call.Origin)
			if err != nil {
				return actions.Result{}, err
			}
			gone, near, err := c.Engine.Forget(ctx, who, in.Text)
			switch {
			case err != nil:
				return actions.Result{}, err
			case len(gone) == 0:
				return unclear(call.Origin, near)
			}
			name := c.called(call.Origin, gone, in.Text)
			return actions.Result{Summary: "forgot " + name, Undo: again(gone, "remember "+name+" again", "")}, nil
		},
	})
}

// unclear is the failure to tell which memory is meant. It names the near ones to the model alone, and not where a stranger could have it
// quote them.
func unclear(o actions.Origin, near []memory.Item) (res actions.Result, err error) {
	if len(near) == 0 {
		return res, errors.New("I remember nothing like that about you")
	}
	if o.Outside == "" || o.Place.Guild == "" {
		res.Hint = "Name one of these by its text:"
		for _, it := range near {
			res.Hint += "\n- " + chat.Clip(chat.OneLine(it.Text), 100)
			res.Outside.Add(it.Outside)
		}
	}
	return res, errors.New("I am not sure which memory you mean; I need more of its words, or its ID from `/discoclaw memory`")
}

// called are items on a line that others read: what was not said to them is called as the request calls it.
func (c *Category) called(o actions.Origin, items []memory.Item, words string) string {
	switch {
	case len(items) > 1:
		return chat.Counted(len(items), "thing", "things")
	case o.Place.Guild == "" || c.isOpen(o.Place, items[0].Said):
		return quoted(items[0].Text)
	case itemID().MatchString(words):
		return "a memory of you"
	}
	return quoted(words)
}

// isOpen reports whether who reads a place may know what was said in another one.
func (c *Category) isOpen(at, said chat.Place) bool {
	return said.Channel == at.Channel && said.Channel != "" || said.Guild == at.Guild && c.Server.Public(said)
}

// again are the inverses that remember items again, in the place of another one if that has an ID.
func again(items []memory.Item, text, replaces string) (undo []actions.Inverse) {
	for _, it := range items {
		back := Remember{Text: it.Text, Kind: it.Kind, Importance: it.Importance, Replaces: replaces}
		undo, replaces = append(undo, actions.Reverse(text, "memoryRemember", back)), ""
	}
	return undo
}

// A Show asks what is remembered.
type Show struct{}

func (c *Category) show() *actions.Action {
	return actions.Define(actions.Spec[Show]{
		Name:     "memoryShow",
		Aliases:  []string{"SHOW_MEMORY", "LIST_MEMORY", "RECALL_ALL"},
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Summary:  "List what you remember about the asker, with IDs.",
		Examples: []Show{{}},
		Do: func(ctx context.Context, call actions.Call, _ Show) (actions.Result, error) {
			who, err := alone(call.Origin)
			if err != nil {
				return actions.Result{}, err
			}
			all, err := c.Engine.Items(ctx, who)
			var lines []string
			var outside chat.Sources
			for _, it := range all {
				if it.Active {
					lines = append(lines, it.Listed())
					outside.Add(it.Outside)
				}
			}
			found := "Nothing is remembered about the asker yet."
			if len(lines) > 0 {
				found = strings.Join(lines, "\n")
			}
			return actions.Result{Found: found, Summary: actions.Listed("looked up", len(lines), "memory of you", "memories of you"), Outside: outside}, err
		},
	})
}

// A Search asks what is remembered about something.
type Search struct {
	Text  string `json:"query" alias:"text" doc:"What it is about, in a few words." max:"200"`
	Limit int    `json:"limit,omitempty" rare:"yes" doc:"How many at most." min:"1" max:"20" default:"10"`
}

func (c *Category) search() *actions.Action {
	return actions.Define(actions.Spec[Search]{
		Name:     "memorySearch",
		Aliases:  []string{"SEARCH_EPISODIC", "RECALL", "SEARCH_MEMORY", "LOOKUP_MEMORY"},
		Effect:   actions.Queries,
		Reads:    actions.Texts,
		Summary:  "Search what you remember about the asker, and old messages they may read.",
		Examples: []Search{{Text: "tea"}},
		Do: func(ctx context.Context, call actions.Call, in Search) (actions.Result, error) {
			who, err := alone(call.Origin)
			if err != nil {
				return actions.Result{}, err
			}
			items, err := c.Engine.Search(ctx, who, in.Text, in.Limit)
			if err != nil {
				return actions.Result{}, err
			}
			hits, err := c.Talk.Search(ctx, recall.Query{Here: call.Origin.Place, People: call.Origin.People(), Text: in.Text, Limit: in.Limit})
			if err != nil {
				return actions.Result{}, err
			}
			return found(items, hits), nil
		},
	})
}

// found lists what was found, the items first.
func found(items []memory.Item, hits []recall.Hit) actions.Result {
	var res actions.Result
	var lines []string
	for _, it := range items {
		lines = append(lines, it.Listed())
		res.Outside.Add(it.Outside)
	}
	for _, h := range hits {
		lines = append(lines, fmt.Sprintf("- [%s] on %s in %s: %s (id:%s)", chat.InBrackets(h.Name),
			h.Sent.UTC().Format("2 January 2006"), h.At.Mention(), chat.Clip(chat.OneLine(h.Text), 300), h.At.Message))
		res.Outside.Add(h.Outside)
		res.Shows = append(res.Shows, h.At)
	}
	res.Found = "Nothing like that is remembered about the asker. What others told you is theirs, and not shown here."
	if len(lines) > 0 {
		res.Found = strings.Join(lines, "\n")
	}
	res.Summary = actions.Listed("found", len(lines), "memory", "memories")
	return res
}

// An Erase asks to remove everything that is stored about the asker.
type Erase struct{}

func (c *Category) eraseAll() *actions.Action {
	return actions.Define(actions.Spec[Erase]{
		Name:        "memoryErase",
		Effect:      actions.Keeps,
		Destructive: true,
		Own:         true,
		Always:      true, // what was stored before stays theirs
		Summary:     "Remove everything that is stored about the asker, for good.",
		Brief:       "jobs and reminders too",
		Examples:    []Erase{{}},
		Ask: func(_ context.Context, call actions.Call, in Erase) (Erase, string, error) {
			_, err := alone(call.Origin)
			return in, eraseQuestion, err
		},
		Do: func(ctx context.Context, call actions.Call, _ Erase) (actions.Result, error) {
			who, err := alone(call.Origin)
			if err != nil {
				return actions.Result{}, err
			}
			summary, err := c.eraseAbout(ctx, who)
			return actions.Result{Summary: summary}, err
		},
	})
}

// eraseQuestion is what the card of memoryErase asks.
const eraseQuestion = "Erase for good everything that I have stored about you: what I remember, your reminders, follow-ups and scheduled jobs, and the record of what you asked for."

// quoted is a text of a person on a line for people.
func quoted(text string) string { return "“" + chat.Literal(chat.Clip(text, 120)) + "”" }

// A Tier asks to make memories more or less important.
type Tier struct {
	Tier  int    `json:"tier" alias:"importance" doc:"3 for what must not be forgotten, 2 is normal, 1 for trifles." min:"1" max:"3"`
	Match string `json:"match" alias:"text,id" doc:"Words that are in all of these memories, or the ID of one from memoryShow. If there is none, it is remembered." max:"1000"`
}

func (c *Category) tier() *actions.Action {
	return actions.Define(actions.Spec[Tier]{
		Name:     "memoryTier",
		Aliases:  []string{"REQUEST_TIER", "ELEVATE_MEMORY"},
		Rare:     true,
		Effect:   actions.Keeps,
		Free:     func(actions.Call, Tier) bool { return true },
		Later:    true, // it may be remembered
		Summary:  "Make memories of the asker more or less important.",
		Sentence: "Set the importance of memories about you that match {match} to {tier}",
		Brief:    "tier: 3 never to forget … 1 trifle; match: words of them",
		Stores:   []string{"match"},
		Examples: []Tier{{Tier: memory.Major, Match: "tea"}},
		Do:       c.doTier,
	})
}

func (c *Category) doTier(ctx context.Context, call actions.Call, in Tier) (actions.Result, error) {
	who, err := alone(call.Origin)
	if err != nil {
		return actions.Result{}, err
	}
	if read := call.Origin.Outside; read != "" && in.Tier == memory.Major {
		return actions.Result{}, fmt.Errorf("not marked as important, because the idea may come from %s, which I have read; ask for it in a new message if you want it", read.Phrase())
	}
	before, err := c.Engine.SetImportance(ctx, who, in.Match, in.Tier)
	if err != nil {
		return actions.Result{}, err
	}
	if len(before) == 0 {
		return c.rememberAt(ctx, call, who, in)
	}
	// Without the texts of the memories, which are for the asker alone.
	res := actions.Result{Summary: fmt.Sprintf("marked %s with %s as %s", chat.Counted(len(before), "memory", "memories"), quoted(in.Match), weights[in.Tier])}
	for _, it := range before {
		if it.Importance != in.Tier {
			text := fmt.Sprintf("mark a memory with %s as %s again", quoted(in.Match), weights[it.Importance])
			res.Undo = append(res.Undo, actions.Reverse(text, "memoryTier", Tier{Tier: it.Importance, Match: it.ID}))
		}
	}
	return res, nil
}

// weights are the names of importance for people.
var weights = map[int]string{memory.Minor: "less important", memory.Normal: "normal", memory.Major: "important"}

// itemID is the form of the ID of an item. One that is gone is not the text of a new one.
var itemID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^durable-[0-9a-f]{8}$`) })

// rememberAt stores a new item.
func (c *Category) rememberAt(ctx context.Context, call actions.Call, who chat.UserID, in Tier) (actions.Result, error) {
	if itemID().MatchString(in.Match) {
		return actions.Result{}, errors.New("I don't use that memory any more")
	}
	res, err := c.keep(ctx, call, who, Remember{Text: in.Match, Importance: in.Tier})
	if err == nil {
		res.Summary += " as " + weights[in.Tier]
	}
	return res, err
}
