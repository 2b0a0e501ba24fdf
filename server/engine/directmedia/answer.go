package directmedia

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/egress"
	"github.com/transcriptkit/transcriptkit/internal/retryafter"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/internal/unknownhost"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const (
	// maxRedirects is the largest number of redirects on the way to a recording: podcasts
	// use chains of redirects to count listeners.
	maxRedirects = 10
	// documentTime limits the time for a page, a feed or a transcript.
	documentTime = time.Minute
	maxPause     = 10 * time.Minute // the longest pause that a host may ask for
	sniffed      = 4 << 10          // how much of a file is read to detect its kind, in bytes
)

// namer says who provided an address, which decides who is responsible for a bad address.
type namer int

const (
	caller    namer = iota // the link of the request
	publisher              // a page or a feed
)

// answer is an answer with status 200 or 206. The caller closes it.
type answer struct {
	*http.Response
	body *bufio.Reader // the content
	late *time.Timer   // ends the answer of a slow host; nil means that the context of the request does
	end  context.CancelCauseFunc
}

func (a *answer) close() {
	if a.late != nil {
		a.late.Stop()
	}
	a.end(context.Canceled)
	_ = a.Body.Close() // it was only read
}

// at is the address that has answered, after all redirects.
func (a *answer) at() *url.URL { return a.Request.URL }

// head returns the beginning of the content.
func (a *answer) head() ([]byte, error) {
	head, err := a.body.Peek(sniffed)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return head, nil
}

// openDocument requests a page, a feed or a transcript.
func (s *Source) openDocument(ctx context.Context, by namer, link string) (*answer, error) {
	ctx, end := context.WithCancelCause(ctx)
	late := time.AfterFunc(documentTime, func() {
		end(transcript.Errorf(transcript.UpstreamFailed, "The host did not answer in time.").Because(errors.New("directmedia: out of time")))
	})
	a, err := s.open(ctx, by, link, nil)
	if err != nil {
		late.Stop()
		end(err)
		return nil, err
	}
	a.late, a.end = late, end
	return a, nil
}

// open requests an address. ctx limits the whole answer.
func (s *Source) open(ctx context.Context, by namer, link string, header http.Header) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, broken(by, "The address is no link that can be opened.").Because(errors.New("directmedia: a link that cannot be parsed"))
	}
	req.Header.Set("User-Agent", "transcriptkit")
	req.Header.Set("Accept", "*/*")
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := s.http.Do(req) //nolint:bodyclose // answer.close closes it
	if err != nil {
		return nil, unreachable(ctx, by, req.URL, err)
	}
	a := &answer{Response: resp, body: bufio.NewReaderSize(resp.Body, sniffed), end: func(error) {}}
	if resp.StatusCode != http.StatusOK && (resp.StatusCode != http.StatusPartialContent || header.Get("Range") == "") {
		defer a.close()
		return nil, refused(by, resp)
	}
	return a, nil
}

// checkRedirect limits the redirects. The guard judges their addresses.
func checkRedirect(_ *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return transcript.Errorf(transcript.UpstreamFailed, "The link redirects more than %d times.", maxRedirects)
	}
	return nil
}

// unreachable says why there is no answer, or only a part of one. It does not include the
// address in err, because private links contain their password.
func unreachable(ctx context.Context, by namer, asked *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	first := true
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		first, err = failed.URL == asked.String(), failed.Err
	}
	var coded *transcript.Error
	if errors.As(err, &coded) { // by checkRedirect
		return coded
	}
	if errors.Is(err, egress.ErrRefused) {
		return refusedAddress(by == caller && first).Because(err)
	}
	if unknown := unknownhost.Of(err); unknown != nil {
		return unknown
	}
	return transcript.Errorf(transcript.UpstreamFailed, "The host cannot be reached, or breaks off in the middle of its answer.").
		Because(fmt.Errorf("directmedia: %w", err))
}

// refusedAddress is the error of an address that the guard refuses. itself reports whether the
// link has this address, and no redirect, page or feed led to it.
func refusedAddress(itself bool) *transcript.Error {
	const cure = "The service opens public addresses on the ports 80 and 443 only."
	e := transcript.Errorf(transcript.UpstreamFailed, "The link leads on to an address that this service does not visit. %s", cure)
	if itself {
		e = transcript.Errorf(transcript.Unavailable, "The link leads to an address that this service does not visit. %s", cure)
	}
	e.Cure = cure
	return e
}

// refused is the error of an answer without content.
func refused(by namer, resp *http.Response) error {
	why := fmt.Errorf("directmedia: status %d", resp.StatusCode)
	switch code := resp.StatusCode; code {
	case http.StatusNotFound, http.StatusGone:
		return gone(by).Because(fmt.Errorf("%w: status %d", errGone, code))
	case http.StatusUnavailableForLegalReasons:
		return transcript.Errorf(transcript.Unavailable, "The host may not give the file for legal reasons.").Because(why)
	case http.StatusUnauthorized:
		e := transcript.Errorf(transcript.LoginRequired, "The host asks for a login. %s", engine.Cure(transcript.LoginRequired)).Because(why)
		e.Cure = engine.Cure(transcript.LoginRequired)
		return e
	default:
		pause, _ := retryafter.Parse(resp.Header, maxPause) // 0 if the header names no time
		e := transcript.Errorf(transcript.UpstreamFailed, "The host refuses the file, with status %d.", code).Because(why)
		e.RetryAfter = retryafter.Seconds(pause)
		return e
	}
}

// errGone marks content that is proved to be missing.
var errGone = errors.New("directmedia: it is not there")

func gone(by namer) *transcript.Error {
	message := "The link leads to nothing: its host knows no such file."
	if by == publisher {
		message = "The page or the feed names a file that is not there."
	}
	return transcript.Errorf(transcript.Unavailable, "%s", message)
}

// broken is the error for a useless answer.
func broken(by namer, message string) *transcript.Error {
	if by == caller {
		return transcript.Errorf(transcript.Unavailable, "%s", message)
	}
	return transcript.Errorf(transcript.UpstreamFailed, "%s", message)
}

// read returns the content of an answer, after decompression. whole is false if there are more
// than most bytes.
func (a *answer) read(most int64) (data []byte, whole bool, err error) {
	data, err = io.ReadAll(io.LimitReader(a.body, most+1))
	if err != nil {
		return nil, false, unreachable(a.Request.Context(), publisher, a.at(), err)
	}
	if int64(len(data)) > most {
		return data[:most], false, nil
	}
	return data, true, nil
}
