package corrections_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/wire"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/internal/corrections"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/db/dbtest"
	"github.com/transcriptkit/transcriptkit/server/internal/packed"
	"github.com/transcriptkit/transcriptkit/server/internal/search"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

var soakFlag = flag.Bool("soak", false, "also run the tests that take minutes (make soak)")

// TestRandomCorrections changes texts at random from several processes at once, with readers,
// searches and exports beside: see world.
func TestRandomCorrections(t *testing.T) {
	t.Parallel()
	randomCorrections(t, 300)
}

func TestSoakRandomCorrections(t *testing.T) {
	if !*soakFlag {
		t.Skip("minutes: run make soak")
	}
	t.Parallel()
	randomCorrections(t, 10_000)
}

func randomCorrections(t *testing.T, steps int64) {
	dbtest.EachDatabase(t, func(t *testing.T, o db.Options) {
		w := &world{t: t, stores: []*db.Store{dbtest.Open(t, o)}, texts: map[at]string{}, made: map[at]bool{}, last: map[string]int{}}
		if strings.HasPrefix(o.Database, "postgres") {
			w.stores = append(w.stores, dbtest.Open(t, o)) // a second process
		}
		w.run(steps)
	})
}

const (
	accounts = 2
	contents = 3
)

// world is a database whose texts change at random, and the model of what readers may see:
//
//   - A change of revision n makes revision n+1, and only one change does. Its text is the text of
//     n with the change: no edit is lost.
//   - Whoever reads a revision of a copy reads one text. After a change has returned, nobody reads
//     an older revision.
//   - A search finds a word exactly in the texts that have the word at that moment.
//   - What is exported reads back as the same words.
//   - In the end, the counted bytes of each library are those of its texts.
type world struct {
	t      *testing.T
	stores []*db.Store

	changed, refused, read, searched atomic.Int64
	words                            atomic.Int64 // words that were made so far

	mu    sync.Mutex
	texts map[at]string  // the lines of each revision of each copy, as JSON
	made  map[at]bool    // the revisions of rows that an edit has made
	last  map[string]int // the last revision of each copy whose change has returned
}

// at is a revision of a copy or of a row.
type at struct {
	id       string
	revision int
}

func (w *world) run(steps int64) {
	for content := range contents {
		w.publish(w.t.Context(), w.stores[0], content)
		for account := range accounts {
			w.save(w.t.Context(), w.stores[0], account, content)
		}
	}
	var step atomic.Int64
	done, stop := context.WithCancel(w.t.Context())
	beside, _ := errgroup.WithContext(w.t.Context())
	changes, _ := errgroup.WithContext(w.t.Context())
	for i := range 6 {
		changes.Go(func() error {
			r, s := rand.New(rand.NewPCG(uint64(i), uint64(steps))), w.stores[i%len(w.stores)] //nolint:gosec // a walk that can be repeated
			for step.Add(1) <= steps {
				w.change(r, s)
			}
			return nil
		})
	}
	for i, look := range []func(*rand.Rand, *db.Store){w.reads, w.reads, w.searches, w.searches, w.binds, w.history} {
		beside.Go(func() error {
			r, s := rand.New(rand.NewPCG(uint64(100+i), uint64(steps))), w.stores[i%len(w.stores)] //nolint:gosec // as above
			for done.Err() == nil {
				look(r, s)
			}
			return nil
		})
	}
	require.NoError(w.t, changes.Wait())
	stop()
	require.NoError(w.t, beside.Wait())
	for account := range accounts {
		for content := range contents {
			w.look(w.stores[0], account, content)
			w.histories(w.stores[0], account, content)
		}
	}
	assert.Positive(w.t, differences(w.t, w.stores[0]))
	for word := range w.words.Load() {
		if word%7 == 0 {
			w.search(w.stores[0], int(word%accounts), fmt.Sprint("word", word))
		}
	}
	assert.Positive(w.t, w.changed.Load())
	assert.Positive(w.t, w.refused.Load())
	requireCounted(w.t, w.stores[0])
	w.t.Logf("%d changes, %d refused, %d reads, %d searches", w.changed.Load(), w.refused.Load(), w.read.Load(), w.searched.Load())
}

func accountOf(n int) string { return fmt.Sprint("account", n) }

func key(content int) library.Key {
	return library.Key{Platform: transcript.VideoSite, ExternalID: fmt.Sprint("content", content), Language: "en"}
}

// filler makes each line of the last content so long that the history has the text as differences.
func filler(content int) string {
	if content < contents-1 {
		return ""
	}
	return strings.Repeat(" filler", 600)
}

// word is a new word, in a text that is hard to export.
func (w *world) word(r *rand.Rand) string {
	odd := []string{"", "", "", " --> ", " <b>", "\n\n1\n", " {\\an8} ", " \u202e", " &lt;i&gt; ", " WEBVTT\n"}
	return fmt.Sprint("word", w.words.Add(1)) + odd[r.IntN(len(odd))]
}

// publish makes the text that accounts share again.
func (w *world) publish(ctx context.Context, s *db.Store, content int) {
	lines := make([]transcript.Segment, 8+content*6)
	for i := range lines {
		lines[i] = transcript.Segment{Text: fmt.Sprint("shared word", w.words.Add(1), filler(content)), Start: float64(i) * 4, Duration: 4, Speaker: "A"}
	}
	text := &db.Transcript{Transcript: transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: key(content).ExternalID, Lang: "en", Source: transcript.OriginASR, Status: transcript.Ready,
	}, SegmentsJSON: packed.Pack(wire.AppendSegments(nil, lines))}
	require.NoError(w.t, s.InTx(db.Unhurried(ctx), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Transcripts.Put(ctx, text)
		return err
	}))
}

// save has an account ask for a content.
func (w *world) save(ctx context.Context, s *db.Store, n, content int) {
	shelf, err := s.Contents.Shelf(ctx, "", "", transcript.VideoSite, key(content).ExternalID)
	require.NoError(w.t, err)
	require.Len(w.t, shelf.Texts, 1, "no copy is on the shelf")
	require.NoError(w.t, s.InTx(db.Unhurried(ctx), func(ctx context.Context, tx *db.Tx) error {
		return tx.Library.Save(ctx, shelf.Texts[0].ID, accountOf(n), "")
	}))
}

// change changes a text that it has read, or what stands around the text.
func (w *world) change(r *rand.Rand, s *db.Store) {
	ctx, n, content := db.Unhurried(w.t.Context()), r.IntN(accounts), r.IntN(contents)
	switch r.IntN(20) {
	case 0:
		w.publish(ctx, s, content)
		return
	case 1:
		w.save(ctx, s, n, content)
		return
	case 2:
		if r.IntN(4) == 0 {
			err := s.InTx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.Library.Remove(ctx, accountOf(n), key(content)) })
			if !errors.Is(err, db.ErrNotFound) {
				assert.NoError(w.t, err)
			}
			w.save(ctx, s, n, content)
		}
		return
	}
	row, base := w.present(s, n, content)
	if base == nil {
		return
	}
	expected := corrections.Expected{Is: func(now *corrections.Text) bool {
		return now.Revision == row.Revision && now.ID == base.ID && now.ChangedAt.Equal(base.ChangedAt)
	}, Revision: row.Revision}
	texts := corrections.New(s)
	var text *corrections.Text
	var err error
	var want []transcript.Segment // nil: any
	switch r.IntN(10) {
	case 0:
		number := row.Revision - r.IntN(3)
		text, err = texts.Restore(ctx, owner(accountOf(n)), key(content), expected, number)
	case 1:
		more := strings.Repeat("\nmore"+filler(content), 17)
		file := fmt.Sprintf("one %s\ntwo\nthree word%d%s", strings.Fields(w.word(r))[0], w.words.Add(1), more)
		text, _, err = texts.Import(ctx, owner(accountOf(n)), key(content), &expected, corrections.File{MediaType: "text/plain", Content: []byte(file)}, nil)
	default:
		want = w.lines(base)
		i, said, by := r.IntN(len(want)), strings.TrimSpace(w.word(r)+filler(content)), []string{"Ada", "", "<i>B"}[r.IntN(3)]
		want[i].Text, want[i].Speaker = said, by
		text, err = texts.Edit(ctx, owner(accountOf(n)), key(content), expected, library.Edit{Segments: []library.SegmentEdit{{Index: i, Text: &said, Speaker: &by}}})
	}
	if coded := new(transcript.Error); errors.As(err, &coded) && slices.Contains([]transcript.Code{transcript.StateConflict, transcript.NoTranscript, transcript.NotFound}, coded.Code) {
		w.refused.Add(1)
		return
	}
	if !assert.NoError(w.t, err) || text.Revision == row.Revision { // nothing was to change
		return
	}
	w.changed.Add(1)
	assert.Equal(w.t, row.Revision+1, text.Revision)
	if want != nil {
		assert.Equal(w.t, want, w.lines(text.Transcript), "the text is not that of the revision before with the edit")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if want != nil { // two equal restores may make one revision
		assert.False(w.t, w.made[at{text.Row(), text.Revision}], "an edit is lost: two have made revision %d", text.Revision)
		w.made[at{text.Row(), text.Revision}] = true
	}
	w.last[text.ID] = max(w.last[text.ID], text.Revision)
	w.see(text.Transcript, text.Revision)
}

// present reads a text with its row at one moment. Both are nil if there is none.
func (w *world) present(s *db.Store, n, content int) (row *db.LibraryRow, text *db.Transcript) {
	err := s.Snapshot(db.Unhurried(w.t.Context()), func(ctx context.Context, r db.Reader) (err error) {
		if row, err = r.Library.Row(ctx, accountOf(n), key(content)); err == nil {
			text, err = r.Transcripts.Timed(ctx, row.TranscriptID)
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	require.NoError(w.t, err)
	return row, text
}

func (w *world) lines(t *db.Transcript) []transcript.Segment {
	whole, err := t.Whole()
	require.NoError(w.t, err)
	return whole.Segments
}

// see notes the text of a revision of a copy, which is always the same. The caller holds w.mu.
func (w *world) see(t *db.Transcript, revision int) {
	if !t.Edited {
		return
	}
	plain, err := t.SegmentsJSON.Plain()
	require.NoError(w.t, err)
	seen, known := w.texts[at{t.ID, revision}]
	if known {
		assert.Equal(w.t, seen, string(plain), "revision %d has two texts", revision)
	}
	w.texts[at{t.ID, revision}] = string(plain)
}

// reads reads a text by the caches, as the API does, and exports it.
func (w *world) reads(r *rand.Rand, s *db.Store) { w.look(s, r.IntN(accounts), r.IntN(contents)) }

func (w *world) look(s *db.Store, n, content int) {
	ctx := db.Unhurried(w.t.Context())
	w.mu.Lock()
	last := make(map[string]int, len(w.last))
	for id, revision := range w.last {
		last[id] = revision
	}
	w.mu.Unlock()
	saved, err := s.Library.Saved(ctx, accountOf(n), key(content))
	if errors.Is(err, db.ErrNotFound) {
		return
	}
	require.NoError(w.t, err)
	assert.GreaterOrEqual(w.t, saved.Revision, last[saved.TranscriptID], "a change had returned, and a reader gets the text before")
	text, err := s.Transcripts.ChangedAt(ctx, saved.TranscriptID, saved.ChangedAt)
	if errors.Is(err, db.ErrNotFound) {
		return // removed meanwhile
	}
	require.NoError(w.t, err)
	w.read.Add(1)
	if text.ChangedAt.Equal(saved.ChangedAt) {
		w.mu.Lock()
		w.see(text, saved.Revision)
		w.mu.Unlock()
	}
	lines := w.lines(text)
	file, err := caption.ReadWebVTT(bytes.NewReader(format.AppendVTT(nil, lines)))
	require.NoError(w.t, err)
	assert.Nil(w.t, file.Lost)
	assert.Equal(w.t, said(lines), said(file.Segments))
	srt, err := caption.ReadSRT(bytes.NewReader(format.AppendSRT(nil, lines)))
	require.NoError(w.t, err)
	assert.Equal(w.t, said(lines), said(srt.Segments))
}

// said is the words of lines that this test has made.
func said(lines []transcript.Segment) (words []string) {
	for _, line := range lines {
		for _, word := range strings.Fields(line.Text) {
			if strings.HasPrefix(word, "word") {
				words = append(words, word)
			}
		}
	}
	return words
}

// searches looks for a word that was made a short time ago, or long ago.
func (w *world) searches(r *rand.Rand, s *db.Store) {
	newest := int(w.words.Load())
	n := max(newest-r.IntN(30), 1)
	if r.IntN(3) == 0 {
		n = 1 + r.IntN(newest)
	}
	w.search(s, r.IntN(accounts), fmt.Sprint("word", n))
}

func (w *world) search(s *db.Store, n int, word string) {
	var found, want []string
	err := s.Snapshot(db.Unhurried(w.t.Context()), func(ctx context.Context, r db.Reader) error {
		all, err := r.Library.Search(ctx, db.Search{Account: accountOf(n), Query: search.Parse(word), N: 2 * contents})
		if err != nil {
			return err
		}
		for _, one := range all {
			found = append(found, one.ID)
		}
		rows, err := r.Library.All(ctx, accountOf(n))
		if err != nil {
			return err
		}
		for _, row := range rows {
			text, err := r.Transcripts.ByID(ctx, row.TranscriptID)
			if err != nil {
				return err
			}
			if slices.Contains(said(w.lines(text)), word) {
				want = append(want, row.ID)
			}
		}
		return nil
	})
	require.NoError(w.t, err)
	w.searched.Add(1)
	assert.ElementsMatch(w.t, want, found, "a search for %s", word)
}

// binds moves the words of texts into volumes, and out of them.
func (w *world) binds(r *rand.Rand, s *db.Store) {
	n := accountOf(r.IntN(accounts))
	require.NoError(w.t, s.BindTexts(w.t.Context(), n, 1+r.IntN(contents)))
	require.NoError(w.t, s.PurgeTexts(w.t.Context(), n))
}

// history reads a revision of a text.
func (w *world) history(r *rand.Rand, s *db.Store) {
	n, content := r.IntN(accounts), r.IntN(contents)
	if all := w.revisions(s, n, content); len(all) > 0 {
		w.remember(s, n, content, all[r.IntN(len(all))])
	}
}

// histories reads all revisions of a text.
func (w *world) histories(s *db.Store, n, content int) {
	for _, one := range w.revisions(s, n, content) {
		w.remember(s, n, content, one)
	}
}

func (w *world) revisions(s *db.Store, n, content int) []library.Revision {
	all, err := corrections.New(s).Revisions(db.Unhurried(w.t.Context()), accountOf(n), key(content))
	if errors.Is(err, transcript.NoTranscript) {
		return nil
	}
	require.NoError(w.t, err)
	assert.LessOrEqual(w.t, len(all), corrections.MaxRevisions+1)
	assert.True(w.t, slices.IsSortedFunc(all, func(a, b library.Revision) int { return b.Number - a.Number }))
	return all
}

func (w *world) remember(s *db.Store, n, content int, one library.Revision) {
	text, err := corrections.New(s).Revision(db.Unhurried(w.t.Context()), accountOf(n), key(content), one.Number)
	if errors.Is(err, transcript.NoTranscript) || errors.Is(err, transcript.NotFound) {
		return
	}
	require.NoError(w.t, err)
	if one.Kind != library.RevisionOriginal {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.see(text.Transcript, one.Number)
	}
}

// differences counts the revisions whose lines are stored as a difference.
func differences(t *testing.T, s *db.Store) (n int) {
	t.Helper()
	require.NoError(t, s.SQL().Reader().NewRaw("SELECT count(*) FROM revisions WHERE substr(segments, 1, 1) = ?", []byte("d")).Scan(t.Context(), &n))
	return n
}
