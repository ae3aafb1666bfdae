package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/config"
)

// endTime is how long a process may take to end. A bot itself takes at most 15 seconds.
const endTime = 20 * time.Second

// toBot is a line that the playground writes to the bot's process. The first has the orders. Keys of models are in them, which
// therefore are in no argument, file or environment.
type toBot struct {
	Call    int          `json:",omitempty"` // the number of a call, which is answered
	Orders  *orders      `json:",omitempty"`
	Perform *asked       `json:",omitempty"`
	Jobs    chat.GuildID `json:",omitempty"`
	Moves   []move       `json:",omitempty"`
	Stop    bool         `json:",omitempty"`
}

// fromBot is a line that the bot's process writes to the playground.
type fromBot struct {
	Call   int            `json:",omitempty"`
	Jobs   []jobRecord    `json:",omitempty"`
	Online bool           `json:",omitempty"`
	Turn   *record        `json:",omitempty"`
	Card   *cardRecord    `json:",omitempty"`
	Silent *silenceRecord `json:",omitempty"`
	Ended  bool           `json:",omitempty"` // it is the last line
	Error  *failure       `json:",omitempty"` // of a call, or why it ended
}

// A failure is an error that crosses a pipe.
type failure struct {
	What    string
	Mistake bool
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	var mistake *config.Mistake
	var configuration *config.Error
	return &failure{err.Error(), errors.As(err, &mistake) || errors.As(err, &configuration)}
}

func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Mistake:
		return config.Mistakef("%s", f.What)
	}
	return errors.New(f.What)
}

// Alone runs the bot of a playground in this process, as the playground says that started it. That writes to in and reads
// out. When in ends, the playground is gone, and this process ends at once.
func Alone(in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt) // a Ctrl-C in the terminal is for the playground
	lines := json.NewDecoder(in)
	var first toBot
	if err := lines.Decode(&first); err != nil || first.Orders == nil {
		return config.Mistakef("this command is for the playground, which starts it by itself; write discoclaw play")
	}
	var mu sync.Mutex
	to := json.NewEncoder(out)
	tell := func(line fromBot) {
		mu.Lock()
		defer mu.Unlock()
		_ = to.Encode(line) // if the playground is gone, so is in
	}
	b, err := newInside(*first.Orders, nil, first.Orders.logOf(), ears{
		online:  func() { tell(fromBot{Online: true}) },
		turn:    func(r record) { tell(fromBot{Turn: &r}) },
		card:    func(c cardRecord) { tell(fromBot{Card: &c}) },
		silence: func(s silenceRecord) { tell(fromBot{Silent: &s}) },
	})
	if err == nil {
		ctx, stop := context.WithCancel(context.Background())
		go func() { obey(ctx, b, lines, tell, stop) }()
		err = b.Run(ctx)
		stop()
	}
	tell(fromBot{Ended: true, Error: failureOf(err)})
	return nil
}

// obey does what the playground says until it is gone.
func obey(ctx context.Context, b bot, lines *json.Decoder, tell func(fromBot), stop func()) {
	for {
		var line toBot
		if err := lines.Decode(&line); err != nil {
			os.Exit(1) // as if it had been killed: its Discord is gone, so there is nothing that could still be told
		}
		switch {
		case line.Stop:
			stop()
		case line.Moves != nil:
			b.ClockMoved(line.Moves)
		default: // a call, which may take its time
			go func() { tell(answer(ctx, b, line)) }()
		}
	}
}

func answer(ctx context.Context, b bot, line toBot) fromBot {
	if line.Perform != nil {
		return fromBot{Call: line.Call, Error: failureOf(b.Perform(ctx, *line.Perform))}
	}
	jobs, err := b.Jobs(ctx, line.Jobs)
	return fromBot{Call: line.Call, Jobs: jobs, Error: failureOf(err)}
}

// A process is a bot in a process of its own, which runs Alone.
type process struct {
	*inside // is never run: it knows the model, and that the settings are right
	command []string
	log     io.Writer
	hear    ears

	mu    sync.Mutex
	child *os.Process // nil while it does not run
	to    *json.Encoder
	calls map[int]chan fromBot
	count int
}

func newProcess(command []string, o orders, log io.Writer, hear ears) (*process, error) {
	checked, err := newInside(o, nil, nil, ears{})
	return &process{inside: checked, command: command, log: log, hear: hear, calls: map[int]chan fromBot{}}, err
}

// errDied means that a process ended without a word.
var errDied = errors.New("the bot's process ended")

func (p *process) Run(ctx context.Context) error {
	cmd := exec.Command(p.command[0], p.command[1:]...)
	cmd.Args[0] = os.Args[0] // it is this program, which may look at its name
	cmd.Stderr = p.log
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start the bot's process: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start the bot's process: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the bot's process: %w", err)
	}
	p.begin(cmd.Process, json.NewEncoder(in))
	defer context.AfterFunc(ctx, func() {
		p.send(toBot{Stop: true})
		time.AfterFunc(endTime, p.Kill)
	})()
	ended, why := p.listen(json.NewDecoder(out))
	p.over()
	in.Close()
	err = cmd.Wait()
	if ended {
		return why
	}
	return fmt.Errorf("%w: %v", errDied, err)
}

func (p *process) begin(child *os.Process, to *json.Encoder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.child, p.to = child, to
	_ = to.Encode(toBot{Orders: &p.orders}) // if it is gone already, listen will tell
}

// over lets go of the process and of the calls that it has not answered.
func (p *process) over() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.child, p.to = nil, nil
	for _, answer := range p.calls {
		close(answer)
	}
	clear(p.calls)
}

// listen hears what the process says until it ends. ended is false if it did not say why.
func (p *process) listen(lines *json.Decoder) (ended bool, why error) {
	for {
		var line fromBot
		if lines.Decode(&line) != nil {
			return false, nil
		}
		switch {
		case line.Ended:
			return true, line.Error.err()
		case line.Online:
			p.hear.online()
		case line.Turn != nil:
			p.hear.turn(*line.Turn)
		case line.Card != nil:
			p.hear.card(*line.Card)
		case line.Silent != nil:
			p.hear.silence(*line.Silent)
		default:
			p.answered(line)
		}
	}
}

func (p *process) answered(line fromBot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer, waits := p.calls[line.Call]; waits {
		answer <- line // has room
		delete(p.calls, line.Call)
	}
}

// send writes a line, if the process runs.
func (p *process) send(line toBot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.to != nil {
		_ = p.to.Encode(line) // if it is gone, listen will tell
	}
}

// errNotThere is the answer to calls while there is no process.
var errNotThere = errors.New("the bot is not running")

// call sends a line and waits for its answer.
func (p *process) call(ctx context.Context, line toBot) (fromBot, error) {
	answer := make(chan fromBot, 1)
	p.mu.Lock()
	if p.to == nil {
		p.mu.Unlock()
		return fromBot{}, errNotThere
	}
	p.count++
	line.Call = p.count
	p.calls[line.Call] = answer
	p.mu.Unlock()
	p.send(line)
	select {
	case got, there := <-answer:
		if !there {
			return got, errNotThere
		}
		return got, got.Error.err()
	case <-ctx.Done():
		return fromBot{}, context.Cause(ctx)
	}
}

func (p *process) Perform(ctx context.Context, a asked) error {
	_, err := p.call(ctx, toBot{Perform: &a})
	return err
}

func (p *process) Jobs(ctx context.Context, g chat.GuildID) ([]jobRecord, error) {
	got, err := p.call(ctx, toBot{Jobs: g})
	return append([]jobRecord{}, got.Jobs...), err
}

func (p *process) ClockMoved(moves []move) { p.send(toBot{Moves: moves}) }

// Kill ends the process as kill -9 does.
func (p *process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.child != nil {
		_ = p.child.Kill() // it may have ended by itself
	}
}
