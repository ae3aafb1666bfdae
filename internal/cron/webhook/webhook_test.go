package webhook_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/cron"
	"discoclaw/internal/cron/webhook"
	"discoclaw/internal/memnet"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

// A bench is a server with jobs that nothing runs.
type bench struct {
	*cron.Engine
	t    *testing.T
	db   *store.DB
	disk *fulldisk.Disk
	log  *bytes.Buffer

	ahead time.Duration // of the engine's clock
}

func newBench(t *testing.T) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, disk: fulldisk.New(t, dir), log: new(bytes.Buffer)}
	db, err := store.Open(t.Context(), filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	ids := 0
	now := func() time.Time { return time.Now().Add(b.ahead) }
	b.db, b.Engine = db, cron.New(db, cron.Options{Now: now, NewID: func() string { ids++; return fmt.Sprint("cron-", ids) }})
	return b
}

// job makes a job and returns its ID and secret, which is empty for a job without a webhook.
func (b *bench) job(by cron.Trigger) (id, secret string) {
	b.t.Helper()
	j, err := b.Create(b.t.Context(), cron.Job{Guild: "1", Author: "2", Definition: cron.Definition{Name: "job", Trigger: by, Zone: "UTC", Channel: "3", Prompt: "look"}})
	if err != nil {
		b.t.Fatal(err)
	}
	secret, _ = b.Secret(b.t.Context(), j.ID)
	return j.ID, secret
}

// serve runs the server until stop is called.
func (b *bench) serve(l net.Listener) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	server := &webhook.Server{Jobs: b.Engine, Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	go func() { ended <- server.Serve(ctx, l) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			b.t.Errorf("the server ended with %v", err)
		}
	}
}

func (b *bench) waiting(job string) int {
	b.t.Helper()
	n, err := b.Waiting(b.t.Context(), job)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// TestCalls goes through every answer, over a real connection.
func TestCalls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	defer b.db.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer b.serve(l)()
	hooked, secret := b.job(cron.ByWebhook)
	other, otherSecret := b.job(cron.ByWebhook)
	byHand, _ := b.job(cron.ByHand)
	paused, pausedSecret := b.job(cron.ByWebhook)
	full, fullSecret := b.job(cron.ByWebhook)
	if _, _, err := b.Update(t.Context(), "1", paused, func(j *cron.Job) error { j.Paused = true; return nil }); err != nil {
		t.Fatal(err)
	}
	often, oftenSecret := b.job(cron.ByWebhook)
	call := func(job string, n int) {
		if err := b.Call(t.Context(), job, fmt.Append(nil, n), ""); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 100 {
		if n%20 == 0 {
			b.ahead += 2 * time.Minute // no more are accepted in that time
		}
		call(full, n)
	}
	b.ahead += 2 * time.Minute
	for n := range 20 {
		call(often, n)
	}
	const most = 256 << 10
	for _, tt := range []struct {
		name, method, path string
		body, signature    string
		disk               func()
		want               int
		text               string
	}{
		{name: "accepted", path: hooked, body: "deployed", signature: sign(secret, "deployed"), want: 202, text: "accepted"},
		{name: "repeated", path: hooked, body: "deployed", signature: sign(secret, "deployed"), want: 409, text: "this call was accepted before"},
		{name: "the same, in capitals", path: hooked, body: "deployed", signature: "sha256=" + strings.ToUpper(sign(secret, "deployed")[7:]), want: 409, text: "this call was accepted before"},
		{name: "another body with the signature", path: hooked, body: "deployed!", signature: sign(secret, "deployed"), want: 401, text: "is missing or wrong"},
		{name: "no signature", path: hooked, body: "a", want: 401, text: "is missing or wrong"},
		{name: "an empty signature", path: hooked, body: "a", signature: "sha256=", want: 401, text: "is missing or wrong"},
		{name: "half a signature", path: hooked, body: "a", signature: sign(secret, "a")[:40], want: 401, text: "is missing or wrong"},
		{name: "a signature without its kind", path: hooked, body: "a", signature: sign(secret, "a")[7:], want: 401, text: "is missing or wrong"},
		{name: "not hex", path: hooked, body: "a", signature: "sha256=" + strings.Repeat("z", 64), want: 401, text: "is missing or wrong"},
		{name: "signed with nothing", path: hooked, body: "a", signature: sign("", "a"), want: 401, text: "is missing or wrong"},
		{name: "signed for another job", path: hooked, body: "a", signature: sign(otherSecret, "a"), want: 401, text: "is missing or wrong"},
		{name: "the other job", path: other, body: "deployed", signature: sign(otherSecret, "deployed"), want: 202, text: "accepted"},
		{name: "an empty body", path: hooked, signature: sign(secret, ""), want: 202, text: "accepted"},
		{name: "as much as may be", path: hooked, body: strings.Repeat("x", most), signature: sign(secret, strings.Repeat("x", most)), want: 202, text: "accepted"},
		{name: "too much", path: hooked, body: strings.Repeat("x", most+1), signature: sign(secret, strings.Repeat("x", most+1)), want: 413, text: "at most 256 KiB"},
		{name: "not text", path: hooked, body: "\xff\x00", signature: sign(secret, "\xff\x00"), want: 400, text: "UTF-8"},
		{name: "an unknown job", path: "cron-99", body: "a", signature: sign(secret, "a"), want: 404, text: "there is no such webhook"},
		{name: "a job without a webhook", path: byHand, body: "a", signature: sign(secret, "a"), want: 404, text: "there is no such webhook"},
		{name: "no job", path: "", body: "a", want: 404, text: "there is no such webhook"},
		{name: "a path below", path: hooked + "/x", body: "a", want: 404, text: "there is no such webhook"},
		{name: "another path", path: "../", body: "a", want: 404, text: "there is no such webhook"},
		{name: "another method", method: "GET", path: hooked, want: 405, text: "use POST"},
		{name: "another method for an unknown job", method: "PUT", path: "cron-99", want: 405, text: "use POST"},
		{name: "a paused job", path: paused, body: "a", signature: sign(pausedSecret, "a"), want: 423, text: "the job is paused"},
		{name: "a paused job, without a signature", path: paused, body: "a", want: 401, text: "is missing or wrong"},
		{name: "too many", path: full, body: "a", signature: sign(fullSecret, "a"), want: 429, text: "too many calls wait"},
		{name: "too often", path: often, body: "a", signature: sign(oftenSecret, "a"), want: 429, text: "at most 20 calls of a job"},
		{name: "a full disk", path: hooked, body: "b", signature: sign(secret, "b"), disk: func() { b.disk.Become(fulldisk.Spent, 0) }, want: 503, text: "cannot be stored"},
		{name: "room again", path: hooked, body: "b", signature: sign(secret, "b"), disk: func() { b.disk.Become(fulldisk.Roomy, 0) }, want: 202, text: "accepted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.disk != nil {
				tt.disk()
			}
			if tt.method == "" {
				tt.method = "POST"
			}
			req, err := http.NewRequestWithContext(t.Context(), tt.method, "http://"+l.Addr().String()+"/webhook/"+tt.path, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.signature != "" {
				req.Header.Set("X-Hub-Signature-256", tt.signature)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tt.want || !strings.Contains(string(text), tt.text) {
				t.Errorf("answered %s %q (%v), want %d %q", resp.Status, text, err, tt.want, tt.text)
			}
			if again := resp.Header.Get("Retry-After"); (again != "") != (tt.want == 429 || tt.want == 503) {
				t.Errorf("try again after %q", again)
			}
			if allow := resp.Header.Get("Allow"); (allow == "POST") != (tt.want == 405) {
				t.Errorf("allows %q", allow)
			}
		})
	}
	if got := [4]int{b.waiting(hooked), b.waiting(other), b.waiting(paused), b.waiting(full)}; got != [4]int{4, 1, 0, 100} {
		t.Errorf("%v calls wait", got)
	}
	for _, hidden := range []string{secret, otherSecret, "deployed", sign(secret, "deployed")[7:]} {
		if strings.Contains(b.log.String(), hidden) {
			t.Errorf("the log has %s", hidden)
		}
	}
}

// onWire runs a test in fake time with a server whose connections are in memory.
func onWire(t *testing.T, test func(b *bench, l *memnet.Listener, stop func())) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, l := newBench(t), memnet.New()
		stop := b.serve(l)
		test(b, l, stop)
		if err := b.db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// send writes the beginning of a call.
func (b *bench) send(l *memnet.Listener, text string) net.Conn {
	b.t.Helper()
	c, err := l.Dial(b.t.Context())
	if err == nil {
		_, err = io.WriteString(c, text)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return c
}

// answered reads the status of an answer, and returns how long it took; 0 for a connection that was closed instead.
func answered(c net.Conn) (status int, took time.Duration) {
	began := time.Now()
	defer c.Close()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		status = resp.StatusCode
		_ = resp.Body.Close()
	}
	return status, time.Since(began)
}

// TestSlowCallers are cut off: those who do not finish the header, and those who do not finish the body. Others are answered meanwhile.
func TestSlowCallers(t *testing.T) {
	onWire(t, func(b *bench, l *memnet.Listener, stop func()) {
		job, secret := b.job(cron.ByWebhook)
		header := "POST /webhook/" + job + " HTTP/1.1\r\nHost: x\r\n"
		idle, silent, slow := b.send(l, ""), b.send(l, header), b.send(l, header+"Content-Length: 10\r\n\r\n12345")
		good := b.send(l, header+"Content-Length: 1\r\nX-Hub-Signature-256: "+sign(secret, "1")+"\r\n\r\n1")
		if status, took := answered(good); status != 202 || took > 0 {
			b.t.Errorf("answered %d after %v", status, took)
		}
		if status, took := answered(idle); status != 0 || took != time.Second {
			b.t.Errorf("an idle connection: %d after %v", status, took)
		}
		if status, took := answered(silent); status != 0 || took != 0 {
			b.t.Errorf("half a header: %d after %v", status, took)
		}
		if status, took := answered(slow); status != 408 || took != 14*time.Second {
			b.t.Errorf("half a body: %d after %v", status, took)
		}
		stop()
		if n := b.waiting(job); n != 1 {
			b.t.Errorf("%d calls wait", n)
		}
	})
}

// TestConnectionsAreBounded: with 32 of them open, the next one waits until one is closed, as those are that send no whole header.
func TestConnectionsAreBounded(t *testing.T) {
	onWire(t, func(b *bench, l *memnet.Listener, stop func()) {
		job, _ := b.job(cron.ByWebhook)
		slow := "POST /webhook/" + job + " HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345"
		open := []net.Conn{b.send(l, slow)}
		for range 31 {
			open = append(open, b.send(l, "POST"))
		}
		synctest.Wait()
		began := time.Now()
		for _, silent := range open[1:] {
			go answered(silent)
		}
		if status, _ := answered(b.send(l, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")); status != 404 || time.Since(began) != time.Second {
			b.t.Errorf("answered %d after %v", status, time.Since(began))
		}
		synctest.Wait()
		for range 31 {
			open = append(open, b.send(l, slow))
		}
		go answered(open[0])
		synctest.Wait()
		began = time.Now()
		if status, _ := answered(b.send(l, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")); status != 404 || time.Since(began) != 14*time.Second {
			b.t.Errorf("answered %d after %v", status, time.Since(began))
		}
		for _, c := range open {
			_ = c.Close()
		}
		stop()
	})
}

// TestTheEnd: a call whose body has not come is not waited for, and gets no answer.
func TestTheEnd(t *testing.T) {
	onWire(t, func(b *bench, l *memnet.Listener, stop func()) {
		job, _ := b.job(cron.ByWebhook)
		c := b.send(l, "POST /webhook/"+job+" HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345")
		synctest.Wait()
		began := time.Now()
		stop()
		if took := time.Since(began); took > 2*time.Second {
			b.t.Errorf("the end took %v", took)
		}
		if status, _ := answered(c); status == 202 {
			b.t.Error("it was accepted")
		}
		if _, err := l.Dial(b.t.Context()); err == nil {
			b.t.Error("a further call is taken")
		}
	})
}
