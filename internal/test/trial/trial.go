// Package trial measures the bot with a real model. It plays the users' requests of a text file on an
// embedded Discord, writes each call of the model to a file, and reads the model's answer from another
// file, which a person or a program puts there. It is for tests only; "make trial" runs it.
//
// In the folder of a trial, NNN.request.md is the prompt of call NNN, and NNN.request.json the same for
// programs. The answer is NNN.answer.md; write it under another name and rename it, so that it is read whole.
// A request that offers tools says how an answer calls them; the tools run, and their results are in the next request. An
// answer whose calls cannot be understood becomes NNN.refused.md, NNN.trouble.txt says why, and the trial waits for another one.
//
// The calls of the clean reader, who is asked whether changes follow from the words of a person (package consent), are apart, in the
// folder "reader": answer them from that folder alone. The bot's deadline for them does not count here.
//
// At the end of a trial the folder also has
//
//	transcript.md  the effects of each request, in channels and on the server, for a judge
//	figures.json   the measurements; [Figures] prints them as tables
//	recorded.txt   the requests with the answers, for a replay
//	log            the bot's log
//	project        a clone of the project, with the branches of plans
//
// The judge's verdicts.txt is described at [Figures].
//
// Requests are lines of a scene's script (see the package scenario) that need no stage. An empty line ends a
// request; the next one starts when the bot is idle. Work in the background that neither asks the model nor writes to Discord for two
// seconds is not seen; a line such as "wait 2m" lets it go on. Lines that start with # are for the judge. Lines that
// start with "model:" or "reader:" are recorded answers to the request, which are used before any file is waited for.
package trial

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/memnet"
	"discoclaw/internal/test/scenario"
	"discoclaw/internal/turn"
)

// defaultWorld is a text archive. The sections world, env and "file a.txt" are those of a scene; "earlier" is a
// script that is played before the bot comes online.
//
//go:embed testdata/world.txtar
var defaultWorld string

// Options are the parameters of a trial.
type Options struct {
	World    string        // a text archive like the default one, which empty means
	Requests string        // the text of a requests file
	Dir      string        // is created; must not hold an earlier trial
	Timeout  time.Duration // of each answer; zero means ten minutes
	Project  string        // a git repository that plans may change a clone of; empty for none
	Verify   string        // the command line that tests it
	Settings []string      // NAME=value, besides those of the world
	Out      io.Writer     // progress messages; nil for none
}

// A kit is a running trial.
type kit struct {
	*scenario.People
	world  *fakediscord.World
	bridge *bridge
	bot    func() (*app.Bot, error)
	online chan struct{}

	mu      sync.Mutex
	reports []turn.Report // since the last takeReports
}

// Run plays all requests, writes the files of the trial, and returns the figures. If an answer times out or ctx
// ends, it returns the figures of the requests until then, and an error.
func Run(ctx context.Context, o Options) ([]Figure, error) {
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.World == "" {
		o.World = defaultWorld
	}
	if err := makeEmpty(o.Dir); err != nil {
		return nil, err
	}
	data, err := os.MkdirTemp("", "discoclaw-trial-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the bot: %w", err)
	}
	defer os.RemoveAll(data) // best effort
	if o.Project != "" {
		if err := cloneProject(ctx, o, data); err != nil {
			return nil, err
		}
	}
	log, err := os.Create(filepath.Join(o.Dir, "log"))
	if err != nil {
		return nil, fmt.Errorf("make the log: %w", err)
	}
	defer log.Close() // best effort
	k, close, err := open(o, data, log)
	if err != nil {
		return nil, err
	}
	defer close()
	text, err := k.expand(o.Requests)
	if err != nil {
		return nil, err
	}
	requests, err := parseRequests(text)
	if err != nil {
		return nil, err
	}
	return k.run(ctx, o.Dir, requests)
}

// expand puts IDs in place of {#channel} and {@member}. In a recorded answer what names neither may be code, and stays.
func (k *kit) expand(text string) (string, error) {
	var b strings.Builder
	var unknown []error
	answer := false
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "  ") {
			answer = strings.HasPrefix(line, "model:") || strings.HasPrefix(line, "model in #") || strings.HasPrefix(line, "reader:")
		}
		expanded, err := k.Expand(line)
		if err != nil && !answer {
			unknown = append(unknown, err)
		}
		b.WriteString(expanded)
	}
	return b.String(), errors.Join(unknown...)
}

// makeEmpty creates a folder, and refuses that of an earlier trial.
func makeEmpty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder of the trial: %w", err)
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "*.request.*")); len(files) > 0 {
		return fmt.Errorf("%s holds an earlier trial; name another folder", dir)
	}
	return nil
}

// address is never looked up: the listener is in memory.
const address = "http://localhost"

// open builds the world, plays the earlier script, and prepares the bot.
func open(o Options, data string, log io.Writer) (*kit, func(), error) {
	archive := txtar.Parse([]byte(o.World))
	sections, files := map[string]string{}, map[string]string{}
	for _, f := range archive.Files {
		sections[f.Name] = string(f.Data)
		if name, ok := strings.CutPrefix(f.Name, "file "); ok {
			files[name] = string(f.Data)
		}
	}
	world, err := fakediscord.New(sections["world"])
	if err != nil {
		return nil, nil, err
	}
	k := &kit{People: scenario.NewPeople(world, files), world: world, online: make(chan struct{})}
	k.bridge = &bridge{dir: o.Dir, timeout: o.Timeout, out: o.Out}
	if err := k.playEarlier(sections["earlier"]); err != nil {
		return nil, nil, err
	}
	settings, err := k.Expand(strings.Join(append([]string{sections["env"]}, o.Settings...), "\n"))
	if err != nil {
		return nil, nil, err
	}
	client, stop := serve(world)
	online := sync.OnceFunc(func() { close(k.online) })
	externals := app.Externals{
		HTTP: client, NoCalls: true, Runtime: k.bridge, Tools: true, Log: log, Online: func(chat.User) { online() }, Answered: k.answered,
	}
	env := k.env(settings, sections["world"], data)
	k.bot = func() (*app.Bot, error) { return app.NewBot(env, externals) }
	return k, stop, nil
}

// serve serves a world in memory until the returned function is called.
func serve(world *fakediscord.World) (*http.Client, func()) {
	world.SetURL(address)
	listener, done := memnet.New(), make(chan struct{})
	server := &http.Server{Handler: world.Handler()}
	go func() {
		defer close(done)
		_ = server.Serve(listener) // until it is closed
	}()
	return listener.HTTPClient(), func() {
		world.Close()
		_ = server.Close() // nothing to lose in memory
		<-done
	}
}

// playEarlier plays the lines that happened before the bot came online.
func (k *kit) playEarlier(script string) error {
	text, err := k.Expand(script)
	if err != nil {
		return err
	}
	lines, _, err := scenario.ParseLines(text)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if err := l.Do(k.People); err != nil {
			return fmt.Errorf("%s: %w", l.Text, err)
		}
	}
	return nil
}

// env is the bot's settings: it answers every message of the layout's members, and the owner is its operator.
func (k *kit) env(settings, layout, data string) config.Env {
	env := config.NewEnv(strings.Split(settings, "\n"))
	for name, value := range map[string]string{
		"DISCORD_TOKEN":               k.world.Token(),
		"DISCORD_API_URL":             address + "/api/v10",
		"DISCORD_ALLOW_USER_IDS":      k.Members(layout),
		"DISCOCLAW_OPERATOR_USER_IDS": string(k.world.Owner()),
		"DISCOCLAW_RESPOND":           "all",
		"DISCOCLAW_USER_TURNS":        "0",
		"DISCOCLAW_SUMMARY_ENABLED":   "0", // its calls are not answers to requests
		"DISCOCLAW_DATA_DIR":          data,
		// An answer may take minutes, and the stall warning is not what is measured.
		"DISCOCLAW_STREAM_STALL_WARNING_MS": "0",
	} {
		env[name] = value
	}
	return env
}

// answered records the report of a turn.
func (k *kit) answered(r turn.Report) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reports = append(k.reports, r)
}

// takeReports returns the reports since its last call.
func (k *kit) takeReports() []turn.Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	reports := k.reports
	k.reports = nil
	return reports
}

// run plays the requests while the bot runs.
func (k *kit) run(ctx context.Context, dir string, requests []request) ([]Figure, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	k.bridge.stopped = ctx.Done()
	ended := make(chan error, 1)
	go func() {
		ended <- k.serveBot(ctx)
		stop() // without a bot there is nothing to wait for
	}()
	select {
	case <-k.online:
	case <-ctx.Done():
		return nil, errors.Join(context.Cause(ctx), <-ended)
	}
	book, err := k.play(ctx, requests)
	stop()
	return book.figures, errors.Join(err, <-ended, book.write(dir))
}

// serveBot runs the bot, and starts it again after a restart command.
func (k *kit) serveBot(ctx context.Context) error {
	for {
		bot, err := k.bot()
		if err != nil {
			return err
		}
		if err = bot.Run(ctx); !errors.Is(err, app.ErrRestart) {
			return err
		}
	}
}

// play plays requests until the first error.
func (k *kit) play(ctx context.Context, requests []request) (*book, error) {
	b := &book{last: map[string]string{}}
	if err := k.settle(ctx); err != nil {
		return b, err
	}
	for _, r := range requests {
		before := k.snapshot()
		k.bridge.begin(r.answers)
		var refused []string
		err := k.do(ctx, r, func(line string, err error) { refused = append(refused, fmt.Sprintf("%s: %v", line, err)) })
		b.add(k, r, k.bridge.calls(), k.takeReports(), before, k.snapshot(), refused)
		if err != nil {
			return b, err
		}
	}
	return b, nil
}

// do plays the lines of a request. A line that is impossible, such as a press of a button that does not exist, is
// reported to refused and is no error: it depends on the model.
func (k *kit) do(ctx context.Context, r request, refused func(line string, err error)) error {
	for _, l := range r.lines {
		if err := l.Do(k.People); err != nil {
			refused(l.Text, err)
		}
		if !l.Wait {
			continue
		}
		if err := k.settle(ctx); err != nil {
			return err
		}
	}
	return k.settle(ctx)
}

const (
	pollInterval = 250 * time.Millisecond
	// idlePolls without a change mean that the bot is idle. They allow for a slow machine.
	idlePolls = 8
	// stuckPolls without a call or a request mean that a reply will not be finished, as in a channel
	// that the bot has shut itself out of. The trial goes on then.
	stuckPolls = 120
)

// settle waits until the bot is idle: no call is open, no reply is being written, and no request was sent to Discord
// for a while.
func (k *kit) settle(ctx context.Context) error {
	until := time.Now().Add(10*k.bridge.timeout + time.Minute)
	for idle, quiet := 0, 0; idle < idlePolls && quiet < stuckPolls; idle++ {
		before := len(k.world.Requests())
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pollInterval):
		}
		quiet++
		if k.bridge.asks() || len(k.world.Requests()) != before {
			quiet = 0
		}
		if quiet == 0 || k.Writing() {
			idle = -1
		}
		if time.Now().After(until) {
			return errors.New("the bot does not become idle")
		}
	}
	return k.bridge.failure()
}
