package foreign

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/fakediscord"
)

// A line is what the program says: how a step went, or what it wants to have done in the world.
type line struct {
	Step, Trouble string
	Status        int // of the answer that was the trouble

	Do   string
	Args []string
}

// A script is discord.js on a course.
type script struct {
	*course
	seen chan pressed // what people see of the answers to what they pressed
}

// TestDiscordJSOnTheFake takes discord.js from its login to a resumed session.
func TestDiscordJSOnTheFake(t *testing.T) {
	t.Parallel()
	library := installed(t, "discord.js")
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + on.Addr().String()
	s := &script{course: newCourse(t, on, url), seen: make(chan pressed, 1)}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join("discordjs", "run.js"))
	cmd.Env = append(os.Environ(), "DISCOCLAW_NPM="+filepath.Dir(filepath.Dir(library)), "FAKE_API="+url+"/api", "FAKE_TOKEN="+s.Token())
	var said strings.Builder
	cmd.Stderr = &said
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.serve(out, in)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the program ended with %v\n%s", err, &said)
	}
	s.report("discordjs")
	if said.Len() > 0 {
		t.Logf("it said\n%s", &said)
	}
}

// serve reads what the program says until it ends, and does what it wants.
func (s *script) serve(out io.Reader, in io.Writer) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var l line
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			s.Errorf("the program says %s", lines.Bytes())
			continue
		}
		answer := map[string]any{}
		if l.Do == "" {
			if l.Status == http.StatusNotImplemented {
				l.Trouble = notBuilt
			}
			s.took(l.Step, strings.TrimSpace(l.Trouble))
		} else {
			value, err := s.act(l.Do, l.Args)
			answer["value"] = value
			if err != nil {
				answer["error"] = err.Error()
			}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			s.Errorf("%s: %v", l.Do, err)
		}
		if _, err := fmt.Fprintf(in, "%s\n", text); err != nil {
			s.Errorf("%s: %v", l.Do, err)
		}
	}
}

// act does something in the world.
func (s *script) act(do string, args []string) (any, error) {
	action, ok := actions[do]
	if !ok {
		return nil, errors.New("there is no such action")
	}
	return action(s, args)
}

// press has a person act, who waits for an answer.
func (s *script) press(act func() (fakediscord.Answer, error)) {
	go func() {
		a, err := act()
		s.seen <- pressed{a, err}
	}()
}

// answer is what the person sees.
func (s *script) answer() (string, error) {
	select {
	case p := <-s.seen:
		kind := map[fakediscord.AnswerKind]string{
			fakediscord.Replied: "replied", fakediscord.ReplyDeferred: "reply deferred", fakediscord.Updated: "updated", fakediscord.UpdateDeferred: "update deferred",
		}[p.Kind]
		return kind + ": " + p.Message.Content, p.err
	case <-time.After(long):
		return "", errors.New("the person waits for an answer")
	}
}
