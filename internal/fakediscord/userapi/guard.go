package userapi

import (
	"net"
	"net/http"
	"strconv"
	"strings"
)

// The header that our own page sends with every request. It is not CORS-safelisted, so a
// page of another origin could send it only after a preflight, which is always refused.
const (
	ownHeader = "X-Discoclaw"
	ownValue  = "play"
)

var errForeign = refusal{http.StatusForbidden, "this API is for the playground's own page; send the header " + ownHeader + ": " + ownValue}

// Guard lets requests pass that the API would admit, for what a server has next to it.
func Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := loopback(r)
		if err == nil {
			err = ours(r)
		}
		if err != nil {
			(&call{w: w, r: r}).refuse(err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ours refuses requests that another web page may have sent.
func ours(r *http.Request) error {
	if r.Header.Get(ownHeader) != ownValue {
		return errForeign
	}
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, "http://"+r.Host) {
		return errForeign
	}
	return nil
}

// loopback refuses requests to a host that is not this computer's own. Otherwise DNS
// rebinding would let another page in: a name server can resolve any name to 127.0.0.1.
func loopback(r *http.Request) error {
	name, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		name, port = strings.Trim(r.Host, "[]"), "80" // browsers leave out the default port
	}
	served := strings.EqualFold(name, "localhost") || net.ParseIP(name).IsLoopback()
	// In memory there are no ports.
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		served = served && port == strconv.Itoa(local.Port)
	}
	if !served {
		return refusal{http.StatusForbidden, "this API answers to 127.0.0.1, [::1] and localhost only, at the port that it is served on"}
	}
	return nil
}
