// Package redact prints values without their secrets.
package redact

import (
	"fmt"
	"net/http"
	"net/url"
)

// Mark replaces a secret.
const Mark = "xxxxx"

// Print prints a value for a fmt.Formatter. shown is a copy without secrets, of a type without
// methods.
func Print(s fmt.State, verb rune, shown any) {
	_, _ = fmt.Fprintf(s, fmt.FormatString(s, verb), shown) // a Formatter cannot return an error
}

// Text returns Mark for a text, and "" for an empty text.
func Text(secret string) string {
	if secret == "" {
		return ""
	}
	return Mark
}

// URL returns an address without user, password and query, because each may be a secret. If the
// text is not a URL, the whole text is hidden.
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

// Header returns a copy of h without its values.
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
