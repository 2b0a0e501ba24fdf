// Package redact prints values without the secrets in them.
package redact

import (
	"fmt"
	"net/http"
	"net/url"
)

// Mark stands where a secret was.
const Mark = "xxxxx"

// Print prints a value for a fmt.Formatter. shown is a copy without secrets, of a type
// without methods.
func Print(s fmt.State, verb rune, shown any) {
	_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), shown) // fmt takes no error from a Formatter
}

// Text is Mark for a text, and "" for none.
func Text(secret string) string {
	if secret == "" {
		return ""
	}
	return Mark
}

// URL is an address without user, password and query, each of which may be a secret. A
// text that is no address is hidden as a whole.
func URL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return Text(address)
	}
	return Parsed(u).String()
}

// Parsed is URL for a parsed address; nil stays nil.
func Parsed(u *url.URL) *url.URL {
	if u == nil {
		return nil
	}
	shown := *u
	if u.User != nil {
		shown.User = url.User(Mark)
	}
	if u.Opaque != "" {
		shown.Opaque = Mark
	}
	shown.RawQuery = Text(u.RawQuery)
	return &shown
}

// Header is a header without the values.
func Header(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	shown := http.Header{}
	for name := range h {
		shown[name] = []string{Mark}
	}
	return shown
}
