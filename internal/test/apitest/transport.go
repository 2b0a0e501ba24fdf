package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// maxKept limits the part of a request's body that is kept for the check. A larger body is not
// checked.
const maxKept = 1 << 20

// Transport reports each request and answer that differs from the document. Event streams are
// checked while they are read. report may be called from any goroutine.
func (d *Document) Transport(next http.RoundTripper, report func(error)) http.RoundTripper {
	return &transport{d, next, report}
}

type transport struct {
	document *Document
	next     http.RoundTripper
	report   func(error)
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := new(keptBody)
	if r.Body != nil && r.Body != http.NoBody {
		sent.ReadCloser = r.Body
		r = r.Clone(r.Context())
		r.Body = sent
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if !t.document.covers(r.URL.Path) {
		return resp, nil
	}
	report := func(err error) { t.report(fmt.Errorf("%s %s: %s: %w", r.Method, r.URL.Path, resp.Status, err)) }
	op, parameters, known := t.document.operation(r.Method, r.URL.Path)
	if known && resp.StatusCode/100 == 2 && sent.whole() {
		if err := t.document.checkRequest(op, parameters, r, sent.bytes()); err != nil {
			report(fmt.Errorf("the request: %w", err))
		}
	}
	if known && resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		if err := t.document.checkHead(op, resp); err != nil {
			report(err)
		}
		resp.Body = &eventReader{ReadCloser: resp.Body, check: eventCheck{document: t.document, op: op, report: report}}
		return resp, nil
	}
	body, cutOff := io.ReadAll(resp.Body)
	if cutOff == nil {
		if err := t.document.checkAnswer(op, known, resp, body); err != nil {
			report(err)
		}
	}
	resp.Body = &readBody{Reader: io.MultiReader(bytes.NewReader(body), failing{cutOff}), Closer: resp.Body}
	return resp, nil
}

// keptBody keeps the bytes that pass through it. The body may still be on its way when the
// answer arrives.
type keptBody struct {
	io.ReadCloser

	mu   sync.Mutex
	kept bytes.Buffer
	more bool
	end  bool
}

func (k *keptBody) Read(b []byte) (int, error) {
	n, err := k.ReadCloser.Read(b)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept.Len()+n > maxKept {
		k.more = true
	} else {
		k.kept.Write(b[:n])
	}
	k.end = k.end || errors.Is(err, io.EOF)
	return n, err
}

// whole reports whether the whole body was kept.
func (k *keptBody) whole() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ReadCloser == nil || k.end && !k.more
}

// bytes returns a whole body.
func (k *keptBody) bytes() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.kept.Bytes()
}

// readBody is a body that has been read, up to its end or to an error.
type readBody struct {
	io.Reader
	io.Closer
}

// failing ends a body with the same error as before.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
