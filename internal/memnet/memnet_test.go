package memnet_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
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

// TestAConnectionEndsInTwoWays, as one of TCP does.
func TestAConnectionEndsInTwoWays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		linger int
		want   error
	}{
		{"ended", -1, io.EOF},
		{"reset", 0, syscall.ECONNRESET},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := memnet.New()
			accepted := make(chan net.Conn, 1)
			go func() {
				c, _ := l.Accept()
				accepted <- c
			}()
			client, err := l.Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			server := (<-accepted).(*memnet.Conn)
			if err := errors.Join(server.SetLinger(tt.linger), server.Close()); err != nil {
				t.Fatal(err)
			}
			if _, err := client.Read(make([]byte, 1)); !errors.Is(err, tt.want) {
				t.Errorf("read: %v, want %v", err, tt.want)
			}
			_, err = client.Write([]byte("x"))
			if errors.Is(err, syscall.ECONNRESET) != (tt.linger == 0) || err == nil {
				t.Errorf("write: %v", err)
			}
		})
	}
}
