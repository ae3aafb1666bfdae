package app

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// TestWhoeverSpeaksAsks: what is done has to be within the rights of the person who spoke.
func TestWhoeverSpeaksAsks(t *testing.T) {
	for name, want := range map[string]string{
		`{"type":"pinMessage","channelId":"general","messageId":"%s"}`:    "Failed: you need *Pin Messages* ",
		`{"type":"deleteMessage","channelId":"general","messageId":"%s"}`: "Failed: you need *Manage Messages* ",
		`{"type":"sendMessage","channel":"log","content":"hello %s"}`:     "Failed: you need *Send Messages* ",
		`{"type":"taskCreate","title":"buy a yacht %s"}`:                  "Failed: you need *Send Messages* ",
		`{"type":"voiceJoin","channel":"Attic","x":"%s"}`:                 "Failed: you need *Connect* ",
	} {
		t.Run(strings.SplitN(name, `"`, 5)[3], func(t *testing.T) {
			model := script.New()
			const denied = inLounge + "deny log bob: Send Messages\ndeny tasks bob: Send Messages\ndeny Attic bob: Connect\n"
			inLoungeWith(t, strings.Replace(denied, "#log", "#log tasks:forum", 1), model, func(l *lounge) {
				l.join()
				target := l.MustSay("ada", "general", "keep this")
				bob := l.enter("bob")
				model.Add(script.Say("I try.<discord-action>"+fmt.Sprintf(name, target.ID)+"</discord-action>"), script.Say("I could not."))
				before := changesOn(l.World)
				bob.ask("do it")
				if all := l.chat("Lounge"); !strings.Contains(all, want) {
					t.Errorf("the chat has\n%s", all)
				}
				for _, change := range changesOn(l.World)[len(before):] {
					if !strings.Contains(change, "/channels/"+string(l.ChannelID("Lounge"))+"/messages") {
						t.Errorf("%s was sent", change)
					}
				}
			})
		})
	}
}

// TestDestructionInACallWaitsForACard, which is not approved by speaking.
func TestDestructionInACallWaitsForACard(t *testing.T) {
	for name, request := range map[string]string{
		"deleteMessage": `{"type":"deleteMessage","channelId":"general","messageId":"%s"}`,
		"bulkDelete":    `{"type":"bulkDelete","channelId":"general","count":3,"x":"%s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			model := script.New()
			inCall(t, model, func(l *lounge) {
				l.MustSay("ada", "general", "first")
				target := l.MustSay("ada", "general", "last")
				ada := l.enter("ada")
				action := "<discord-action>" + fmt.Sprintf(request, target.ID) + "</discord-action>"
				model.Add(script.Say("Shall I?"+action), script.Say("It is approved."), script.Say("I approve."), script.Say("Approved."))
				before := len(l.Messages("general"))
				ada.ask("delete what i wrote")
				card := l.card()
				ada.ask("yes, approve it")
				ada.ask("confirm")
				l.wait(time.Minute)
				if n := len(l.Messages("general")); n != before {
					l.t.Fatalf("%d messages are gone\n%s", before-n, l.Transcript())
				}
				_, err := l.press("bob", card, "Approve")
				l.wait(time.Second)
				if n := len(l.Messages("general")); n != before {
					t.Errorf("bob has approved it (%v)\n%s", err, l.Transcript())
				}
				_, err = l.press("ada", card, "Approve")
				l.must(err)
				l.wait(time.Minute)
				if n := len(l.Messages("general")); n == before {
					t.Errorf("nothing was deleted\n%s", l.Transcript())
				}
			})
		})
	}
}

// card is the message with the buttons of a card.
func (l *lounge) card() chat.MessageID {
	l.t.Helper()
	for _, m := range l.Messages("Lounge") {
		for _, b := range m.Buttons() {
			if b.Label == "Approve" {
				return m.ID
			}
		}
	}
	l.t.Fatalf("there is no card\n%s", l.Transcript())
	return ""
}

// TestWhatDoesNotRunInCalls, though the switches are on and the owner asks.
func TestWhatDoesNotRunInCalls(t *testing.T) {
	requests := []string{
		`{"type":"sendFile","channel":"general","filePath":"report.txt"}`,
		`{"type":"channelCreate","name":"yacht"}`, `{"type":"threadEdit","threadId":"general","name":"yacht"}`,
		`{"type":"roleAdd","userId":"bob","role":"DiscoClaw"}`, `{"type":"timeout","userId":"bob","minutes":5}`, `{"type":"poll","question":"yacht?","answers":["a","b"]}`,
		`{"type":"cronCreate","name":"yacht","schedule":"daily at 9:00","channel":"general","prompt":"buy a yacht"}`,
		`{"type":"planCreate","description":"buy a yacht"}`, `{"type":"modelSet","role":"chat","model":"fast"}`, `{"type":"defer","delaySeconds":60,"prompt":"buy a yacht"}`,
		`{"type":"botSetNickname","nickname":"yacht"}`, `{"type":"inviteCreate","channel":"general"}`,
	}
	workspace := apptest.PrivateDir(t)
	if err := os.WriteFile(filepath.Join(workspace, "report.txt"), []byte("all is well"), 0o600); err != nil {
		t.Fatal(err)
	}
	on := []string{"DISCOCLAW_RUNTIME_TOOLS=shell", "WORKSPACE_CWD=" + workspace}
	for _, s := range mustCore(t, nil).switches() {
		on = append(on, s.Name+"=1")
	}
	model := script.New(script.Say("I do."+blocks(requests...)), script.Say("I could not."))
	inCall(t, model, func(l *lounge) {
		ada := l.enter("ada")
		before := len(changesOn(l.World))
		ada.ask("do it all")
		l.wait(time.Hour)
		for _, change := range changesOn(l.World)[before:] {
			if !strings.Contains(change, "/channels/"+string(l.ChannelID("Lounge"))+"/messages") {
				t.Errorf("%s was sent", change)
			}
		}
		if all := l.chat("Lounge"); strings.Contains(all, "Done:") || strings.Contains(l.stored(), "yacht?") {
			t.Errorf("something was done\n%s", all)
		}
		for _, r := range model.Requests() {
			if r.Workspace.Level != "" || len(r.Tools) > 0 {
				t.Errorf("the model has tools: %+v", r.Workspace)
			}
			if strings.Contains(r.System, "sendFile") || strings.Contains(r.System, "channelCreate") {
				t.Errorf("the model is offered what does not run\n%s", r.System)
			}
		}
	}, on...)
}

// TestAModelLooksOnceInACall: people wait for each further answer.
func TestAModelLooksOnceInACall(t *testing.T) {
	asked := 0
	model := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
		asked++
		return script.Say(`Let me look.<discord-action>{"type":"readMessages","channel":"general"}</discord-action>`).Stream(ctx)
	})
	inCall(t, model, func(l *lounge) {
		l.enter("ada").ask("what is new")
		l.wait(time.Minute)
		if asked != 2 {
			t.Errorf("the model was asked %d times", asked)
		}
	}, "DISCOCLAW_ACTION_FOLLOWUP_DEPTH=10")
}
