package play

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"syscall"

	"discoclaw/internal/config"
)

// usual is the default address of the page.
const usual = "127.0.0.1:8484"

// listen opens the given address; without one the usual, or any free port.
func listen(address string) (net.Listener, error) {
	if address == "" {
		if l, err := net.Listen("tcp", usual); err == nil {
			return l, nil
		}
		address = "127.0.0.1:0"
	}
	if port := strings.TrimPrefix(address, ":"); isPort(port) {
		return nil, config.Mistakef("--listen: %q is only a port; did you mean 127.0.0.1:%s?", address, port)
	}
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && !ip.IsLoopback() {
		return nil, config.Mistakef("--listen: %q is not an address of this machine alone, such as %s", address, usual)
	}
	if !isPort(port) {
		return nil, config.Mistakef("--listen: %q is not a port; use a number from 1024 to 65535, as in %s", port, usual)
	}
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, config.Mistakef("--listen: another program uses %s; stop it, name another port, or leave --listen out to get a free one", address)
	case errors.Is(err, syscall.EACCES):
		return nil, config.Mistakef("--listen: the system does not let you use %s; name a port from 1024 on, as in %s", address, usual)
	case err != nil:
		return nil, config.Mistakef("--listen: %s cannot be used (%v); leave --listen out to use %s", address, err, usual)
	}
	return l, nil
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}
