package memnet_test

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/memnet"
)

// TestPacketsGoBothWays, whole, each to whom it is for.
func TestPacketsGoBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memnet.NewPackets()
		defer server.Close()
		dial := func() net.Conn {
			c, err := server.Dial(t.Context(), server.LocalAddr().String())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		ada, bob := dial(), dial()
		buffer := make([]byte, 100)
		for _, c := range []net.Conn{bob, ada} {
			if _, err := c.Write([]byte("who am I?")); err != nil {
				t.Error(err)
			}
			n, from, err := server.ReadFrom(buffer)
			if err != nil || string(buffer[:n]) != "who am I?" || from.String() != c.LocalAddr().String() {
				t.Errorf("%s has sent %q, %v", from, buffer[:n], err)
			}
			if _, err := server.WriteTo([]byte(from.String()), from); err != nil {
				t.Error(err)
			}
			if n, err := c.Read(buffer); err != nil || string(buffer[:n]) != c.LocalAddr().String() {
				t.Errorf("%s hears %q, %v", c.LocalAddr(), buffer[:n], err)
			}
		}
		if _, err := server.Dial(t.Context(), "192.0.2.9:1"); err == nil || !strings.Contains(err.Error(), "192.0.2.9:1") {
			t.Errorf("nobody is reached with %v", err)
		}
	})
}

func TestReadsOfPacketsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := memnet.NewPackets()
		c, err := server.Dial(t.Context(), server.LocalAddr().String())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.SetReadDeadline(began.Add(time.Second)); err != nil {
			t.Error(err)
		}
		if _, err := c.Read(nil); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		time.AfterFunc(time.Second, func() { _ = c.Close() })
		_ = c.SetReadDeadline(time.Time{}) // which never fails
		if _, err := c.Read(nil); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		if _, err := c.Write(nil); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
		time.AfterFunc(time.Second, func() { _ = server.Close() })
		if _, _, err := server.ReadFrom(nil); !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}
