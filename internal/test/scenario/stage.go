package scenario

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/memnet"
	"discoclaw/internal/plan/plantest"
	"discoclaw/internal/turn"
	"discoclaw/internal/websearch/searchtest"
)

// A stage is a world with the bot.
type stage struct {
	*discordtest.World
	*People
	t        *testing.T
	settings config.Env
	stop     func()                                                      // stops the bot
	left     time.Time                                                   // time of the last stop; zero before that
	away     bool                                                        // the bot is stopped
	line     *line                                                       // the bot's connection to Discord
	dialUDP  func(ctx context.Context, address string) (net.Conn, error) // to calls
	web      *searchtest.Local
	sources  map[string]string // the files of the project by path; none for a scene without one
	project  *project
	began    time.Time

	mu      sync.Mutex
	tokens  int
	crons   int
	secrets int
	hooks   *memnet.Listener
	answers []answer
	asked   []llm.Request
	shown   []llm.Request // the same for the clean reader
	frames  []string
	reports []turn.Report // of all turns, also of earlier processes
	log     strings.Builder
}

// newStage starts the bot in a world. It ends with the test.
func newStage(t *testing.T, layout, settings string) *stage {
	t.Helper()
	return newStageWithProject(t, layout, settings, nil)
}

// newStageWithProject is newStage with the files of a project, if there are any.
func newStageWithProject(t *testing.T, layout, settings string, sources map[string]string) *stage {
	t.Helper()
	world := discordtest.New(t, layout)
	st := &stage{World: world, People: NewPeople(world.World, nil), t: t, web: searchtest.Listen(), sources: sources}
	t.Cleanup(st.web.Close)
	st.settings = st.env(t, layout, settings)
	if st.settings["DISCOCLAW_VOICE_ENABLED"] == "1" {
		st.dialUDP = world.UseCalls(fakevoice.Options{}).DialUDP
	}
	st.Watch(st.see)
	st.start()
	t.Cleanup(func() { st.stop() })
	st.began = time.Now()
	return st
}

// sessionTime is how long Discord keeps the session of a disconnected bot.
const sessionTime = 3 * time.Minute

// start starts the bot and waits until it is online.
func (st *stage) start() {
	st.t.Helper()
	if !st.left.IsZero() && time.Since(st.left) > sessionTime {
		st.Gateway().ForgetSessions()
	}
	st.away = false
	online := make(chan struct{}, 1)
	st.line = &line{RoundTripper: st.HTTP().Transport}
	reach := &http.Client{Transport: st.line}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- st.live(ctx, reach, online) }()
	st.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			st.t.Errorf("the bot ended with %v", err)
		}
		st.left, st.away = time.Now(), true
	}
	select {
	case <-online:
	case err := <-ended:
		ended <- nil
		st.t.Fatalf("the bot did not come online: %v", err)
	}
	synctest.Wait()
}

// A logbook records the bot's log.
type logbook stage

func (l *logbook) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(line)
}

// live runs the bot, and again after each restart.
func (st *stage) live(ctx context.Context, reach *http.Client, online chan<- struct{}) error {
	for {
		bot, err := app.NewBot(st.settings, app.Externals{
			HTTP:    reach,
			DialUDP: st.dialUDP,
			Runtime: script.Func(st.invoke), Tools: len(st.sources) > 0, ModelHTTP: st.web.HTTP,
			Log:      io.MultiWriter(st.t.Output(), (*logbook)(st)),
			Settings: filepath.Join(st.settings["DISCOCLAW_DATA_DIR"], "settings.env"),
			Token:    st.token,
			CronID:   st.cronID, CronSecret: st.cronSecret,
			Listen: st.listen, Answered: st.over,
			Online: func(chat.User) {
				select {
				case online <- struct{}{}:
				default:
				}
			},
		})
		if err != nil {
			return err
		}
		if err := bot.Run(ctx); !errors.Is(err, app.ErrRestart) {
			return err
		}
	}
}

// over records the report of a turn.
func (st *stage) over(r turn.Report) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.reports = append(st.reports, r)
}

// token is that of the next question: token-1, token-2 and so on.
func (st *stage) cronID() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.crons++
	return fmt.Sprintf("cron-%08x", st.crons)
}

func (st *stage) cronSecret() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.secrets++
	return fmt.Sprintf("secret-%d", st.secrets)
}

// listen is the port of webhooks, in memory.
func (st *stage) listen(string) (net.Listener, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.hooks = memnet.New()
	return st.hooks, nil
}

// call calls the webhook of a job.
func (st *stage) call(job, secret, want, body string) error {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, body)
	req, err := http.NewRequest("POST", "http://127.0.0.1/webhook/"+job, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	st.mu.Lock()
	hooks := st.hooks
	st.mu.Unlock()
	if hooks == nil {
		return errors.New("webhooks are off")
	}
	resp, err := hooks.HTTPClient().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if got := strconv.Itoa(resp.StatusCode); got != want {
		return fmt.Errorf("it gets %s, want %s", got, want)
	}
	return nil
}

func (st *stage) token() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.tokens++
	return fmt.Sprintf("token-%d", st.tokens)
}

// env has the settings of the scene on top of those that every scene needs.
func (st *stage) env(t *testing.T, layout, settings string) config.Env {
	env := config.NewEnv(strings.Split(st.expand(settings), "\n"))
	for name, value := range map[string]string{
		"DISCORD_TOKEN":      st.Token(),
		"DISCORD_API_URL":    st.APIURL(),
		"DISCOCLAW_DATA_DIR": filepath.Join(t.TempDir(), "data"),
	} {
		env[name] = value
	}
	if !strings.Contains(settings, "DEFAULT_TIMEZONE") {
		env["DEFAULT_TIMEZONE"] = "UTC"
	}
	if !strings.Contains(settings, "DISCOCLAW_SUMMARY_ENABLED") {
		env["DISCOCLAW_SUMMARY_ENABLED"] = "0" // its calls would take the answers of turns
	}
	if !strings.Contains(settings, "DISCOCLAW_OPERATOR_DMS") {
		env["DISCOCLAW_OPERATOR_DMS"] = "0" // failures are shown in channels already
	}
	if !strings.Contains(settings, "DISCORD_ALLOW_USER_IDS") {
		env["DISCORD_ALLOW_USER_IDS"] = st.Members(layout)
	}
	if !strings.Contains(settings, "DISCOCLAW_RESPOND") {
		env["DISCOCLAW_RESPOND"] = "all"
	}
	return env
}

// expand puts IDs in place of {#channel} and {@member}.
func (st *stage) expand(text string) string {
	text, err := st.Expand(text)
	if err != nil {
		st.t.Fatal(err)
	}
	return text
}

// invoke is the model: it takes the next answer for the channel of the prompt. The clean reader has answers of its own.
func (st *stage) invoke(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	st.mu.Lock()
	defer st.mu.Unlock()
	reader := asksReader(req)
	if reader {
		st.shown = append(st.shown, req)
	} else {
		st.asked = append(st.asked, req)
	}
	i := slices.IndexFunc(st.answers, func(a answer) bool {
		return a.reader == reader && (a.channel == "" || isIn(a.channel, req.Messages[0].Text)) && (a.role == "" || a.role == req.Payer.Role)
	})
	if i < 0 && reader {
		return noneAsked.Stream(ctx)
	}
	if i < 0 {
		return script.Answer{script.Fail(&llm.Error{Kind: llm.Refused, Runtime: "script", Remedy: "the scene has no more answers"})}.Stream(ctx)
	}
	a := st.answers[i]
	st.answers = slices.Delete(st.answers, i, i+1)
	return func(yield func(llm.Event, error) bool) {
		for e, err := range a.answer.Stream(ctx) {
			if text, ok := e.(llm.TextDelta); ok {
				e = llm.TextDelta{Text: plantest.WithWord(text.Text, req.Messages[0].Text)}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// isIn reports whether a prompt is about a channel or thread of that name.
func isIn(channel, prompt string) bool {
	if strings.Contains(prompt, " in the thread ") {
		return strings.Contains(prompt, " in the thread "+channel+" in #")
	}
	return strings.Contains(prompt, " in #"+channel+"]: ") || strings.Contains(prompt, "waits for it here in #"+channel+".")
}

// write writes a file in the data directory, as an operator would.
func (st *stage) write(name, text string) error {
	path := filepath.Join(st.settings["DISCOCLAW_DATA_DIR"], name)
	return os.WriteFile(path, []byte(text+"\n"), 0o600)
}

// replace replaces a text that a file in the data directory has once.
func (st *stage) replace(name, before, after string) error {
	path := filepath.Join(st.settings["DISCOCLAW_DATA_DIR"], name)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(data), before); n != 1 {
		return fmt.Errorf("the file has this text %d times:\n%s", n, data)
	}
	return os.WriteFile(path, []byte(strings.Replace(string(data), before, after, 1)), 0o600)
}

func (p *People) say(who, where, text string, with ...fakediscord.SayOption) error {
	m, err := p.world.Say(who, where, text, with...)
	p.last[who] = m
	return err
}

func (p *People) reply(who, to, text string) error {
	answered, err := p.latest(to)
	if err != nil {
		return err
	}
	return p.say(who, string(answered.Channel), text, fakediscord.Answering(answered.ID))
}

func (p *People) forward(who, what, where string) error {
	m, err := p.latest(what)
	if err != nil {
		return err
	}
	return p.say(who, where, "", fakediscord.Forwarding(m.ID))
}

func (p *People) startThread(who, name, on string) error {
	m, err := p.latest(on)
	if err != nil {
		return err
	}
	_, err = p.world.StartThreadOn(who, m.ID, name)
	return err
}

// startPost starts a post in a forum, whose first message is the member's last one then.
func (p *People) startPost(who, forum, name, text string) error {
	post, err := p.world.StartPost(who, forum, name, text)
	p.last[who] = fakediscord.Message{ID: chat.MessageID(post.ID), Channel: post.ID}
	return err
}

func (p *People) edit(who, text string) error {
	return p.world.EditAs(who, p.last[who].ID, text)
}

func (p *People) remove(who string) error { return p.world.DeleteAs(who, p.last[who].ID) }

// press finds the latest button with a label and presses it.
func (p *People) press(who, label string) error {
	var on fakediscord.Message
	var button string
	for _, ch := range p.world.Channels() {
		for _, m := range p.world.Messages(string(ch.ID)) {
			for _, b := range m.Buttons() {
				if (b.Label == label || strings.HasPrefix(b.Label, label+" ")) && m.ID.After(on.ID) {
					on, button = m, b.CustomID
				}
			}
		}
	}
	if button == "" {
		return fmt.Errorf("there is no button %s", label)
	}
	_, err := p.world.Press(who, on.ID, button)
	return err
}

// react adds a reaction to the latest message with a text, or removes it.
func (p *People) react(who string, add bool, e chat.Emoji, text string) error {
	m, err := p.latest(text)
	switch {
	case err != nil:
		return err
	case add:
		return p.world.React(who, m.ID, e)
	}
	return p.world.Unreact(who, m.ID, e)
}

// vote chooses an answer of the latest poll that has it.
func (p *People) vote(who, answer string) error {
	var on fakediscord.Message
	for _, ch := range p.world.Channels() {
		for _, m := range p.world.Messages(string(ch.ID)) {
			if m.Poll != nil && slices.Contains(m.Poll.Answers, answer) && m.ID.After(on.ID) {
				on = m
			}
		}
	}
	if on.Poll == nil {
		return fmt.Errorf("no poll has the answer %s", answer)
	}
	return p.world.Vote(who, on.ID, slices.Index(on.Poll.Answers, answer)+1)
}

// latest is the latest message with a text. Without a text it is the bot's.
func (p *People) latest(text string) (fakediscord.Message, error) {
	var latest fakediscord.Message
	bot, _ := p.world.Member("bot")
	for _, ch := range p.world.Channels() {
		for _, m := range p.world.Messages(string(ch.ID)) {
			meant := text != "" && strings.Contains(m.Content, text) || text == "" && m.Author == bot.ID
			if meant && m.ID.After(latest.ID) {
				latest = m
			}
		}
	}
	if latest.ID == "" {
		return latest, errors.New("there is no such message")
	}
	return latest, nil
}

// run uses a slash command. A missing answer is no mistake of the scene: strangers get none.
func (p *People) run(who, where, line string) error {
	_, err := p.world.Run(who, where, line)
	return unlessIgnored(err)
}

// askAbout asks about the latest message with a text, from its menu.
func (p *People) askAbout(who, text, question string) error {
	m, err := p.latest(text)
	if err != nil {
		return err
	}
	answer, err := p.world.Pick(who, m.ID, "Ask about this")
	if err == nil {
		_, err = p.world.Submit(who, string(m.Channel), answer.Form.ID, map[string]string{"question": question})
	}
	return unlessIgnored(err)
}

// choose chooses an entry in the menu of the latest message with a text.
func (p *People) choose(who, entry, text string) error {
	m, err := p.latest(text)
	if err == nil {
		_, err = p.world.Pick(who, m.ID, entry)
	}
	return unlessIgnored(err)
}

func unlessIgnored(err error) error {
	if errors.Is(err, fakediscord.ErrNoAnswer) {
		return nil
	}
	return err
}

func (st *stage) fault(route, status string) error {
	if status == "lost" {
		st.Fail(fakediscord.Fault{Match: route, Kind: fakediscord.Reset, Accepted: true, Times: 1})
		return nil
	}
	code, err := strconv.Atoi(status)
	if err != nil {
		return err
	}
	st.Fail(fakediscord.Fault{Match: route, Times: 1, Status: code})
	return nil
}

func (st *stage) limit(route string, d time.Duration) {
	st.Fail(fakediscord.Fault{Match: route, Kind: fakediscord.RateLimited, RetryAfter: d})
}

func (st *stage) limitEverything(d time.Duration) {
	st.Fail(fakediscord.Fault{Times: 1, Kind: fakediscord.RateLimited, RetryAfter: d, Global: true})
}

// settle waits until the bot is idle: no reply is in flight, and there were no requests for a
// while. It counts them when all goroutines wait, since those that wake at the same instant wake in any order.
func (st *stage) settle() {
	st.t.Helper()
	began := time.Now()
	synctest.Wait()
	for seen, calm := len(st.Requests()), 0; calm < 3; calm++ {
		if time.Since(began) > time.Hour {
			st.t.Fatal("the bot is not idle after an hour")
		}
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		now := len(st.Requests())
		if st.writing() || now != seen {
			calm = -1
		}
		seen = now
	}
}

// writing reports whether a reply has a Stop button. After a crash, none is written.
func (st *stage) writing() bool { return !st.line.cut.Load() && st.Writing() }

// see records the frames of the bot.
func (st *stage) see(e fakediscord.Event) {
	var m struct {
		ID     chat.MessageID
		Author struct{ Bot bool }
	}
	switch e.Name {
	default:
		return
	case "MESSAGE_DELETE":
		st.frame(e.Channel, "(deleted)")
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		if json.Unmarshal(e.Data, &m) != nil || !m.Author.Bot {
			return
		}
		shown, ok := st.Message(m.ID)
		if !ok {
			return
		}
		text := shown.Content
		for _, b := range shown.Buttons() {
			text += " [" + b.Label + "]"
		}
		for _, a := range shown.Attachments {
			text += " (" + a.Name + ")"
		}
		st.frame(e.Channel, text)
	}
}

func (st *stage) frame(ch chat.ChannelID, text string) {
	c, _ := st.Channel(string(ch))
	st.mu.Lock()
	defer st.mu.Unlock()
	at := time.Since(st.began).Seconds()
	st.frames = append(st.frames, indent(fmt.Sprintf("%.2fs #%s %s", at, c.Name, text)))
}

func (st *stage) forgetFrames() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.frames = nil
}

func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// promptSize changes with every action that the bot learns.
var promptSize = regexp.MustCompile(`The prompt had .*`)

// build changes with every build, and with every category of actions.
var build = regexp.MustCompile(`(?m)^  (Version|Actions:) .*`)

// lateAsked and awayUntil have times that are some seconds apart from run to run, since retries wait for random times.
var (
	lateAsked = regexp.MustCompile(`-# Late: asked <t:\d+:R>`)
	awayUntil = regexp.MustCompile(`I was away until <t:\d+:f>`)
)

// readable puts names in place of IDs in mentions.
func (st *stage) readable(text string) string {
	text = promptSize.ReplaceAllString(text, "The prompt had …")
	text = build.ReplaceAllString(text, "  $1 …")
	text = lateAsked.ReplaceAllString(text, "-# Late: asked <t:…:R>")
	text = awayUntil.ReplaceAllString(text, "I was away until <t:…:f>")
	return st.Readable(st.project.readable(text))
}
