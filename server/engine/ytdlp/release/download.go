package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/transcriptkit/transcriptkit/server/engine/models"
)

// patience limits a request for a small file, with its repetitions.
const patience = time.Minute

// address returns the address of a file: the published one, or the file's name in a mirror.
func address(published, mirror, file string) (string, error) {
	if mirror == "" {
		return published, nil
	}
	at, err := models.ParseMirror(mirror)
	if err != nil {
		return "", err
	}
	return at.JoinPath(file).String(), nil
}

// askSize asks the server for the size of a file.
func (f *Folder) askSize(ctx context.Context, published, mirror, file string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := f.request(ctx, http.MethodHead, published, mirror, file)
	if err != nil {
		return 0, err
	}
	_ = resp.Body.Close() // an answer to HEAD has no body
	return resp.ContentLength, nil
}

// download returns a small file.
func (f *Folder) download(ctx context.Context, published, mirror, file string, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := f.request(ctx, http.MethodGet, published, mirror, file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read
	return readAll(resp.Body, file, most)
}

// readAll reads a file of bounded size.
func readAll(r io.Reader, file string, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("release: %s: %w: pull again", file, err)
	}
	if int64(len(content)) > most {
		return nil, fmt.Errorf("release: %s is larger than %d bytes", file, most)
	}
	return content, nil
}

// request asks the server, and repeats the request after passing faults.
func (f *Folder) request(ctx context.Context, method, published, mirror, file string) (*http.Response, error) {
	at, err := address(published, mirror, file)
	if err != nil {
		return nil, err
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, method, at, nil)
	if err != nil {
		return nil, fmt.Errorf("release: %w", err)
	}
	req.Header.Set("Accept-Encoding", "identity") // sizes and hashes refer to the uncompressed file
	resp, err := f.repeating().Do(req)
	where := req.URL.Redacted()
	switch {
	case err != nil:
		return nil, fmt.Errorf("release: %s from %s: %w", file, where, network(err))
	case resp.StatusCode == http.StatusOK:
		return resp, nil
	}
	_ = resp.Body.Close() // the status says it all
	cure := "pull again later, or use a mirror"
	if resp.StatusCode == http.StatusNotFound {
		cure = "the file is not there: use a mirror that has it"
	}
	return nil, fmt.Errorf("release: %s from %s: it answers %s: %s", file, where, resp.Status, cure)
}

// repeating returns a client that follows only redirects to https, and within a plain mirror.
func (f *Folder) repeating() *retryablehttp.Client {
	plain := *f.http
	plain.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		at, first := next.URL, via[0].URL
		switch {
		case len(via) > 5:
			return errors.New("it redirects more than 5 times")
		case at.Scheme == "https", first.Scheme == "http" && at.Scheme == "http" && at.Host == first.Host:
			return nil
		}
		return fmt.Errorf("it redirects to %s://%s, which is not https", at.Scheme, at.Host)
	}
	c := retryablehttp.NewClient()
	c.HTTPClient, c.Logger, c.RetryMax, c.RetryWaitMin, c.RetryWaitMax = &plain, nil, 3, f.pause, 10*f.pause
	c.ErrorHandler = retryablehttp.PassthroughErrorHandler
	c.CheckRetry = func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if err != nil && errors.Is(network(err), models.ErrUnreachable) {
			return false, err
		}
		return retryablehttp.DefaultRetryPolicy(ctx, resp, err)
	}
	return c
}

// network returns the reason of a failed request without the address, which may hold a
// password.
func network(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return fmt.Errorf("%w: %w", models.ErrUnreachable, err)
	}
	return err
}
