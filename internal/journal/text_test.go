package journal_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/journal"
	"discoclaw/internal/test/golden"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// busy is a turn with outcomes of every kind.
func busy() journal.Turn {
	entry := func(number int, typ string, change func(*journal.Entry)) journal.Entry {
		e := journal.Entry{Number: number, Type: typ, Category: "channels", Args: "{}", Verdict: "allowed", Outcome: journal.Done, At: noon, Took: 340 * time.Millisecond}
		change(&e)
		return e
	}
	return journal.Turn{
		ID: "t1", Flow: actions.FlowMessage, Place: chat.Place{Guild: "111", Channel: "222", Message: "333"},
		Requester: "444", RequesterName: "ada *the* <@1> first", Began: noon.Add(-2 * time.Minute), Took: 3200 * time.Millisecond, Over: true,
		Model: "gpt-5-mini", InputTokens: 1204, OutputTokens: 96, Requests: 1,
		Sections:  []journal.Section{{Name: "policy", Bytes: 2100}, {Name: "actions", Bytes: 4032}, {Name: "history", Bytes: 512}},
		Stripped:  []journal.Stripped{{Type: "ban`", Reason: "moderation is switched off here", Remedy: "set DISCOCLAW_DISCORD_ACTIONS_MODERATION=1"}},
		Malformed: 1,
		Answers:   []chat.MessageID{"334", "335"},
		Actions: []journal.Entry{
			entry(1, "channelCreate", func(e *journal.Entry) {
				e.Args, e.Line = `{"name":"plans","topic":"with a `+"`"+` in it"}`, "Done: Created #plans (id 555)"
				e.Inverses = []actions.Inverse{{Text: "delete #plans"}, {Text: "tell ada"}}
			}),
			entry(2, "channelEdit", func(e *journal.Entry) {
				e.Line, e.Undone = "Done: Edited #general: name → chat", noon.Add(5*time.Minute)
				e.Inverses = []actions.Inverse{{Text: "rename #chat back to general"}}
			}),
			entry(3, "sendMessage", func(e *journal.Entry) { e.Category, e.Line = "messaging", "Done: Sent to #plans" }),
			entry(4, "channelList", func(e *journal.Entry) {
				e.Outcome, e.Line = journal.Found, "Done: listed 7 channels"
			}),
			entry(5, "channelMove", func(e *journal.Entry) {
				e.Outcome, e.Line = journal.Failed, `Failed: I can't see a channel #x`
			}),
			entry(6, "cronCreate", func(e *journal.Entry) {
				e.Category, e.Verdict, e.Outcome, e.Line = "crons", "refused: not inside a job", journal.Refused, "Failed: not inside a job"
			}),
			entry(7, "channelDelete", func(e *journal.Entry) {
				e.Args, e.Outcome, e.Line = `{"channelId":"555"}`, journal.Pending, "Asked: Delete <#555> with all its messages."
			}),
			entry(8, "channelDelete", func(e *journal.Entry) {
				e.Outcome, e.Line, e.Approver = journal.ApprovedDone, "Done: Deleted #old", "666"
			}),
			entry(9, "channelDelete", func(e *journal.Entry) {
				e.Outcome, e.Line, e.Approver = journal.ApprovedFailed, "Failed: it is gone already", "666"
			}),
			entry(10, "channelDelete", func(e *journal.Entry) {
				e.Outcome, e.Line = journal.Dismissed, "Not done, rejected by bob: Delete <#777> with all its messages."
			}),
		},
	}
}

// others are turns with other ends.
func others() []journal.Turn {
	return []journal.Turn{
		{Flow: actions.FlowCron, Place: chat.Place{Guild: "111", Channel: "222"}, Began: noon.Add(-3 * time.Hour), Took: 125 * time.Second, Over: true,
			Model: "llama_3", Error: "the model's server hung up; try again", Answers: []chat.MessageID{"300"}},
		{Flow: actions.FlowDM, Place: chat.Place{Channel: "222", Message: "200"}, Requester: "444", Began: noon.Add(-72 * time.Hour)},
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	golden.Equal(t, "testdata/trace.golden", journal.Trace(append([]journal.Turn{busy()}, others()...))+"\n")
	golden.Equal(t, "testdata/trace_empty.golden", journal.Trace(nil)+"\n")
}

func TestWhy(t *testing.T) {
	t.Parallel()
	golden.Equal(t, "testdata/why.golden", journal.Why(busy(), false)+"\n")
	golden.Equal(t, "testdata/why_for_operators.golden", journal.Why(busy(), true)+"\n")
	golden.Equal(t, "testdata/why_fault.golden", journal.Why(others()[0], false)+"\n")
	golden.Equal(t, "testdata/why_cut_off.golden", journal.Why(others()[1], false)+"\n")
}

// TestADeferredRunIsNotLinkedTo: it has no message, so the link is that of its answer.
func TestADeferredRunIsNotLinkedTo(t *testing.T) {
	t.Parallel()
	run := journal.Turn{Flow: actions.FlowDefer, Place: chat.Place{Guild: "111", Channel: "222", Message: "defer-1750000000000"}, Over: true, Answers: []chat.MessageID{"300"}}
	for _, text := range []string{journal.Trace([]journal.Turn{run}), journal.Why(run, false)} {
		if strings.Contains(text, "defer-") || !strings.Contains(text, "/channels/111/222/300") {
			t.Errorf("it says %s", text)
		}
	}
}
