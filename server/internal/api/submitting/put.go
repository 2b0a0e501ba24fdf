package submitting

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// maxPutSegments is the largest number of segments in such a text: more than a day of the
// shortest captions.
const maxPutSegments = 100_000

// Put stores a text of the embedding program, and returns its id.
func (t *Intake) Put(ctx context.Context, account string, text transcript.Transcript) (id string, err error) {
	if text.Platform == transcript.Upload {
		if account == "" {
			return "", invalid("account", "is required, because uploads belong to one account")
		}
		if !resource.UploadID.MatchString(text.ExternalID) {
			return "", invalid("externalId", "is not the first 32 hex digits, in lower case, of the SHA-256 of an upload")
		}
	} else {
		match, err := t.Sites.Content(text.Platform, text.ExternalID)
		if err != nil {
			return "", err
		}
		text.ExternalID = match.ExternalID
		if text.SourceURL == nil {
			text.SourceURL = &match.URL
		}
	}
	list, err := transcript.ParseLanguageList(text.Lang)
	if err != nil || len(list) != 1 || list[0].ASR {
		return "", invalid("lang", "is not a BCP 47 tag")
	}
	if err := checkPut(&text); err != nil {
		return "", err
	}
	text.ID, text.Lang, text.Source, text.Status = "", list[0].Tag, transcript.OriginManual, transcript.Ready
	text.CreatedAt, text.UpdatedAt = transcript.Time{}, transcript.Time{}
	if id, err = t.Pipeline.Library.Put(ctx, account, text); err != nil {
		return "", t.inProcess(ctx, err)
	}
	return id, nil
}

func invalid(path, says string) *transcript.Error {
	return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{Path: path, Message: says})
}

// checkPut checks the metadata and the segments.
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

// isLink reports whether a browser can follow text.
func isLink(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// isTime reports whether sec is a time of media, in seconds.
func isTime(sec float64) bool { return sec >= 0 && sec < math.MaxInt32 } // false for NaN too
