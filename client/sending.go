package client

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/internal/resumable"
	"github.com/transcriptkit/transcriptkit/internal/silence"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// resumableFrom is how many bytes a file has at least that is sent as a resumable upload.
	resumableFrom = 16 << 20
	// leastProgress is how many more bytes the service must have, so that attempts begin to count
	// again.
	leastProgress = 64 << 10
)

// errFormsOnly reports a service that does not support resumable uploads.
var errFormsOnly = errors.New("client: the service does not support resumable uploads")

// sending is a file on its way in a resumable upload. One request creates the upload without
// bytes, and others append the bytes. After a break, a request asks how many bytes the service
// has. For the caller all of them are one POST /v1/transcript, whose answer is that of the last
// append. An error names the request that failed.
type sending struct {
	*call
	upload *upload
	name   string // of the file
	query  string // the other fields

	from    *url.URL // where the last answer came from
	at      string   // the address of the upload; empty: there is none yet
	known   bool     // offset is what the service has now
	offset  int64    // the bytes that the service has said to have
	mark    int64    // the offset at the last progress
	most    int64    // bytes of an append
	earlier bool     // an earlier call with the same key may have sent a part
	renewed bool     // the service has lost an upload of this call
}

// resume sends r, whose source is a file of a known size, as a resumable upload. The error is
// errFormsOnly if the service takes none.
func (c *Client) resume(ctx context.Context, r transcript.Request, opts []RequestOption) (*answer, error) {
	name, size, open, _ := r.Source.Upload()
	fields := url.Values{}
	for _, field := range requestFields(r) {
		fields.Set(field[0], field[1])
	}
	u := &upload{size: size, open: open}
	s := &sending{
		call:   &call{method: http.MethodPost, payload: payload{upload: u}, attempts: 1},
		upload: u, name: escapeControls(cmp.Or(name, "upload")), query: fields.Encode(),
	}
	if err := s.begin(ctx, c, "/v1/transcript", opts); err != nil {
		return nil, err
	}
	s.earlier = !s.ownKey
	if s.attemptTimeout > 0 {
		s.http.Timeout = 0
	}
	s.running.rt = &silence.Requests{Transport: s.http.Transport, Limit: cmp.Or(s.attemptTimeout, attemptTimeout)}
	s.http.Transport = &s.running
	return s.run(ctx)
}

// run sends request after request, until the answer is there or the upload must not go on.
func (s *sending) run(ctx context.Context) (*answer, error) {
	for {
		answer, err := s.step(ctx)
		switch {
		case err == nil && answer == nil:
			continue
		case err == nil, errors.Is(err, errFormsOnly):
			return answer, err
		}
		s.err = err
		if refused := proxyError(err); s.at != "" && refused != nil {
			s.err = &transportError{refused.Method, refused.Path, errProxy}
		}
		if ctx.Err() == nil && s.again(ctx) {
			s.tryingAgain(err, s.wait)
			s.attempts++
			if sleep(ctx, s.wait) == nil {
				continue
			}
		}
		if ctx.Err() != nil {
			err = s.ended(ctx)
			if late := s.lookUp(ctx, err); late != nil {
				return late, nil
			}
		}
		s.remove(ctx, err)
		return nil, err
	}
}

// step sends one request. Without an answer and without an error, another step follows.
func (s *sending) step(ctx context.Context) (*answer, error) {
	switch {
	case s.at == "":
		return nil, s.create(ctx)
	case !s.known:
		return nil, s.ask(ctx)
	}
	return s.append(ctx)
}

// create makes an upload without bytes. Proxies may drop the interim answers that would tell the
// address of an upload that begins with bytes.
func (s *sending) create(ctx context.Context) error {
	resp, err := s.request(ctx, http.MethodPost, s.client.base+s.path+"?"+s.query, map[string]string{
		"Content-Type":        "application/octet-stream",
		"Content-Disposition": mime.FormatMediaType("inline", map[string]string{"filename": s.name}),
		"Idempotency-Key":     s.idempotencyKey,
		resumable.Complete:    resumable.Bool(false),
		resumable.Interop:     resumable.InteropVersion,
		resumable.Length:      resumable.Integer(s.upload.size),
	}, nil)
	var refused *Error
	switch {
	case errors.As(err, &refused) && slices.Contains([]int{400, 404, 405, 415}, refused.Response.StatusCode):
		return errFormsOnly
	case err != nil:
		return err
	}
	whole, told, bad := resumable.ReadBool(resp.Header, resumable.Complete)
	if resp.StatusCode != http.StatusCreated || resp.Header.Get("Location") == "" || whole || !told || bad != nil {
		return errFormsOnly
	}
	s.known = s.ownKey || resp.Header.Get("Idempotency-Replayed") == ""
	return s.created(resp)
}

// created takes in where the upload is, and how much the service takes at once and in all.
func (s *sending) created(resp *Response) (err error) {
	if s.at, err = s.address(resp); err != nil {
		return s.answer.malformed(err)
	}
	limits, err := resumable.ReadLimits(resp.Header)
	size, most := s.upload.size, cmp.Or(limits.MaxAppendSize, s.upload.size)
	switch {
	case err != nil:
		return s.answer.malformed(err)
	case limits.MaxSize > 0 && size > limits.MaxSize:
		return s.answer.malformed(fmt.Errorf("the service takes uploads of up to %d bytes, and the file has %d: send a smaller file", limits.MaxSize, size))
	case most < leastProgress:
		return s.answer.malformed(fmt.Errorf("the service takes only %d bytes at once", most))
	}
	s.most = most
	return nil
}

// address returns where the upload is. The address must be on the same service, because the key
// goes there. A service behind a proxy may not know the path before its routes.
func (s *sending) address(resp *Response) (string, error) {
	base, err := url.Parse(s.client.base)
	if err != nil {
		return "", err
	}
	at, err := s.from.Parse(resp.Header.Get("Location"))
	if err != nil || at.User != nil || !sameService(base, at) {
		return "", errors.New("the address of the upload is not on the service itself")
	}
	if !strings.HasPrefix(at.Path, base.Path+"/") {
		at.Path, at.RawPath = base.Path+at.Path, ""
	}
	at.Fragment = ""
	return at.String(), nil
}

// ask asks how many bytes the service has.
func (s *sending) ask(ctx context.Context) error {
	resp, err := s.request(ctx, http.MethodHead, s.at, nil, nil)
	if err != nil {
		return s.unlessGone(resp, err)
	}
	size := s.upload.size
	offset, told, err := resumable.ReadInteger(resp.Header, resumable.Offset)
	length, _, lengthErr := resumable.ReadInteger(resp.Header, resumable.Length)
	switch err := cmp.Or(err, lengthErr); {
	case err != nil:
		return s.answer.malformed(err)
	case !told:
		return s.answer.malformed(errors.New("it does not say how many bytes of the upload there are"))
	case length > 0 && length != size && s.earlier:
		return s.otherFile(length)
	case length > 0 && length != size:
		return s.answer.malformed(fmt.Errorf("the upload has %d bytes, and the file %d", length, size))
	case isWhole(resp) && offset != size:
		return s.answer.malformed(fmt.Errorf("the upload is whole with %d of %d bytes", offset, size))
	}
	return s.has(s.answer, offset)
}

// otherFile says that the caller has used the key for a file of another length.
func (s *sending) otherFile(length int64) error {
	return &Error{
		Method: s.method, Path: s.path, Code: transcript.IdempotencyConflict, Response: s.answer.Response,
		Message: fmt.Sprintf("The idempotency key was used for a file of %d bytes, and this file has %d: choose another key.", length, s.upload.size),
	}
}

// append sends the bytes that the service does not have, or as many as it takes at once. After
// the last byte, append sends none and asks for the answer that was lost.
func (s *sending) append(ctx context.Context) (*answer, error) {
	u := s.upload
	u.from, u.until = s.offset, s.offset+min(s.most, u.size-s.offset)
	last := u.until == u.size
	header := map[string]string{
		"Content-Type":     resumable.Partial,
		resumable.Complete: resumable.Bool(last),
		resumable.Offset:   resumable.Integer(u.from),
	}
	var body *uploadBody
	if u.from < u.until {
		body = u.next()
		header["Expect"] = "100-continue" // a refusal comes before the bytes are sent
	}
	s.known = false
	resp, err := s.request(ctx, http.MethodPatch, s.at, header, body)
	switch {
	case err == nil && last:
		return s.answer, nil
	case err == nil:
		return nil, s.appended(resp)
	case resp != nil && isWhole(resp): // the whole file is refused
		return nil, err
	}
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.offsetConflict() {
		offset, _, _ := resumable.ReadInteger(resp.Header, resumable.Offset)
		if lie := s.has(&answer{Response: refused.Response, method: refused.Method, path: refused.Path, body: refused.Body}, offset); lie != nil {
			return nil, lie
		}
		return nil, err
	}
	return nil, s.unlessGone(resp, err)
}

// appended takes in the answer to a part that was not the last.
func (s *sending) appended(resp *Response) error {
	end := s.upload.until
	offset, told, err := resumable.ReadInteger(resp.Header, resumable.Offset)
	if err != nil || told && offset != end || isWhole(resp) {
		return s.answer.malformed(fmt.Errorf("the file was sent up to byte %d of %d, and the answer tells another end", end, s.upload.size))
	}
	return s.has(s.answer, end)
}

// has takes in how many bytes the service says to have.
func (s *sending) has(a *answer, n int64) error {
	most := s.upload.farthest()
	if s.earlier {
		most = s.upload.size
	}
	switch {
	case n > most:
		return a.malformed(fmt.Errorf("the service says that it has %d bytes of the file, and was sent %d", n, most))
	case n < s.offset:
		return a.malformed(fmt.Errorf("the service says that it has %d bytes of the file, and had %d before", n, s.offset))
	}
	s.offset, s.known = n, true
	if n-s.mark >= leastProgress {
		s.mark = n
		s.progressed()
	}
	return nil
}

// unlessGone begins the upload again if the service no longer has it: once.
func (s *sending) unlessGone(resp *Response, err error) error {
	if resp == nil || resp.StatusCode != http.StatusNotFound && resp.StatusCode != http.StatusGone || s.renewed {
		return err
	}
	// The key stands for the upload that is gone. Another call with the key finds the same next one.
	key := sha256.Sum256([]byte("again " + s.idempotencyKey))
	s.idempotencyKey = hex.EncodeToString(key[:])
	s.at, s.known, s.offset, s.mark, s.renewed = "", false, 0, 0, true
	return nil
}
