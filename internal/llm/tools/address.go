package tools

import (
	"net/netip"
	"slices"
	"sync"
)

// reserved are the addresses that lead to no public server: those of this machine, of private networks and of the services of a
// cloud for its machines. The lists are IANA's special-purpose registries; the single one is Azure's, which has a public address.
var reserved = sync.OnceValue(func() []netip.Prefix {
	var list []netip.Prefix
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
		"192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"168.63.129.16/32",
		"2001::/23", "2001:db8::/32", "3fff::/20",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
})

var (
	global  = netip.MustParsePrefix("2000::/3") // all of IPv6 that is public so far
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixToV4 = netip.MustParsePrefix("2002::/16")
)

// isPublic reports whether an address is one of a public server. Of an IPv6 address that stands for an IPv4 one, that counts.
func isPublic(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	if a.Is6() {
		bytes := a.As16()
		switch {
		case nat64.Contains(a):
			return isPublic(netip.AddrFrom4([4]byte(bytes[12:])))
		case !global.Contains(a):
			return false
		case sixToV4.Contains(a) && !isPublic(netip.AddrFrom4([4]byte(bytes[2:6]))):
			return false
		}
	}
	return a.IsValid() && !slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(a) })
}
