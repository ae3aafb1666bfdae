package link

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// play puts frames into a jitter, "5@20" as number 5 after 20 ms, and tells what it passed on and when; "-5" is a lost one.
func play(script string, j *jitter) string {
	type arrival struct {
		at       time.Duration
		sequence uint16
	}
	var came []arrival
	for _, word := range strings.Fields(script) {
		var a arrival
		var ms int
		if _, err := fmt.Sscanf(word, "%d@%d", &a.sequence, &ms); err != nil {
			panic(err)
		}
		a.at = time.Duration(ms) * time.Millisecond
		came = append(came, a)
	}
	begin, last := time.Unix(1000, 0), came[len(came)-1].at
	var passed []string
	for at := time.Duration(0); at <= last+time.Second; at += time.Millisecond {
		now := begin.Add(at)
		for len(came) > 0 && came[0].at == at {
			j.put(Frame{Sequence: came[0].sequence, Timestamp: uint32(came[0].sequence) * frameTime, Opus: []byte{1}}, now)
			came = came[1:]
		}
		for {
			f, _, ok := j.take(now)
			if !ok {
				break
			}
			sign := ""
			if f.Opus == nil {
				sign = "-"
			}
			if uint16(f.Timestamp/frameTime) != f.Sequence {
				sign += "wrong time "
			}
			passed = append(passed, fmt.Sprintf("%s%d@%d", sign, f.Sequence, at.Milliseconds()))
		}
		if len(came) == 0 && len(j.waiting) == 0 {
			break
		}
	}
	return strings.Join(passed, " ")
}

func TestFramesComeInOrder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, out string }{
		{"the first waits for earlier ones, the rest for none", "5@0 6@20 7@40 8@60 9@80", "5@60 6@60 7@60 8@60 9@80"},
		{"the first two turned round", "6@0 5@20 7@40", "5@60 6@60 7@60"},
		{"two turned round", "1@0 3@100 2@130 4@140", "1@60 2@130 3@130 4@140"},
		{"one lost", "1@0 3@100 4@120 5@140 6@160", "1@60 -2@160 3@160 4@160 5@160 6@160"},
		{"several lost: one is concealed", "1@0 5@100", "1@60 -2@160 5@160"},
		{"too late", "1@0 3@100 2@170 4@180", "1@60 -2@160 3@160 4@180"},
		{"twice", "1@0 1@10 2@20 2@70 1@80 3@90", "1@60 2@60 3@90"},
		{"the count waits from the first that came early", "1@0 4@100 3@150 5@170", "1@60 -2@160 3@160 4@160 5@170"},
		{"two gaps", "1@0 3@100 5@110", "1@60 -2@160 3@160 -4@170 5@170"},
		{"a pause", "1@0 2@5000 3@5020", "1@60 2@5000 3@5020"},
		{"a pause in which some were lost", "1@0 12@5000 13@5020", "1@60 -2@5060 12@5060 13@5060"},
		{"a new count", "1@0 2@100 60000@120 60001@140", "1@60 2@100 60000@180 60001@180"},
	} {
		if out := play(tt.in, &jitter{}); out != tt.out {
			t.Errorf("%s: %s became %s, want %s", tt.name, tt.in, out, tt.out)
		}
	}
}

func TestTheCountWrapsRound(t *testing.T) {
	t.Parallel()
	j := &jitter{begun: true, next: 65535}
	now := time.Unix(1000, 0)
	for _, n := range []uint16{0, 65535, 2, 1} {
		j.put(Frame{Sequence: n, Opus: []byte{1}}, now)
	}
	for _, want := range []uint16{65535, 0, 1, 2} {
		if f, _, ok := j.take(now); !ok || f.Sequence != want {
			t.Errorf("%d came, %v, want %d", f.Sequence, ok, want)
		}
	}
}

func TestFramesThatWaitAreFew(t *testing.T) {
	t.Parallel()
	j := &jitter{begun: true, next: 0}
	now := time.Unix(1000, 0)
	passed := 0
	for n := range uint16(1000) {
		j.put(Frame{Sequence: 1 + n, Opus: []byte{1}}, now)
		for {
			if _, _, ok := j.take(now); !ok {
				break
			}
			passed++
		}
		if len(j.waiting) > backlog {
			t.Fatalf("%d wait", len(j.waiting))
		}
	}
	if passed != 1001 { // one of them is concealed
		t.Errorf("%d passed", passed)
	}
}
