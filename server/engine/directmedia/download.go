package directmedia

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxCuts is how often a download continues after a cut connection.
const maxCuts = 5

// download is one download of a recording into a file.
type download struct {
	source *Source
	by     namer
	link   string
	o      engine.AudioOptions
	file   *os.File
	done   int64  // bytes in the file
	total  int64  // of the whole file; 0 means that the host does not say
	tag    string // the version of the file, for If-Range; empty means that the host names none
}

// download writes the sound of a recording to a new file in dir.
func (s *Source) download(ctx context.Context, rec *recording, dir string, o engine.AudioOptions) (path string, err error) {
	late := transcript.Errorf(transcript.MediaTooLarge,
		"The recording was not whole after %s. A live stream never is: send a link to a finished recording, or upload the file.", s.o.MaxTime).
		With("limitSec", int(s.o.MaxTime.Seconds()))
	ctx, end := context.WithTimeoutCause(ctx, s.o.MaxTime, late)
	defer end()
	file, err := os.OpenFile(filepath.Join(dir, "recording"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("directmedia: %w", err)
	}
	d := &download{source: s, by: rec.by, link: rec.sound, o: o, file: file}
	err = d.run(ctx, rec.takeFirst())
	if err := errors.Join(err, file.Close()); err != nil {
		return "", err
	}
	return file.Name(), nil
}

// run receives the file, in as many answers as cut connections demand. first is the answer that has
// begun with the file, or nil.
func (d *download) run(ctx context.Context, first *answer) error {
	for cuts := 0; ; cuts++ {
		a := first
		if first = nil; a == nil {
			var err error
			if a, err = d.request(ctx); err != nil {
				return err
			}
		}
		cut, err := d.receive(ctx, a)
		a.close()
		switch {
		case err != nil:
			return err
		case cut == nil:
			return d.provenEnd(ctx, a)
		case cuts == maxCuts:
			return unreachable(ctx, d.by, a.at(), cut)
		case !pause(ctx, time.Duration(cuts)*250*time.Millisecond):
			return context.Cause(ctx)
		}
	}
}

// pause waits, and reports false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// request asks for the rest of the file, or for the whole file if its host names no version of it.
func (d *download) request(ctx context.Context) (*answer, error) {
	header := http.Header{"Accept-Encoding": {"identity"}}
	if d.done > 0 && d.tag != "" {
		header.Set("Range", fmt.Sprintf("bytes=%d-", d.done))
		header.Set("If-Range", d.tag)
	}
	return d.source.open(ctx, d.by, d.link, header)
}

// receive writes an answer to the file. cut is the reason why the answer is not whole.
func (d *download) receive(ctx context.Context, a *answer) (cut, err error) {
	if err := d.begin(a); err != nil {
		return nil, err
	}
	if d.o.Progress != nil {
		d.o.Progress(d.done, d.total)
	}
	defer context.AfterFunc(ctx, func() { a.end(context.Cause(ctx)) })() // ends a waiting read
	buffer := make([]byte, 64<<10)
	for {
		n, readErr := a.body.Read(buffer)
		if d.done += int64(n); d.done > d.o.MaxBytes {
			return nil, d.tooLarge()
		}
		if _, err := d.file.Write(buffer[:n]); err != nil {
			return nil, fmt.Errorf("directmedia: %w", err)
		}
		if n > 0 && d.o.Progress != nil {
			d.o.Progress(d.done, d.total)
		}
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case readErr == io.EOF:
			return nil, nil
		case readErr != nil:
			return readErr, nil
		}
	}
}

// begin checks the head of an answer, and sets the position in the file for its content.
func (d *download) begin(a *answer) error {
	if e := a.Header.Get("Content-Encoding"); e != "" && e != "identity" && !a.Uncompressed {
		return transcript.Errorf(transcript.UpstreamFailed, "The host packs the recording, which the service has not asked for.")
	}
	if a.StatusCode == http.StatusPartialContent && d.continues(a) {
		return nil
	}
	if a.StatusCode == http.StatusPartialContent {
		return transcript.Errorf(transcript.UpstreamFailed, "The host answers with another part of the file than the service has asked for.")
	}
	if err := d.restart(); err != nil {
		return err
	}
	if live(a) {
		return transcript.Errorf(transcript.Unavailable, "The link leads to a live stream, which has no end. Send a link to a finished recording.")
	}
	d.total, d.tag = max(a.ContentLength, 0), versionOf(a.Header)
	if d.total > d.o.MaxBytes {
		return d.tooLarge()
	}
	head, err := a.head()
	if err != nil {
		return nil //nolint:nilerr // the error comes again when the content is read
	}
	if why := noMedia(kindOf(head), d.by); why != nil {
		return why
	}
	return nil
}

// continues reports whether a partial answer begins where the file ends, and belongs to the same
// file.
func (d *download) continues(a *answer) bool {
	span, total, ok := strings.Cut(strings.TrimPrefix(a.Header.Get("Content-Range"), "bytes "), "/")
	from, _, _ := strings.Cut(span, "-")
	start, err := strconv.ParseInt(from, 10, 64)
	if !ok || err != nil || start != d.done || d.done == 0 {
		return false
	}
	return d.total == 0 || total == strconv.FormatInt(d.total, 10)
}

// restart empties the file.
func (d *download) restart() error {
	if d.done == 0 {
		return nil
	}
	d.done = 0
	_, err := d.file.Seek(0, io.SeekStart)
	if err := errors.Join(err, d.file.Truncate(0)); err != nil {
		return fmt.Errorf("directmedia: %w", err)
	}
	return nil
}

// versionOf returns a validator that distinguishes versions of a file byte by byte.
func versionOf(h http.Header) string {
	tag := h.Get("ETag")
	if strings.HasPrefix(tag, "W/") {
		tag = ""
	}
	return cmp.Or(tag, h.Get("Last-Modified"))
}

// live reports whether an answer comes from an internet radio server.
func live(a *answer) bool {
	if a.ContentLength >= 0 {
		return false
	}
	for name := range a.Header {
		if strings.HasPrefix(name, "Icy-") || strings.HasPrefix(name, "Ice-") {
			return true
		}
	}
	return false
}

// provenEnd returns nil if the file is complete. HTTP proves that by a length, by chunks or by
// frames. If an answer has none of these, it may have been cut off. The host must then confirm that
// nothing follows.
func (d *download) provenEnd(ctx context.Context, a *answer) error {
	if d.done == 0 {
		return noMedia(empty, d.by)
	}
	if a.ContentLength >= 0 || a.ProtoMajor >= 2 || len(a.TransferEncoding) > 0 || d.total > 0 && d.done == d.total {
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.link, nil)
	if err != nil {
		return fmt.Errorf("directmedia: %w", err)
	}
	req.Header.Set("User-Agent", "transcriptkit")
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-", d.done))
	resp, err := d.source.http.Do(req)
	if err != nil {
		return unreachable(ctx, d.by, req.URL, err)
	}
	_ = resp.Body.Close() // its head says all
	if resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && resp.Header.Get("Content-Range") == fmt.Sprintf("bytes */%d", d.done) {
		return nil
	}
	return transcript.Errorf(transcript.UpstreamFailed,
		"The host does not say how long the recording is, so that a part of it cannot be told from the whole. Download the file and upload it.")
}

// tooLarge is the error of a recording that exceeds the limit.
func (d *download) tooLarge() error {
	message := "The recording is larger than the %s that may be fetched by a link."
	if d.total == 0 {
		message += " Its host does not say how large it is: a live stream never ends."
	}
	return transcript.Errorf(transcript.MediaTooLarge, message, humanize.IBytes(uint64(d.o.MaxBytes))).With("limitBytes", d.o.MaxBytes)
}
