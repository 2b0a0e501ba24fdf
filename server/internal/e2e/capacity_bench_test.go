package e2e_test

import (
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/ratio"
	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/store"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/caption"
)

// A talk of an hour has 9,000 words, in 1,000 cues.
const (
	cuesOfTalk  = 1_000
	wordsOfCue  = 9
	bytesOfTalk = cuesOfTalk * wordsOfCue * 6 // about: a word and its space
)

// talker is a caption source whose texts are talks of an hour, in the English of this
// repository's documents. Each content has another text.
type talker struct{ words []string }

// newTalker reads the documents.
func newTalker(b *testing.B) talker {
	b.Helper()
	var t talker
	for _, pattern := range []string{"../../../*.md", "../../*.md", "../../../docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(b, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(b, err)
			t.words = append(t.words, strings.Fields(string(text))...)
		}
	}
	require.Greater(b, len(t.words), 2*cuesOfTalk*wordsOfCue)
	return t
}

func (talker) Origin(p transcript.Platform) (transcript.Origin, bool) { return teller{}.Origin(p) }

func (t talker) Captions(_ context.Context, c engine.Content, pick func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	found := engine.Captions{
		Metadata: transcript.Metadata{Title: "Talk " + c.ExternalID, CreatorName: "Somebody", Duration: 3600},
		Tracks:   []transcript.Track{{ID: "en", Lang: "en", Kind: transcript.TrackManual}},
	}
	err := found.Choose(pick, func(int) (caption.File, error) { return caption.File{Segments: t.talk(c.ExternalID)}, nil })
	return found, err
}

// talk is the text of a content: the documents from a place that depends on the content.
func (t talker) talk(id string) []transcript.Segment {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // a hash returns no error
	at := int(h.Sum32()) % len(t.words)
	segments := make([]transcript.Segment, cuesOfTalk)
	for i := range segments {
		cue := make([]string, wordsOfCue)
		for k := range cue {
			cue[k] = t.words[at%len(t.words)]
			at++
		}
		segments[i] = transcript.Segment{Text: strings.Join(cue, " "), Start: 3.6 * float64(i), Duration: 3.6}
	}
	return segments
}

// BenchmarkCapacity takes batches of 500 talks of an hour through one service and its database.
// docs/operate/tune.md computes the sizes of services from its figures.
func BenchmarkCapacity(b *testing.B) {
	for _, c := range []struct {
		name    string
		options func(testing.TB) store.Options
	}{{"SQLite", storetest.SQLite}, {"PostgreSQL", storetest.Postgres}} {
		if !ratio.Wanted("capacity: bytes of the database, of the bytes of its texts, " + c.name) {
			continue
		}
		b.Run(c.name, func(b *testing.B) {
			o := c.options(b)
			s, st := startServices(b, o, 1, newTalker(b))
			raw := storetest.SQL(b, o)
			round := 0
			take := func() {
				s.takeBatch(b, round)
				round++
				if c.name == "PostgreSQL" { // as its housekeeping does within minutes; SQLite needs none
					_, err := raw.ExecContext(b.Context(), `VACUUM`)
					require.NoError(b, err)
				}
			}
			for range 2 { // from then on, new rows take the space of removed rows
				take()
			}
			for b.Loop() {
				bytes := ratio.Row{Name: "capacity: bytes of the database, of the bytes of its texts, " + c.name, AtMost: 1.5}
				work := ratio.Row{Name: "capacity: processors for ten million texts a day, of 2, " + c.name}
				for range 3 {
					before, ours, theirs, began := sizes(b, st, raw), processorTime(b), serverTime(b, o, raw), time.Now()
					take()
					took := time.Since(began)
					ours, theirs = processorTime(b)-ours, serverTime(b, o, raw)-theirs
					grown := sizes(b, st, raw).less(before)
					bytes.Ratios = append(bytes.Ratios, float64(grown.whole)/batchSize/bytesOfTalk)
					bytes.Note = fmt.Sprintf("KB a text: %d in all, %d for the body, %d for its words", grown.whole/batchSize/1000,
						grown.bodies/batchSize/1000, grown.words/batchSize/1000)
					work.Ratios = append(work.Ratios, tenMillionADay*float64(ours+theirs)/batchSize/float64(2*time.Second))
					work.Note = fmt.Sprintf("a text takes %.1f ms of a processor, and %.1f ms in the server of the database; %.0f texts a second on this machine",
						milliseconds(ours)/batchSize, milliseconds(theirs)/batchSize, batchSize/took.Seconds())
				}
				bytes.Report(b)
				work.Report(b)
			}
		})
	}
}

// tenMillionADay is how many texts a second are ten million a day.
const tenMillionADay = 116

func milliseconds(nanoseconds int64) float64 { return float64(nanoseconds) / float64(time.Millisecond) }

// size are the bytes of a database.
type size struct{ whole, bodies, words int64 }

func (s size) less(o size) size {
	return size{s.whole - o.whole, s.bodies - o.bodies, s.words - o.words}
}

func sizes(b *testing.B, st *db.Store, raw *sql.DB) (s size) {
	b.Helper()
	status, err := st.Status(b.Context())
	require.NoError(b, err)
	s.whole = status.Bytes
	scan := func(query string, into *int64) {
		require.NoError(b, raw.QueryRowContext(b.Context(), query).Scan(into))
	}
	scan(`SELECT COALESCE(sum(length(segments)), 0) FROM texts`, &s.bodies)
	scan(`SELECT COALESCE(sum(length(words) + length(places)), 0) FROM (SELECT words, places FROM search_blocks
		UNION ALL SELECT words, places FROM search_volume_blocks) AS blocks`, &s.words)
	return s
}

// serverTime is the processor time in nanoseconds that the processes of a PostgreSQL server have
// used. The SQLite database works in this process and has none.
func serverTime(b *testing.B, o store.Options, raw *sql.DB) (used int64) {
	b.Helper()
	if strings.HasPrefix(o.Database, "sqlite:") {
		return 0
	}
	var backend int
	require.NoError(b, raw.QueryRowContext(b.Context(), `SELECT pg_backend_pid()`).Scan(&backend))
	server := procStat(b, backend)[1]
	processes, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(b, err)
	const tick = int64(10 * time.Millisecond)
	for _, process := range processes {
		id, err := strconv.Atoi(filepath.Base(process))
		require.NoError(b, err)
		stat := procStat(b, id)
		switch {
		case stat == nil: // ended in the meantime; its server counts its time
		case stat[1] == server:
			used += (stat[11] + stat[12]) * tick
		case int64(id) == server:
			used += (stat[13] + stat[14]) * tick // of its ended processes
		}
	}
	return used
}

// procStat are the numbers of /proc/ID/stat after the name of the program: 1 is the parent, 11
// and 12 are the ticks of the process, 13 and 14 those of its ended children. It is nil if there
// is no such process.
func procStat(b *testing.B, id int) []int64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		return nil
	}
	after := string(text)[strings.LastIndexByte(string(text), ')')+2:]
	fields := strings.Fields(after)
	numbers := make([]int64, len(fields))
	for i, field := range fields[1:15] {
		numbers[i+1], err = strconv.ParseInt(field, 10, 64)
		require.NoError(b, err)
	}
	return numbers
}
