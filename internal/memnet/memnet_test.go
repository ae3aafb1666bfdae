package memnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/memnet"
)

func TestEveryAddressReachesTheListener(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := memnet.New()
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.Host+r.URL.Path)
		})}
		go srv.Serve(l)
		defer srv.Close()

		client := l.HTTPClient()
		for url, want := range map[string]string{
			"http://fake.discord/api":        "fake.discord/api",
			"https://cdn.discordapp.com/a/b": "cdn.discordapp.com/a/b",
		} {
			resp, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(got) != want {
				t.Errorf("GET %s = %q, %v, want %q", url, got, err, want)
			}
		}
	})
}

func TestDialGivesUpWhenNobodyAccepts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := memnet.New().Dial(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Dial without an accepter: %v, want the end of the context", err)
		}
	})
}

func TestCloseRefusesWhoWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := memnet.New()
		dialed := make(chan error, 1)
		go func() {
			_, err := l.Dial(context.Background())
			dialed <- err
		}()
		synctest.Wait()
		l.Close()
		l.Close() // closing again is harmless
		if err := <-dialed; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the waiting Dial: %v, want net.ErrClosed", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Accept after Close: %v, want net.ErrClosed", err)
		}
		if _, err := l.Dial(context.Background()); !errors.Is(err, net.ErrClosed) {
			t.Errorf("Dial after Close: %v, want net.ErrClosed", err)
		}
	})
}
