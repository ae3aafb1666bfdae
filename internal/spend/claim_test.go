package spend_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/spend"
)

// TestWaiting: what comes, one after the other, takes ten seconds each, and begins when others leave enough of the
// budget.
func TestWaiting(t *testing.T) {
	day := func(usd float64) spend.Ceilings { return spend.Ceilings{Day: usd} }
	for _, tt := range []struct {
		name     string
		ceilings spend.Ceilings
		come     string // calls by the person who pays, "program", "picture", and "stopped" after five seconds
		want     string // seconds
	}{
		{"in order", day(2500), "ada ada bob bob", "0 10 20 30"},
		{"for enough", day(9000), "ada bob ada", "0 0 10"},
		{"for one's own calls only", spend.Ceilings{UserDay: 2500}, "ada bob ada nobody", "0 0 10 0"},
		{"for a program, which waits for all", day(1e5), "ada bob program ada program ada", "0 0 10 20 30 40"},
		{"to buy a picture", day(2500), "ada picture", "0 10"},
		{"without being overtaken", day(5000), "ada picture bob picture", "0 0 10 10"},
		{"until it is stopped", day(2500), "ada stopped bob", "0 never 10"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				book := spend.New(open(t), spend.Options{Prices: prices, Ceilings: tt.ceilings})
				began := time.Now()
				come := strings.Fields(tt.come)
				got := make([]string, len(come))
				var wg sync.WaitGroup
				for i, who := range come {
					begins := func() {
						got[i] = fmt.Sprint(int(time.Since(began).Seconds()))
						time.Sleep(10 * time.Second)
					}
					wg.Go(func() {
						if err := comes(t, book, who, begins); errors.Is(err, context.DeadlineExceeded) {
							got[i] = "never"
						} else if err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
				}
				wg.Wait()
				if strings.Join(got, " ") != tt.want {
					t.Errorf("they began after %v", got)
				}
			})
		})
	}
}

func comes(t *testing.T, book *spend.Meter, who string, begins func()) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	model := script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
		begins()
		return script.Answer{script.Usage(0, 1)}.Stream(ctx)
	})
	priced, payer := book.Priced, llm.Payer{User: who}
	switch who {
	case "nobody":
		payer.User = ""
	case "program":
		priced = book.PricedAlone
	case "stopped":
		ctx, cancel = context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
	case "picture":
		p, err := book.BeginImage(ctx, payer, "paint", 300, true)
		if err != nil {
			return err
		}
		begins()
		p.Made(300, true)
		return nil
	}
	for _, err := range priced(model, "a", "dear").Invoke(ctx, llm.Request{Payer: payer}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestACutAnswerNamesTheBudget, which may leave less than the longest answer.
func TestACutAnswerNamesTheBudget(t *testing.T) {
	book := spend.New(open(t), spend.Options{Prices: prices, Ceilings: spend.Ceilings{Day: 1200}})
	err := call(t, book.Priced(answering(script.Fail(&llm.Error{Kind: llm.Cut})), "a", "dear"), llm.Request{})
	const want = "the answer reached the length limit of the model and was cut off; ask for less at a time: with a budget, this answer could have 1200 tokens"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
}
