package server

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxPutSegments is how many segments a text that is put in may have: more than a day
// of the shortest captions.
const maxPutSegments = 100_000

// PutTranscript stores a text that the program has itself, such as one that people have
// corrected, and returns its id. Its source is "manual". With an account it is that
// account's alone, stands in its library, and goes when it is removed there; without,
// every account is answered with it. Putting one in again for the same account, content
// and language replaces the one before, whose id it keeps.
//
// From then on requests for the content are answered with it: where its language is the
// one that a list would take, before all captions, also where the platform has none, and
// instead of recognition where the platform has no captions or the content is an upload.
// It costs no transcript of a plan, and it does not expire. A list that asks for
// recognition ("asr") of a platform with captions passes it over. A job that nobody has
// begun to work on ends with it; one that is at work goes on, and ends with what it finds.
//
// Required are Platform, ExternalID by the grammar of [Config.Sites], Lang, a BCP 47 tag,
// and 1 to 100,000 Segments: with text, sorted by Start, and times of at least 0. Of an
// upload the id is the first 32 hex digits of the SHA-256 of its bytes, and an account
// is required. Control characters in the text become U+FFFD. SourceURL nil becomes the platform's own link, DurationSec nil the end of
// the last segment. ID, Source, Status and the times of the row are not read.
//
// The error is a *transcript.Error for what is not valid: INVALID_REQUEST names the
// members in its details, INVALID_VIDEO and UNSUPPORTED_PLATFORM are about the content;
// SERVICE_UNAVAILABLE while the database is away: then it is not known whether the text
// is stored, and it may be put in again.
func (s *Server) PutTranscript(ctx context.Context, account string, t transcript.Transcript) (id string, err error) {
	if t.Platform == transcript.Upload {
		if account == "" {
			return "", invalid("account", "is required, as uploads are shared with nobody")
		}
		if !uploadID.MatchString(t.ExternalID) {
			return "", invalid("externalId", "is not the first 32 hex digits, in lower case, of the SHA-256 of an upload")
		}
	} else {
		match, err := s.cfg.Sites.Content(t.Platform, t.ExternalID)
		if err != nil {
			return "", err
		}
		t.ExternalID = match.ExternalID
		if t.SourceURL == nil {
			t.SourceURL = &match.URL
		}
	}
	list, err := transcript.ParseLanguageList(t.Lang)
	if err != nil || len(list) != 1 || list[0].ASR {
		return "", invalid("lang", "is not a BCP 47 tag")
	}
	if err := checkPut(&t); err != nil {
		return "", err
	}
	t.ID, t.Lang, t.Source, t.Status = "", list[0].Tag, transcript.OriginManual, transcript.Ready
	t.CreatedAt, t.UpdatedAt = transcript.Time{}, transcript.Time{}
	if id, err = s.pipeline.Put(ctx, account, t); err != nil {
		return "", s.inProcess(ctx, err)
	}
	return id, nil
}

func invalid(path, says string) *transcript.Error {
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: path, Message: says})
}

// checkPut checks what stands around the text, and the text.
func checkPut(t *transcript.Transcript) error {
	for _, link := range []struct {
		path string
		to   *string
	}{{"sourceUrl", t.SourceURL}, {"creatorUrl", t.CreatorURL}, {"thumbnailUrl", t.ThumbnailURL}} {
		if link.to != nil && !isLink(*link.to) {
			return invalid(link.path, "is not a link")
		}
	}
	if t.DurationSec != nil && (*t.DurationSec < 0 || *t.DurationSec >= math.MaxInt32) {
		return invalid("durationSec", "is no length")
	}
	if _, err := json.Marshal(t.Metadata); err != nil {
		return invalid("metadata", "cannot be written as JSON")
	}
	if t.PublishedAt != nil {
		if year := t.PublishedAt.Year(); year < 1 || year > 9999 {
			return invalid("publishedAt", "is not in the years 1 to 9999")
		}
	}
	if n := len(t.Segments); n < 1 || n > maxPutSegments {
		return invalid("segments", fmt.Sprintf("must be 1 to %d, not %d", maxPutSegments, n))
	}
	last := 0.0
	for i, seg := range t.Segments {
		at := fmt.Sprintf("segments[%d]", i)
		switch {
		case strings.TrimSpace(seg.Text) == "":
			return invalid(at+".text", "is empty")
		case !isTime(seg.Start):
			return invalid(at+".start", "is no time in seconds")
		case !isTime(seg.Duration):
			return invalid(at+".duration", "is no time in seconds")
		case seg.Start < last:
			return invalid(at+".start", "is before that of the segment before")
		case seg.Confidence != nil && !(*seg.Confidence >= 0 && *seg.Confidence <= 1):
			return invalid(at+".confidence", "is not 0 to 1")
		}
		for j, w := range seg.Words {
			if !isTime(w.Start) || !isTime(w.End) || w.End < w.Start || !(w.Confidence >= 0 && w.Confidence <= 1) {
				return invalid(fmt.Sprintf("%s.words[%d]", at, j), "is not a word with its times in seconds and a confidence of 0 to 1")
			}
		}
		last = seg.Start
	}
	return nil
}

// isLink tells that a browser may be sent there.
func isLink(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// isTime tells that a number of seconds has a place on the media clock.
func isTime(sec float64) bool { return sec >= 0 && sec < math.MaxInt32 } // NaN is not either
