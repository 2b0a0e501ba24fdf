// Package underway limits concurrent work: the requests of each holder, and the connections of an
// http.Server.
package underway

import (
	"net/netip"
	"sync"
)

// Counter counts what each key holds. The zero value is ready. It is safe for concurrent
// use.
type Counter[K comparable] struct {
	mu   sync.Mutex
	held map[K]int // a key that holds nothing has no entry
}

// Take counts one more for the key, unless the key holds most already; a negative most is no bound.
// The caller calls Release after a Take that reports true.
func (c *Counter[K]) Take(key K, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if most >= 0 && c.held[key] >= most {
		return false
	}
	if c.held == nil {
		c.held = map[K]int{}
	}
	c.held[key]++
	return true
}

// Release counts one less for the key.
func (c *Counter[K]) Release(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held[key]--; c.held[key] <= 0 {
		delete(c.held, key)
	}
}

// Holder names who holds a connection: an account, or the network of a client without one.
type Holder struct {
	Account string
	Network netip.Prefix
}

// The lengths of the prefixes by which clients are counted.
const (
	addressBits4, addressBits6 = 32, 64
	networkBits4, networkBits6 = 24, 48
)

// Address is the prefix by which a single client is counted: an address of IPv4, a /64 of IPv6. A
// client whose address is not known has the zero value.
func Address(client netip.Addr) netip.Prefix {
	return prefix(client, addressBits4, addressBits6)
}

// Network is the prefix by which the neighbors of a client are counted with it: a /24 of IPv4, a
// /48 of IPv6. A client whose address is not known has the zero value.
func Network(client netip.Addr) netip.Prefix {
	return prefix(client, networkBits4, networkBits6)
}

func prefix(a netip.Addr, bits4, bits6 int) netip.Prefix {
	bits := bits6
	if a.Is4() {
		bits = bits4
	}
	p, _ := a.Prefix(bits) // an invalid address has no prefix
	return p
}
