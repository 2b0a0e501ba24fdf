package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/transcriptkit/transcriptkit/internal/ratio"
	rendering "github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// BenchmarkCacheHit compares answers of a text of an hour that is there, with all that a
// request asks of the database, with a handler that writes the same bytes, not packed,
// from memory. They take turns over one connection of the loopback each; processor time
// counts, of the client too. (against itself) is that handler twice: what the noise is.
func BenchmarkCacheHit(b *testing.B) {
	if !ratio.Wanted("CPU of a ") {
		return
	}
	s := servertest.New(b)
	const videoID = "dQw4w9WgXcQ"
	fillCache(b, s, videoID)
	post := request{http.MethodPost, "/v1/transcript", `{"platform":"video_site","externalId":"` + videoID + `"}`}
	read := request{http.MethodGet, "/v1/library/transcripts/video_site/" + videoID, ""}
	identity := http.Header{"Authorization": {"Bearer " + s.Key}, "Content-Type": {"application/json"}, "Accept-Encoding": {"identity"}}
	gzip := identity.Clone()
	gzip.Set("Accept-Encoding", "gzip")
	url := listening(b, s.Handler())
	call(b, url, post, identity) // the first also writes the library
	header, whole := call(b, url, read, identity)
	known := identity.Clone()
	known.Set("If-None-Match", header.Get("ETag"))
	alone := listening(b, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { bare(w, whole) }))

	contestants := []struct {
		row    ratio.Row
		url    string
		of     request
		header http.Header
	}{
		{ratio.Row{}, alone, read, identity},
		{ratio.Row{Name: "CPU of a bare answer of 178 KB, against itself"}, alone, read, identity},
		{ratio.Row{Name: "CPU of a read of 178 KB that is a 304", AtMost: 0.75}, url, read, known},
		{ratio.Row{Name: "CPU of a read of 178 KB as gzip", AtMost: 0.9}, url, read, gzip},
		{ratio.Row{Name: "CPU of a read of 178 KB"}, url, read, identity},
		{ratio.Row{Name: "CPU of a cached POST of 178 KB"}, url, post, identity},
		{ratio.Row{Name: "CPU of a cached POST of 178 KB as gzip"}, url, post, gzip},
	}
	for b.Loop() {
		const rounds, requests = 21, 100
		for range rounds {
			var base float64
			for i := range contestants {
				c := &contestants[i]
				began := processorTime(b)
				for range requests {
					call(b, c.url, c.of, c.header)
				}
				took := float64(processorTime(b) - began)
				if i == 0 {
					base = took
				}
				c.row.Ratios = append(c.row.Ratios, took/base)
			}
		}
		for _, c := range contestants[1:] {
			c.row.Report(b)
		}
	}
}

// call sends a request and reads the answer.
func call(b *testing.B, url string, of request, header http.Header) (http.Header, []byte) {
	r, err := http.NewRequestWithContext(b.Context(), of.method, url+of.path, strings.NewReader(of.body))
	require.NoError(b, err)
	r.Header = header
	resp, err := http.DefaultClient.Do(r)
	require.NoError(b, err)
	defer resp.Body.Close()
	body := make([]byte, max(resp.ContentLength, 0))
	_, err = io.ReadFull(resp.Body, body)
	require.NoError(b, err)
	require.Less(b, resp.StatusCode, http.StatusBadRequest)
	return resp.Header, body
}

// fillCache stores an hour of captions, as a job would leave them.
func fillCache(b *testing.B, s *servertest.Server, videoID string) (id string) {
	var segments []transcript.Segment
	for i := range 1500 {
		segments = append(segments, transcript.Segment{
			Text:  fmt.Sprintf("segment number %d says “some” words & no <tags> of the talk about %x", i, i*7919),
			Start: float64(i) * 2.4, Duration: 2.4,
		})
	}
	require.NoError(b, db.Of(s.Store).InTx(b.Context(), func(ctx context.Context, tx *db.Tx) (err error) {
		id, err = tx.Transcripts.Put(ctx, &db.Transcript{
			Transcript: transcript.Transcript{
				Platform: transcript.VideoSite, ExternalID: videoID, Lang: "en",
				Source: transcript.OriginDownloader, Status: transcript.Ready,
			},
			Duration:     3600,
			SegmentsJSON: packed.Pack(rendering.AppendSegments(nil, segments)),
		})
		if err != nil {
			return err
		}
		return tx.Contents.Put(ctx, &db.Content{
			Platform: transcript.VideoSite, ExternalID: videoID,
			Tracks: []transcript.Track{{ID: "en.manual", Lang: "en", Kind: transcript.TrackManual}},
		})
	}))
	return id
}

func bare(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // a discarder takes everything
}

// processorTime is what this process has used, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var used unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &used))
	return used.Utime.Nano() + used.Stime.Nano()
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
