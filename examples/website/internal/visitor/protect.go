package visitor

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// told are headers of every answer. Pages load and run only the site's own files, have no
// inline code, and cannot make markup from text. Other sites can neither frame nor read the
// pages.
var told = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; manifest-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "same-origin",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}

// protect refuses requests that no visitor sends, and adds the security headers.
func (v *Visitors) protect(next http.Handler) http.Handler {
	next = v.origin.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range told {
			w.Header().Set(name, value)
		}
		if v.o.HTTPS {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		switch {
		case !v.isOurs(r.Host):
			refuse(w, r, &transcript.Error{
				Code: transcript.InvalidRequest, Status: http.StatusMisdirectedRequest,
				Message: fmt.Sprintf("This website does not go by the name %.100q. The operator can allow the name with --host.", hostOf(r.Host)),
			})
		case v.o.Private && passedOn(r):
			refuse(w, r, transcript.Errorf(transcript.Forbidden, "This website is served only to this machine, and a proxy has forwarded this request. "+
				"The operator can permit other machines with --trusted-proxy, --host and --https, or with --anybody for a single user."))
		case partOfElsewhere(r):
			crossOrigin(w, r)
		case presentsKey(r):
			refuse(w, r, transcript.Errorf(transcript.InvalidCredential, "API keys are for programs that call the API itself. They are not accepted here."))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// passedOn reports whether a proxy has forwarded the request for another client.
func passedOn(r *http.Request) bool {
	return slices.ContainsFunc([]string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"},
		func(name string) bool { return len(r.Header.Values(name)) > 0 })
}

// partOfElsewhere reports whether a page of another site loads this one as a part, for example
// as an image or in a frame. That page could read nothing, but it could make this site send
// requests repeatedly. A link that a visitor follows loads a document, and is permitted.
func partOfElsewhere(r *http.Request) bool {
	from, as := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Dest")
	return (from == "cross-site" || from == "same-site") && as != "" && as != "document"
}

// isOurs reports whether the request uses one of the site's own host names. Otherwise a foreign
// page whose name resolves to this machine would count as the same site for a browser (DNS
// rebinding). An IP address cannot be abused like that.
func (v *Visitors) isOurs(host string) bool {
	name := hostOf(host)
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		slices.ContainsFunc(v.o.Hosts, func(own string) bool { return strings.EqualFold(name, own) })
}

// Origin returns the address under which a request has reached the site, as in
// "https://example.com".
func (v *Visitors) Origin(r *http.Request) string {
	if v.o.HTTPS || r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// hostOf returns a host without its port and brackets.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// presentsKey reports whether a request has an API key in any place, or another token for
// programs. Credentials for a proxy in front (Basic) do not count.
func presentsKey(r *http.Request) bool {
	if len(r.Header.Values("X-Api-Key")) > 0 {
		return true
	}
	for _, value := range r.Header.Values("Authorization") {
		scheme, _, _ := strings.Cut(value, " ")
		if _, isKey := account.FindKey(value); isKey || strings.EqualFold(scheme, "Bearer") {
			return true
		}
	}
	if r.URL.RawQuery == "" {
		return false
	}
	values := []string{r.URL.RawQuery}
	for _, more := range r.URL.Query() {
		values = append(values, more...)
	}
	return slices.ContainsFunc(values, func(s string) bool { _, isKey := account.FindKey(s); return isKey })
}

// crossOrigin refuses requests that another site makes a browser send.
func crossOrigin(w http.ResponseWriter, r *http.Request) {
	refuse(w, r, transcript.Errorf(transcript.Forbidden, "This request was sent by another website."))
}

// refuse answers with an error: in the API's form to a module, otherwise as a sentence.
func refuse(w http.ResponseWriter, r *http.Request, e *transcript.Error) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if e.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(e.RetryAfter))
	}
	if !strings.HasPrefix(r.URL.Path, "/web/") {
		http.Error(w, e.Message, e.HTTPStatus())
		return
	}
	h.Set("Content-Type", "application/json")
	w.WriteHeader(e.HTTPStatus())
	_ = json.NewEncoder(w).Encode(map[string]*transcript.Error{"error": e}) // a visitor who has gone needs no answer
}
