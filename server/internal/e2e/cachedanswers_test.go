package e2e_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	rendering "github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// filled is a service whose caller finds every answer in the cache. The library of the caller
// has rows before that.
type filled struct {
	*servertest.Server
	url string // where the service's own HTTPServer and Listener answer
}

// contents is how many contents have an answer.
const contents = 32

func contentID(n int) string { return fmt.Sprintf("dQw4w9WgX%02d", n) }

// startFilled starts a service on an empty database and fills the database. The plan of the
// caller has a rate limit, as plans have, that the caller does not reach.
func startFilled(b *testing.B, o store.Options, rows int) *filled {
	b.Helper()
	plan := account.WithoutLimits("bench")
	plan.RateLimit = account.RateLimit{Requests: 100_000_000, Window: time.Minute}
	s := &filled{Server: servertest.New(b, servertest.OnPlan(plan),
		servertest.ConfigureStore(func(at *store.Options) { at.Database = o.Database }))}
	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	require.NoError(b, err)
	for i := range contents {
		fillCache(b, s.Server, contentID(i))
		_, err := c.Transcripts.Get(b.Context(), transcript.Request{Source: transcript.ID(transcript.VideoSite, contentID(i))})
		require.NoError(b, err) // the first answer also writes the library
	}
	if rows > 0 {
		fillLibrary(b, o, rows)
	}
	s.url = serve(b, s.Server.Server)
	return s
}

// serve answers for a service as the service's own documentation shows.
func serve(b *testing.B, s *server.Server) (url string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	web := s.HTTPServer("")
	go func() { _ = web.Serve(s.Listener(l)) }() // returns when it is closed
	b.Cleanup(func() { require.NoError(b, web.Close()) })
	return "http://" + l.Addr().String()
}

// listening serves h until the benchmark ends.
func listening(b *testing.B, h http.Handler) (url string) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	web := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = web.Serve(l) }() // returns when it is closed
	b.Cleanup(func() { require.NoError(b, web.Close()) })
	return "http://" + l.Addr().String()
}

// fillCache stores an hour of captions, as a job would leave them.
func fillCache(b *testing.B, s *servertest.Server, videoID string) {
	b.Helper()
	var segments []transcript.Segment
	for i := range 1500 {
		segments = append(segments, spokenSegment(i))
	}
	require.NoError(b, db.Of(s.Store).InTx(b.Context(), func(ctx context.Context, tx *db.Tx) (err error) {
		_, err = tx.Transcripts.Put(ctx, &db.Transcript{
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
}

// fillLibrary puts so many rows into the library of the test's account.
func fillLibrary(b *testing.B, o store.Options, rows int) {
	b.Helper()
	raw := storetest.SQL(b, o)
	series := fmt.Sprintf("(SELECT n, lpad(n::text, 8, '0') AS id FROM generate_series(1, %d) AS n)", rows)
	if strings.HasPrefix(o.Database, "sqlite:") {
		series = fmt.Sprintf("(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < %d) SELECT n, printf('%%08d', n) AS id FROM s)", rows)
	}
	for _, statement := range []string{
		`INSERT INTO transcripts (id, owner, platform, external_id, lang, source, status, title, channel, duration, created_at, updated_at)
		SELECT 't' || id, '', 'video_site', 'vid' || id, 'en', 'downloader', 'ready', 'Talk ' || n, 'Talks', 60, '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00' FROM ` + series + ` AS s`,
		`INSERT INTO library_rows (id, account, kind, platform, external_id, lang, transcript_id, folded_title, folded_channel, starred, created_at, updated_at, creator)
		SELECT 'l' || id, 'acme', 'transcript', 'video_site', 'vid' || id, 'en', 't' || id, 'talk ' || n, 'talks', false, '2026-01-01 00:00:00+00:00', '2026-01-01 00:00:00+00:00', 'Talks' FROM ` + series + ` AS s`,
	} {
		_, err := raw.ExecContext(b.Context(), statement)
		require.NoError(b, err)
	}
	if !strings.HasPrefix(o.Database, "sqlite:") {
		_, err := raw.ExecContext(b.Context(), "VACUUM ANALYZE") // the housekeeping of PostgreSQL does so within a minute or two
		require.NoError(b, err)
	}
}
