package flow

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/inbox"
	"discoclaw/internal/store"
)

// TestWhatCannotBeWrittenDownIsTakenUp: a full disk must not make the bot deaf.
func TestWhatCannotBeWrittenDownIsTakenUp(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var reports []string
	f := &Flows{Options: Options{
		Inbox:  inbox.New(db),
		Report: func(_ context.Context, what string) { reports = append(reports, what) },
		Log:    slog.New(slog.NewTextHandler(io.Discard, nil)),
	}}
	for _, id := range []chat.MessageID{"10", "11"} {
		if !f.accept(t.Context(), messageEvent(chat.Message{ID: id}, "turn")) {
			t.Errorf("message %s is not taken up", id)
		}
	}
	if len(reports) != 1 || !strings.Contains(reports[0], "cannot be written down") {
		t.Errorf("%q", reports)
	}
}

func TestNoSecretIsWrittenDown(t *testing.T) {
	t.Parallel()
	f := &Flows{}
	answered := chat.Message{ID: "9", Text: "!secret set KEY=swordfish"}
	m := f.withoutSecrets(chat.Message{ID: "10", Text: "what is that?", Answers: &answered})
	for _, e := range []inbox.Event{
		messageEvent(m, "turn"),
		commandEvent(chat.Message{ID: "11", Text: "!secret set KEY=swordfish"}),
		slashEvent(chat.Invocation{Values: map[string]string{"value": "swordfish"}}),
	} {
		if strings.Contains(string(e.Body), "swordfish") {
			t.Errorf("%s: %s", e.Kind, e.Body)
		}
	}
}

func TestTurnsAreTakenUpAsTheyWere(t *testing.T) {
	t.Parallel()
	var got []string
	for _, events := range byTurn([]inbox.Event{
		{ID: "1", Turn: "b", Begun: true}, {ID: "2", Turn: "x"}, {ID: "3", Turn: "b", Begun: true}, {ID: "4", Turn: "y"}, {ID: "5"}, {ID: "6"},
	}) {
		got = append(got, strings.Join(ids(events), "+"))
	}
	if want := []string{"1+3", "2", "4", "5", "6"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestALateAnswerSaysSo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, tt := range []struct {
		ago  time.Duration
		want string
	}{
		{time.Minute, ""},
		{10 * time.Minute, "-# Late: asked at " + now.Add(-10*time.Minute).UTC().Format("15:04") + " UTC, while the bot was away."},
		{24 * time.Hour, "-# Late: asked on " + now.Add(-24*time.Hour).UTC().Format("2 January at 15:04") + " UTC, while the bot was away."},
	} {
		if got := lateRemark(now.Add(-tt.ago), now); got != tt.want {
			t.Errorf("%v ago: %q, want %q", tt.ago, got, tt.want)
		}
	}
	if got := lateRemark(time.Time{}, now); got != "" {
		t.Errorf("what is not late: %q", got)
	}
}
