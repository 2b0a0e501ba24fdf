package settings

import (
	"cmp"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// ports returns the default ports of the schemes.
func ports() map[string]string { return map[string]string{"http": "80", "https": "443"} }

// ParseService reads the address of another service. The error does not repeat the text, which may
// hold a password.
func ParseService(text string) (*url.URL, error) {
	at, err := url.Parse(text)
	if err == nil && ports()[at.Scheme] != "" && at.Hostname() != "" && !strings.ContainsAny(at.Hostname(), "/@ ") {
		if port, bad := strconv.ParseUint(cmp.Or(at.Port(), ports()[at.Scheme]), 10, 16); bad == nil && port != 0 {
			return at, nil
		}
	}
	return nil, errors.New("want http://HOST… or https://HOST…")
}

// Address returns the host and the port of a service.
func Address(at *url.URL) string {
	return net.JoinHostPort(at.Hostname(), cmp.Or(at.Port(), ports()[at.Scheme]))
}
