package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
)

// Client calls one service. Create a Client with [New]. It is safe for concurrent use
// and need not be closed.
type Client struct {
	// Transcripts extracts transcripts from files, links and content ids.
	Transcripts *TranscriptService
	// Jobs follows and cancels the jobs that make transcripts.
	Jobs *JobService
	// Library reads and changes the account's saved transcripts.
	Library *LibraryService
	// Batches makes the transcripts of a list of links, a playlist or a channel.
	Batches *BatchService
	// Follows makes a transcript of each new item of a channel, a playlist or a feed.
	Follows *FollowService
	// Webhooks manages the addresses that the service notifies when jobs and batches
	// end.
	Webhooks *WebhookService
	// Videos finds videos, channels and playlists on the video site.
	Videos *VideoService
	// Usage returns the account's limits and how much of them is used.
	Usage *UsageService

	base      string // without a trailing slash
	http      *http.Client
	logger    *slog.Logger
	userAgent string
	defaults  func() settings // the settings hold secrets; printing a func shows no secret
	answered  *atomic.Bool    // a connection was made once
	formsOnly *atomic.Bool    // the service has refused a resumable upload and has taken the form
}

// String returns the address of the service, without any secret.
func (c *Client) String() string { return "client of " + c.base }

// New returns a client for the service at baseURL, an http or https URL. If baseURL has
// a path, the path is the prefix of every route. New checks baseURL and the options,
// and sends no request. Without [WithAPIKey], requests carry no credential: use that
// only if the transport adds one.
func New(baseURL string, opts ...Option) (*Client, error) {
	base, err := parseBase(baseURL)
	if err != nil {
		return nil, err
	}
	cfg := config{
		http:      &http.Client{},
		logger:    slog.New(slog.DiscardHandler),
		userAgent: "transcriptkit-go",
		defaults:  settings{retry: RetryPolicy{}.withDefaults()},
	}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("client: nil option")
		}
		if err := opt.applyClient(&cfg); err != nil {
			return nil, err
		}
	}
	httpClient, err := cfg.httpClient()
	if err != nil {
		return nil, err
	}
	c := &Client{
		base:      base,
		http:      httpClient,
		logger:    cfg.logger,
		userAgent: cfg.userAgent,
		defaults:  func() settings { return cfg.defaults },
		answered:  new(atomic.Bool),
		formsOnly: new(atomic.Bool),
	}
	c.Transcripts = &TranscriptService{c}
	c.Jobs = &JobService{c}
	c.Library = &LibraryService{c}
	c.Batches = &BatchService{c}
	c.Follows = &FollowService{c}
	c.Webhooks = &WebhookService{c}
	c.Videos = &VideoService{c}
	c.Usage = &UsageService{c}
	return c, nil
}

// Do calls a route for which this package has no method. It sends in as JSON to path,
// and decodes the JSON answer into out. If in is nil, the request has no body. If out
// is nil, Do ignores the body of the answer. path begins with a slash and may have a
// query. Credentials, retries, errors and options work as in every other method.
func (c *Client) Do(ctx context.Context, method, path string, in, out any, opts ...RequestOption) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf("client: path %q does not begin with a slash", path)
	}
	var content payload
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("client: request body: %w", err)
		}
		content = jsonPayload(data)
	}
	answer, err := c.send(ctx, method, path, content, opts)
	if err != nil || out == nil {
		return err
	}
	return answer.decode(out)
}

func parseBase(baseURL string) (string, error) {
	u, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return "", errors.New("client: base URL: want http://HOST or https://HOST, a port and a path if need be") // err may hold a password
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("client: base URL %q: the scheme must be http or https", u.Redacted())
	case u.Hostname() == "":
		return "", fmt.Errorf("client: base URL %q has no host", u.Redacted())
	case !validPort(u.Port()):
		return "", fmt.Errorf("client: base URL %q: the port must be from 1 to 65535", u.Redacted())
	case u.User != nil:
		return "", fmt.Errorf("client: base URL %q: credentials belong in WithAPIKey", u.Redacted())
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("client: base URL %q: no query, no fragment", u.Redacted())
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// validPort takes an empty port for that of the scheme.
func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// segment escapes one element of a path. It refuses a value that would name another
// route.
func segment(name, value string) (string, error) {
	switch value {
	case "":
		return "", fmt.Errorf("client: empty %s", name)
	case ".", "..":
		return "", fmt.Errorf("client: %s %q is not an id", name, value)
	}
	return url.PathEscape(value), nil
}
