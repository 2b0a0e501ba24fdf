package service

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// Address is an address to listen on, HOST:PORT. Without a host it means all addresses of the
// machine.
type Address string

// UnmarshalText is called by the parser.
func (a *Address) UnmarshalText(text []byte) error {
	*a = Address(text)
	_, port, err := net.SplitHostPort(string(text))
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return fmt.Errorf("%q is not HOST:PORT", text)
	}
	return nil
}

// network is a range of addresses.
type network struct{ netip.Prefix }

// UnmarshalText is called by the parser. A single address is a range of one address.
func (n *network) UnmarshalText(text []byte) error {
	if a, err := netip.ParseAddr(string(text)); err == nil && a.Zone() == "" {
		n.Prefix = netip.PrefixFrom(a, a.BitLen())
		return nil
	}
	var err error
	if n.Prefix, err = netip.ParsePrefix(string(text)); err != nil {
		return fmt.Errorf("%q is neither a CIDR, such as 10.0.0.0/8, nor an address", text)
	}
	return nil
}

func prefixes(all []network) (plain []netip.Prefix) {
	for _, n := range all {
		plain = append(plain, n.Prefix)
	}
	return plain
}
