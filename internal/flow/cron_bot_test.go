package flow_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/cron"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

const cronWorld = `
guild disco: #general #ops #log #news #old #status
member ada: owner
member bob
`

// A pupil is a model that answers each prompt that holds certain words.
type pupil struct {
	mu      sync.Mutex
	answers map[string]script.Answer
	asked   []string // the words of each prompt that it was asked
	prompts []string
}

func (p *pupil) Invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprint(req.Messages)
	p.prompts = append(p.prompts, fmt.Sprint(req))
	for words, answer := range p.answers {
		if strings.Contains(text, words) {
			p.asked = append(p.asked, words)
			return answer.Stream(ctx)
		}
	}
	p.asked = append(p.asked, "?")
	return script.Say("?").Stream(ctx)
}

// cron stores a job in #ops that ada wants done every ten minutes, as an earlier process would have.
func (h *host) cron(id string, change ...func(*cron.Job)) {
	h.t.Helper()
	h.data(func(db *store.DB) {
		e := cron.New(db, cron.Options{Zone: time.UTC, NewID: func() string { return id }})
		j := cron.Job{Guild: h.GuildID(), Author: h.UserID("ada"), Definition: cron.Definition{
			Name: id, Schedule: "*/10 * * * *", Channel: h.ChannelID("ops"), ChannelName: "ops", Prompt: "Do " + id}}
		for _, c := range change {
			c(&j)
		}
		_, err := e.Create(h.t.Context(), j)
		h.must(err)
	})
}

// pauses pauses or resumes a job while the bot is not running.
func (h *host) pauses(id string, yes bool) {
	h.t.Helper()
	h.data(func(db *store.DB) {
		_, _, err := cron.New(db, cron.Options{}).Update(h.t.Context(), h.GuildID(), id, func(j *cron.Job) error { j.Paused = yes; return nil })
		h.must(err)
	})
}

// job returns a job of a bot that is not running, and its runs.
func (h *host) job(id string) (j cron.Job, past []cron.Past) {
	h.t.Helper()
	h.data(func(db *store.DB) {
		var err error
		e := cron.New(db, cron.Options{})
		j, err = e.ByID(h.t.Context(), id)
		h.must(err)
		past, err = e.Past(h.t.Context(), id, 100)
		h.must(err)
	})
	return j, past
}

// ended requires how the runs of a job have ended, the first one first. Slots that were left out do not count.
func (h *host) ended(id string, want ...cron.Status) cron.Job {
	h.t.Helper()
	j, past := h.job(id)
	var got []cron.Status
	for _, p := range slices.Backward(past) {
		if p.Status != cron.LeftOut {
			got = append(got, p.Status)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || j.Runs != len(want) {
		h.t.Errorf("%s ended %v (%d runs, %q), want %v\n%s", id, got, j.Runs, j.Error, want, h.Transcript())
	}
	return j
}

// untilSlot waits until a moment before or after the next slot of the jobs.
func untilSlot(d time.Duration) {
	time.Sleep(time.Until(time.Now().Truncate(10 * time.Minute).Add(10*time.Minute + d)))
}

// TestACronRunThatIsKilled is neither lost nor doubled, wherever that happens: before and after it is claimed, while the model
// thinks, before and after its action and its answer, and in the run of the job that follows it.
func TestACronRunThatIsKilled(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name  string
		posts int32
		heard bool
		kill  time.Duration // around the slot, instead
	}{
		{name: "before it is due", kill: -time.Second},
		{name: "while the model thinks", kill: 5 * time.Second},
		{name: "before its action", posts: 0},
		{name: "after its action", posts: 0, heard: true},
		{name: "before its answer", posts: 1},
		{name: "after its answer", posts: 1, heard: true},
		{name: "before the answer of the next job", posts: 2},
		{name: "after the answer of the next job", posts: 2, heard: true},
	}
	for n := range 2 * len(steps) {
		step, once := steps[n/2], n%2 == 1
		t.Run(step.name+map[bool]string{true: ", once"}[once], func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.cron("cron-next", func(j *cron.Job) {
					j.Trigger, j.Schedule, j.Channel, j.ChannelName = cron.ByHand, "", h.ChannelID("news"), "news"
				})
				h.cron("cron-first", func(j *cron.Job) {
					if j.Schedule, j.Chain = "10 * * * *", []string{"cron-next"}; once {
						j.Schedule = time.Now().UTC().Truncate(time.Hour).Add(10 * time.Minute).Format("2006-01-02 15:04")
					}
				})
				model := &pupil{answers: map[string]script.Answer{
					"Do cron-first": append(script.Answer{script.Pause(10 * time.Second)}, script.Say(`Pinged.<cron-state>{"n":1}</cron-state><discord-action>{"type":"sendMessage","channel":"log","content":"hello"}</discord-action>`)...),
					"Do cron-next":  script.Say("After."),
				}}
				h.model = model
				if step.kill != 0 {
					h.start()
					untilSlot(step.kill)
				} else {
					h.start(h.atPost(step.posts, step.heard))
					untilSlot(time.Minute)
					if !h.dead.Load() {
						t.Fatal("it was not killed")
					}
				}
				h.kill()
				time.Sleep(5 * time.Second)
				h.Gateway().ForgetSessions()
				h.start()
				untilSlot(-time.Second)
				h.stop()
				h.showsOnly("log", "hello")
				h.showsOnly("ops", "Pinged.")
				h.showsOnly("news", "After.")
				if j := h.ended("cron-first", cron.Success); string(j.State) != `{"n":1}` || j.Over() != once {
					t.Errorf("it has kept %s, and is over: %t", j.State, j.Over())
				}
				h.ended("cron-next", cron.Success)
				if n := len(model.asked); n > 3 || n > 2 && step.kill == 0 && step.posts < 2 {
					t.Errorf("the model was asked %q", model.asked)
				}
			})
		})
	}
}

// TestACronRunIsCanceled by !stop, by pausing its job, and by a job that was paused, or switched off with all others, while the run was interrupted.
func TestACronRunIsCanceled(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"stopped", "paused", "deleted", "paused while interrupted", "switched off while interrupted"} {
		t.Run(how, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.cron("cron-00000001", func(j *cron.Job) { j.Chain = nil })
				h.model = &pupil{answers: map[string]script.Answer{
					"Do cron-00000001": append(script.Answer{script.Pause(5 * time.Minute)}, script.Say("Too late.")...),
					"pause it":         script.Say(`Yes.<discord-action>{"type":"cronPause","cronId":"cron-00000001"}</discord-action>`),
				}}
				h.start()
				untilSlot(time.Minute)
				switch how {
				case "stopped":
					h.ask("!stop")
				case "paused":
					h.ask("pause it")
				case "paused while interrupted":
					h.kill()
					h.pauses("cron-00000001", true)
					h.Gateway().ForgetSessions()
					h.start()
				case "switched off while interrupted":
					h.kill()
					h.env["DISCOCLAW_CRON_ENABLED"] = "0"
					h.Gateway().ForgetSessions()
					h.start()
				case "deleted":
					h.kill()
					h.exec("DELETE FROM crons")
					h.Gateway().ForgetSessions()
					h.start()
				}
				time.Sleep(6 * time.Minute)
				h.stop()
				if all := h.Messages("ops"); len(all) != 0 {
					t.Errorf("it posted\n%s", h.Transcript())
				}
				switch how {
				case "switched off while interrupted":
					h.ended("cron-00000001", cron.Failed)
					return
				case "deleted":
					return
				}
				if j := h.ended("cron-00000001", cron.Canceled); j.Paused != (how != "stopped") {
					t.Errorf("paused: %v", j.Paused)
				}
			})
		})
	}
}

// TestCronJobsThatMayNotRun: such a job is paused if that will not change by itself, with one report to the operators.
func TestCronJobsThatMayNotRun(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		env    string
		change func(h *host) error
		job    func(h *host, j *cron.Job)
		report string
		paused bool
	}{
		{name: "a member who has left", change: func(h *host) error { return h.RemoveMember("bob") }, report: "<@{bob}> is not a member of this server", paused: true},
		{name: "a right that was lost", change: func(h *host) error { return h.Deny("#ops", "bob", chat.SendMessages) }, report: "<@{bob}> lacks *Send Messages* there now", paused: true},
		{name: "an author who is not served any more", env: "DISCORD_ALLOW_USER_IDS={ada}", report: "I no longer answer <@{bob}> there (not on the list of users)", paused: true},
		{name: "a channel that is gone", change: func(h *host) error { return h.DeleteChannel("ops") }, report: "I can't find its channel, #ops", paused: true},
		{name: "somebody else who changed it lacks the right", change: func(h *host) error { return h.Deny("#ops", "bob", chat.SendMessages) },
			job: func(h *host, j *cron.Job) { j.Author, j.Prompters = h.UserID("ada"), chat.UserIDs(h.UserID("bob")) }, report: "<@{bob}> lacks *Send Messages* there now", paused: true},
		{name: "a model that does not exist", job: func(_ *host, j *cron.Job) { j.Model = "two words" }, report: "two words"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.serves("ada", "bob")
				ids := strings.NewReplacer("{bob}", string(h.UserID("bob")), "{ada}", string(h.UserID("ada")))
				if name, value, ok := strings.Cut(tt.env, "="); ok {
					h.env[name] = ids.Replace(value)
				}
				h.cron("cron-1", func(j *cron.Job) {
					j.Author = h.UserID("bob")
					if tt.job != nil {
						tt.job(h, j)
					}
				})
				model := &pupil{}
				h.model = model
				if tt.change != nil {
					h.must(tt.change(h))
				}
				for range 2 {
					h.start()
					time.Sleep(25 * time.Minute)
					h.stop()
				}
				if len(model.asked) > 0 {
					t.Errorf("the model was asked\n%s", h.Transcript())
				}
				if got := h.reports(); len(got) != 1 || !strings.Contains(got[0], ids.Replace(tt.report)) || strings.Contains(got[0], "It is paused now") != tt.paused {
					t.Errorf("reported %q\nwant %q, paused: %v", got, ids.Replace(tt.report), tt.paused)
				}
				j, past := h.job("cron-1")
				if j.Paused != tt.paused || j.Last != cron.Failed || (len(past) == 1) != tt.paused || strings.Contains(j.Error, "\n") {
					t.Errorf("paused: %v, %d runs, %s: %q", j.Paused, len(past), j.Last, j.Error)
				}
			}, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}

// TestAChainFromSomebodyElse: the next job does not run with what a person handed on who may not write in its channel, but is not paused.
func TestAChainFromSomebodyElse(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		h.serves("ada", "bob")
		h.must(h.Deny("#news", "bob", chat.SendMessages))
		h.cron("cron-next", func(j *cron.Job) {
			j.Trigger, j.Schedule, j.Channel, j.ChannelName = cron.ByHand, "", h.ChannelID("news"), "news"
		})
		h.cron("cron-first", func(j *cron.Job) { j.Author, j.Chain = h.UserID("bob"), []string{"cron-next"} })
		h.model = &pupil{}
		h.start()
		untilSlot(time.Minute)
		h.stop()
		h.ended("cron-first", cron.Success)
		if j := h.ended("cron-next", cron.Failed); j.Paused || !strings.Contains(j.Error, "the job before it, cron-first, belongs to others") {
			t.Errorf("paused: %v, %q", j.Paused, j.Error)
		}
		if len(h.Messages("news")) > 0 {
			t.Error(h.Transcript())
		}
	}, "DISCOCLAW_STATUS_CHANNEL=status")
}

// TestWhatACronRunMayDo: allowedActions narrows what it may do and is its approval, and all who wrote it need the right.
func TestWhatACronRunMayDo(t *testing.T) {
	t.Parallel()
	const deletes = `<discord-action>{"type":"channelDelete","channelId":"old"}</discord-action>`
	for _, tt := range []struct {
		name    string
		job     func(h *host, j *cron.Job)
		answer  string
		deleted bool
		shows   string
		prompt  string // what the prompt does not have
	}{
		{name: "asks for approval", answer: deletes, shows: "with all its messages?"},
		{name: "has its approval", job: func(_ *host, j *cron.Job) { j.Allowed = []string{"channelDelete"} }, answer: deletes, deleted: true, shows: "Done: deleted", prompt: "sendMessage("},
		{name: "may not", job: func(_ *host, j *cron.Job) { j.Allowed = []string{"sendMessage"} }, answer: "Gone." + deletes, shows: "Gone.", prompt: "channelDelete("},
		{name: "read outside text, and acts elsewhere", job: func(_ *host, j *cron.Job) { j.Allowed, j.Outside = []string{"channelDelete"}, "a message by zed" }, answer: deletes, shows: "zed"},
		{name: "was changed by a person without the right", job: func(h *host, j *cron.Job) {
			j.Allowed, j.Prompters = []string{"channelDelete"}, chat.UserIDs(h.UserID("bob"))
		}, answer: deletes, shows: "Manage Channels"},
		{name: "crons", answer: `Yes.<discord-action>{"type":"cronDelete","cronId":"cron-1"}</discord-action>`, shows: "Yes.", prompt: "cronDelete("},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.serves("ada", "bob")
				h.cron("cron-1", func(j *cron.Job) {
					if tt.job != nil {
						tt.job(h, j)
					}
				})
				model := &pupil{answers: map[string]script.Answer{"Do cron-1": script.Say(tt.answer)}}
				h.model = model
				h.start()
				untilSlot(time.Minute)
				h.stop()
				all := apptest.Contents(h.World, "ops")
				for _, m := range h.Messages("ops") {
					all += fmt.Sprintf("%+v", m)
				}
				if !strings.Contains(all, tt.shows) {
					t.Errorf("#ops shows\n%s\nwant %q", all, tt.shows)
				}
				if _, there := h.Channel("old"); there == tt.deleted {
					t.Errorf("deleted: %v, want %v\n%s", !there, tt.deleted, h.Transcript())
				}
				if tt.prompt != "" && strings.Contains(model.prompts[0], tt.prompt) {
					t.Errorf("the prompt has %s", tt.prompt)
				}
			})
		})
	}
}

// TestWhatACronRunPosts: its answer, the messages for other channels, or nothing.
func TestWhatACronRunPosts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Something has happened. ", 5)
	silent := func(_ *host, j *cron.Job) { j.Silent = true }
	routes := func(_ *host, j *cron.Job) { j.Routes = true }
	for _, tt := range []struct {
		name   string
		job    func(h *host, j *cron.Job)
		answer string
		ops    string
		log    string
	}{
		{name: "an answer", answer: "Hi.", ops: "Hi."},
		{name: "nothing", answer: "HEARTBEAT_OK"},
		{name: "nothing, with a state", answer: "HEARTBEAT_OK\n<cron-state>{}</cron-state>"},
		{name: "no output", answer: "(no output)"},
		{name: "silent and short", job: silent, answer: "All is well."},
		{name: "silent and long", job: silent, answer: long, ops: strings.TrimSpace(long)},
		{name: "silent, and something was done", job: silent, answer: `<discord-action>{"type":"sendMessage","channel":"log","content":"hello"}</discord-action>`, log: "hello"},
		{name: "silent, and something failed", job: silent, answer: `<discord-action>{"type":"sendMessage","channel":"nowhere","content":"hello"}</discord-action>`, ops: "Failed:"},
		{name: "a state that is none", answer: "Hi.<cron-state>[1]</cron-state>", ops: "Hi."},
		{name: "routes", job: routes, answer: "```json\n" + `[{"channel":"log","content":"one"},{"channel":"ops","content":"two"}]` + "\n```", ops: "two", log: "one"},
		{name: "routes, and none", job: routes, answer: "[]"},
		{name: "routes, but prose", job: routes, answer: "All is well [1].", ops: "All is well [1]."},
		{name: "silent routes, but short prose", job: func(h *host, j *cron.Job) { silent(h, j); routes(h, j) }, answer: "All is well.", ops: "All is well."},
		{name: "routes, one of them unreachable", job: routes, answer: `[{"channel":"nowhere","content":"one"},{"channel":"log","content":"two"}]`, ops: "-# This was meant for `nowhere`. I did not post it there: ", log: "two"},
		{name: "routes, one of them closed to the bot", job: func(h *host, j *cron.Job) { routes(h, j); h.must(h.Deny("#log", "bot", chat.SendMessages)) }, answer: `[{"channel":"log","content":"one"}]`, ops: "-# This was meant for `log`. I did not post it there: "},
		{name: "routes, one of them closed to an author", job: func(h *host, j *cron.Job) {
			routes(h, j)
			j.Prompters = chat.UserIDs(h.UserID("bob"))
			h.must(h.Deny("#log", "bob", chat.SendMessages))
		}, answer: `[{"channel":"log","content":"one"}]`, ops: "-# This was meant for `log`. I did not post it there: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.serves("ada", "bob")
				h.cron("cron-1", func(j *cron.Job) {
					if tt.job != nil {
						tt.job(h, j)
					}
				})
				h.model = script.New(script.Say(tt.answer), script.Say("HEARTBEAT_OK"))
				h.start()
				untilSlot(time.Minute)
				h.stop()
				for channel, want := range map[string]string{"ops": tt.ops, "log": tt.log} {
					var got []string
					for _, m := range h.Messages(channel) {
						got = append(got, m.Content)
					}
					if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
						t.Errorf("#%s has %q, want %q", channel, got, want)
					}
				}
				h.ended("cron-1", cron.Success)
			})
		})
	}
}

// TestALateCronRunSaysSo, and stands for all times that were missed.
func TestALateCronRunSaysSo(t *testing.T) {
	t.Parallel()
	for off, want := range map[time.Duration]string{
		25 * time.Minute: ":R>, and it stands for 1 earlier run that I missed.\nHi.", 15 * time.Minute: ":R>.\nHi.", 48*time.Hour + 5*time.Minute: ":R>, and it stands for many earlier runs that I missed.\nHi.", 10*time.Minute + 30*time.Second: "Hi.",
	} {
		t.Run(off.String(), func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.cron("cron-1")
				untilSlot(0)
				h.pauses("cron-1", true)
				h.pauses("cron-1", false) // so that the next slot is ten minutes from now
				h.model = script.New(script.Say("Hi."))
				time.Sleep(off)
				h.start()
				time.Sleep(time.Minute)
				h.stop()
				h.showsOnly("ops", want)
				if late := strings.HasPrefix(h.last("ops"), "-# Late: this was due <t:"); late == (want == "Hi.") {
					t.Errorf("got %q", h.last("ops"))
				}
			})
		})
	}
}

// TestCatchingUpSaysWhatIsLeftOut: the first run that is made up for tells of those before it, and no other does.
func TestCatchingUpSaysWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	for off, want := range map[time.Duration]string{
		4*time.Hour + 2*time.Minute:    ":R>. I missed so many that I left out 1 earlier run, from <t:",
		8*24*time.Hour + 2*time.Minute: ":R>. I missed so many that I left out 1000 earlier runs or more, from <t:",
	} {
		t.Run(off.String(), func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.cron("cron-1", func(j *cron.Job) { j.Missed = cron.All })
				untilSlot(0)
				h.model = &pupil{answers: map[string]script.Answer{"Do cron-1": script.Say("Hi.")}}
				time.Sleep(off)
				h.start()
				time.Sleep(5 * time.Minute)
				h.stop()
				h.shows(24, "ops", "Hi.")
				h.shows(1, "ops", "left out")
				if got := h.Messages("ops")[0].Content; !strings.Contains(got, want) {
					t.Errorf("the first run says %q, want %q", got, want)
				}
			})
		})
	}
}

// TestARerunBeginsAtOnce: a job that was triggered while it was running runs again right after that.
func TestARerunBeginsAtOnce(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		h.cron("cron-00000001", func(j *cron.Job) { j.Trigger, j.Schedule = cron.ByHand, "" })
		model := &pupil{answers: map[string]script.Answer{
			"Do cron-00000001": append(script.Answer{script.Pause(90 * time.Second)}, script.Say("Hi.")...),
			"run it":           script.Say(`<discord-action>{"type":"cronTrigger","cronId":"cron-00000001"}</discord-action>`),
		}}
		h.model = model
		h.start()
		h.ask("run it")
		time.Sleep(10 * time.Second)
		h.ask("run it again")
		h.ask("run it once more")
		time.Sleep(2*90*time.Second - 5*time.Second)
		h.stop()
		h.shows(2, "ops", "Hi.")
		h.ended("cron-00000001", cron.Success, cron.Success)
	})
}

// TestACronRunDuringAnOutage: its answer is delivered when Discord works again, and the model is not asked twice.
func TestACronRunDuringAnOutage(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		h.cron("cron-1", func(j *cron.Job) { j.Schedule = "10 * * * *" })
		model := script.New(script.Say("Hi."))
		h.model = model
		h.Fail(fakediscord.Fault{Match: posting, Status: http.StatusServiceUnavailable})
		h.start()
		untilSlot(5 * time.Minute)
		h.Recover()
		time.Sleep(5 * time.Minute)
		h.stop()
		h.showsOnly("ops", "Hi.")
		h.ended("cron-1", cron.Success)
	})
}

// TestACronRunThatCannotBeRecorded: the database fails when the answer is posted. The run is recorded later, and its chain is not lost.
func TestACronRunThatCannotBeRecorded(t *testing.T) {
	onHost(t, cronWorld, func(h *host) {
		h.cron("cron-next", func(j *cron.Job) {
			j.Trigger, j.Schedule, j.Channel, j.ChannelName = cron.ByHand, "", h.ChannelID("news"), "news"
		})
		h.cron("cron-1", func(j *cron.Job) { j.Schedule, j.Chain = "10 * * * *", []string{"cron-next"} })
		h.exec(fmt.Sprintf("CREATE TRIGGER fails BEFORE INSERT ON cron_runs WHEN NEW.ended < %d BEGIN SELECT RAISE(ABORT, 'fails'); END", time.Now().Add(15*time.Minute).UnixMicro()))
		h.model = script.New(script.Say("Hi."), script.Say("After."))
		h.start()
		time.Sleep(20 * time.Minute)
		h.stop()
		h.showsOnly("ops", "Hi.")
		h.showsOnly("news", "After.")
		h.ended("cron-1", cron.Success)
		h.ended("cron-next", cron.Success)
	})
}

// TestAnOldCronRunDoesNotBlockItsJob: the process was killed in the middle of a run, and the bot was off for so long that it is not resumed.
// The job goes on, and people are told.
func TestAnOldCronRunDoesNotBlockItsJob(t *testing.T) {
	t.Parallel()
	for _, off := range []time.Duration{8 * time.Hour, 4 * 24 * time.Hour} {
		t.Run(off.String(), func(t *testing.T) {
			onHost(t, cronWorld, func(h *host) {
				h.cron("cron-1", func(j *cron.Job) { j.Missed = cron.Skip })
				h.model = apptest.Endless()
				h.start()
				untilSlot(time.Minute)
				h.kill()
				time.Sleep(off)
				h.Gateway().ForgetSessions()
				h.model = script.New(script.Say("Hi."))
				h.start()
				untilSlot(time.Minute)
				h.stop()
				h.shows(1, "ops", "Hi.")
				h.shows(1, "ops", "was not finished: ")
				h.ended("cron-1", cron.Failed, cron.Success)
			})
		})
	}
}
