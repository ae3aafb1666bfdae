package spend_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/spend"
)

// ofSound are prices of a dollar for ten seconds of live sound, or for a character.
func ofSound() models.Prices {
	live, recorded, speech := 6.0, 3.0, 1e6
	return models.Prices{"ear": {Minute: &live, Recorded: &recorded}, "whisper": {Minute: &live}, "mouth": {Speech: &speech}}
}

var (
	ada   = llm.Payer{User: "1"}
	ear   = spend.Service{Model: "ear"}
	mouth = spend.Service{Model: "mouth"}
)

// must returns a purchase that was not refused.
func must(t *testing.T) func(*spend.Purchase, error) *spend.Purchase {
	return func(p *spend.Purchase, err error) *spend.Purchase {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// requireSpent checks what Ada has spent.
func requireSpent(t *testing.T, book *spend.Meter, want string) {
	t.Helper()
	if sum, err := book.Of(t.Context(), "1", 1); err != nil || sum.String() != want {
		t.Errorf("spent: %v, %v; want %s", sum, err, want)
	}
}

// TestSoundIsPaidByItsLength: by that of what was sent in the end.
func TestSoundIsPaidByItsLength(t *testing.T) {
	for name, ceilings := range map[string]spend.Ceilings{"without a ceiling": {}, "with one": {Day: 100}} {
		t.Run(name, func(t *testing.T) {
			book := spend.New(open(t), spend.Options{Prices: ofSound(), Ceilings: ceilings})
			must(t)(book.BeginHearing(t.Context(), ada, ear, 15*time.Second)).Used(12 * time.Second)
			must(t)(book.BeginHearing(t.Context(), ada, ear, 15*time.Second)).Used(0)
			requireSpent(t, book, "$1.20 (1 call, 12 s heard)")
			must(t)(book.BeginRecording(t.Context(), ada, ear, time.Minute)).Made(0, false)
			must(t)(book.BeginRecording(t.Context(), ada, spend.Service{Model: "whisper"}, 10*time.Second)).Made(0, false)
			must(t)(book.BeginSpeech(t.Context(), ada, mouth, 3)).Made(0, false)
			requireSpent(t, book, "$8.20 (4 calls, 1.4 min heard, 3 characters spoken)")
		})
	}
}

// TestSoundIsUnderTheCeilings, with an estimate as long as it is not over, and after a crash.
func TestSoundIsUnderTheCeilings(t *testing.T) {
	db, options := open(t), spend.Options{Prices: ofSound(), Ceilings: spend.Ceilings{UserDay: 2}}
	book := spend.New(db, options)
	must(t)(book.BeginHearing(t.Context(), ada, ear, 15*time.Second)).Used(5 * time.Second)
	must(t)(book.BeginHearing(t.Context(), ada, ear, 15*time.Second))
	book = spend.New(db, options) // after a crash
	_, err := book.BeginHearing(t.Context(), ada, ear, time.Second)
	if got := overs(err); !strings.HasPrefix(got, "the budget of $2.00 a day for one person is used up; ") || !strings.HasSuffix(got, " / listening to this would cost more than what is left of my budget") {
		t.Errorf("the last second: %s", got)
	}
	must(t)(book.BeginHearing(t.Context(), llm.Payer{User: "2"}, ear, 15*time.Second))
	requireSpent(t, book, "$2.00 (2 calls, 20 s heard)")
	_, err = book.BeginHearing(t.Context(), ada, spend.Service{Model: "mouth"}, time.Second)
	if got := overs(err); got != `the price of "mouth" is not known, so that no budget can be kept; add it to the file of DISCOCLAW_PRICES_FILE, or unset the budgets / I don't know what hearing by mouth costs, so I can't keep to my budget` {
		t.Errorf("a model without a price for sound: %s", got)
	}
}

// TestWhatRunsOnThisMachineIsFree: it is counted, but no ceiling refuses it, whether its price is known or not.
func TestWhatRunsOnThisMachineIsFree(t *testing.T) {
	for name, ceilings := range map[string]spend.Ceilings{"without a ceiling": {}, "with one": {Day: 1}} {
		t.Run(name, func(t *testing.T) {
			book := spend.New(open(t), spend.Options{Prices: ofSound(), Ceilings: ceilings})
			must(t)(book.BeginHearing(t.Context(), llm.Payer{User: "2"}, ear, 10*time.Second)).Used(11 * time.Second) // more than there is
			for _, model := range []string{"ear", "my-ear"} {
				must(t)(book.BeginHearing(t.Context(), ada, spend.Service{Model: model, Local: true}, time.Hour)).Used(30 * time.Minute)
			}
			must(t)(book.BeginSpeech(t.Context(), ada, spend.Service{Model: "mouth", Local: true}, 1_500_000)).Made(0, false)
			requireSpent(t, book, "$0 (3 calls, 60.0 min heard, 1.5 M characters spoken)")
		})
	}
}

func TestWhatHasNoPriceIsCounted(t *testing.T) {
	book := spend.New(open(t), spend.Options{Prices: ofSound()})
	must(t)(book.BeginHearing(t.Context(), ada, spend.Service{Model: "unknown"}, time.Minute)).Used(90 * time.Second)
	requireSpent(t, book, "an unknown amount (1 call, 1.5 min heard)")
}
