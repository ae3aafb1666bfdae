package memory

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/memory"
)

// A Tier asks to make memories more or less important.
type Tier struct {
	Tier  int    `json:"tier" alias:"importance" doc:"3 for what must not be forgotten, 2 is normal, 1 for trifles." min:"1" max:"3"`
	Match string `json:"match" alias:"text,id" doc:"Words that are in all of these memories, or the ID of one from memoryShow. If there is none, it is remembered." max:"1000"`
}

func (c *Category) tier() *actions.Action {
	return actions.Define(actions.Spec[Tier]{
		Name:        "memoryTier",
		Aliases:     []string{"REQUEST_TIER", "ELEVATE_MEMORY"},
		Rare:        true,
		ExplainWhen: []string{"importan", "never forget", "tier"},
		Effect:      actions.Keeps,
		Free:        func(actions.Call, Tier) bool { return true },
		Later:       true, // it may be remembered
		Summary:     "Make memories of the asker more or less important.",
		Sentence:    "Set the importance of memories about you that match {match} to {tier}",
		Brief:       "tier: 3 never to forget … 1 trifle; match: words of them",
		Stores:      []string{"match"},
		Examples:    []Tier{{Tier: memory.Major, Match: "tea"}},
		Do:          c.doTier,
	})
}

func (c *Category) doTier(ctx context.Context, call actions.Call, in Tier) (actions.Result, error) {
	who, err := alone(call.Origin)
	if err != nil {
		return actions.Result{}, err
	}
	if read := call.Origin.Outside; read != "" && in.Tier == memory.Major {
		return actions.Result{}, fmt.Errorf("not marked as important, because this came up after I had read %s; ask me again without it", read.Phrase())
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
