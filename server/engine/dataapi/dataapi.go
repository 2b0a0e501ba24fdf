// Package dataapi finds videos, channels and playlists with the official data API of the video
// site. The operator provides the API key.
//
//	found, err := dataapi.New(dataapi.Options{Key: key})
//	page, err := found.Search(ctx, video.Search{Q: "go", Type: video.TypeVideo, Order: video.ByDate}, engine.Window{Max: 20})
//
// Each call of a method uses quota of the key's project: one API call, and for a list
// one more API call for the details of all its videos. The package sends requests only
// to the API's host, follows no redirect, repeats no request, and reads no environment
// variable.
//
// The API does not say which videos are shorts. It does not list caption tracks, and it
// reports only captions that people made, so this package never proves that a video has
// no captions. Unknown fields are nil.
package dataapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/redact"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// DefaultBaseURL is the address of the data API.
	DefaultBaseURL = "https://youtube.googleapis.com"
	// DefaultSite is the address of the video site.
	DefaultSite = "https://www.youtube.com"

	patience = 20 * time.Second // for the answer to one call
	dialTime = 10 * time.Second
)

// Options configure a [Discovery]. Key is required.
type Options struct {
	// Key is an API key of a project for which the data API is enabled. It goes to the
	// API in a header, and is not shown when options are printed or marshaled.
	Key string `json:"-"`
	// BaseURL is the address above "youtube/v3", http or https, without query, user or
	// password; empty means [DefaultBaseURL].
	BaseURL string
	// Site is the address of the site, for links to channels; empty means [DefaultSite].
	Site string
	// HTTP sends the requests; nil means a client that uses no proxy. Its policy for
	// redirects is not used.
	HTTP *http.Client `json:"-"`
}

// Format prints the options without the key.
func (o Options) Format(s fmt.State, verb rune) {
	type shown Options // has no methods
	o.Key = redact.Text(o.Key)
	redact.Print(s, verb, shown(o))
}

// Discovery implements [engine.Discovery] and [engine.Checker]. It is safe for concurrent use
// and needs no closing.
//
// The error has the code CONFIG_ERROR if the API rejects the key or is not enabled for
// its project, SERVICE_UNAVAILABLE with RetryAfter if the quota is used up or there are
// too many requests at once, and UPSTREAM_FAILED if the API cannot be reached, fails,
// sends an unexpected answer or takes longer than 20 seconds for a call. When ctx ends,
// the error is context.Cause(ctx).
type Discovery struct {
	base    string // without a trailing slash
	http    *http.Client
	site    string
	scrub   func(string) string // removes the key from a text; a func, because printing it shows no key
	refused atomic.Pointer[transcript.Error]
	titles  memory[string]  // of playlists, by their ids
	uploads memory[channel] // by the ids and names of channels
}

var (
	_ engine.Discovery = (*Discovery)(nil)
	_ engine.Checker   = (*Discovery)(nil)
)

// New returns a Discovery. It sends no request. The error names the invalid option and never
// holds the key.
func New(o Options) (*Discovery, error) {
	if o.Key == "" {
		return nil, errors.New("dataapi: Key is empty")
	}
	if strings.ContainsFunc(o.Key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, errors.New("dataapi: the key holds invalid characters, perhaps a line break")
	}
	base, err := address("base URL", o.BaseURL, DefaultBaseURL)
	if err != nil {
		return nil, err
	}
	site, err := address("address of the site", o.Site, DefaultSite)
	if err != nil {
		return nil, err
	}
	return &Discovery{
		base: base, http: client(o.HTTP, o.Key), site: site,
		scrub: func(s string) string { return strings.ReplaceAll(s, o.Key, "[key]") },
	}, nil
}

// address checks one of the addresses in the options, and returns it without a trailing slash.
func address(what, text, otherwise string) (string, error) {
	if text == "" {
		return otherwise, nil
	}
	at, err := url.Parse(text)
	if err != nil { // the error repeats the address, and a password with it
		return "", fmt.Errorf("dataapi: the %s is no address", what)
	}
	if at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || at.RawQuery != "" || at.Fragment != "" {
		return "", fmt.Errorf("dataapi: the %s %q is not of the form http://host/path, with nothing else in it", what, at.Redacted())
	}
	return strings.TrimRight(at.String(), "/"), nil
}

// client returns an HTTP client that sends requests with the key, to the host that they name
// only.
func client(given *http.Client, key string) *http.Client {
	own := http.Client{Transport: &http.Transport{ // no Proxy, so that the environment is ignored
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSHandshakeTimeout:    dialTime,
		IdleConnTimeout:        time.Minute,
		MaxIdleConnsPerHost:    16,
		MaxResponseHeaderBytes: maxRefusal,
		ForceAttemptHTTP2:      true,
	}}
	if given != nil {
		own = *given
	}
	if own.Transport == nil {
		own.Transport = http.DefaultTransport
	}
	own.Transport = &wire{own.Transport, key}
	own.Timeout = cmp.Or(own.Timeout, patience)
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// ByAPI marks a discovery that visits no page of the site: see [engine.ByAPI].
func (d *Discovery) ByAPI() {}

// Check returns the error of the latest API call if the API rejected the key, otherwise
// nil. It sends no request, because each API call uses quota.
func (d *Discovery) Check(context.Context) error {
	if e := d.refused.Load(); e != nil {
		return e
	}
	return nil
}
