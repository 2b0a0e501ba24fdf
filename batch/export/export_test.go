package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/batch/export"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func ptr[T any](v T) *T { return &v }

var moment = transcript.At(time.Date(2026, 11, 21, 2, 3, 34, 123_000_000, time.UTC))

func job() *batch.Job {
	return &batch.Job{
		ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", Mode: batch.Links, Lang: "en", Total: 5, Done: 4, Failed: 1,
		Counts: batch.Counts{Total: 5, Pending: 1, Success: 2, Failed: 1}, Status: batch.Processing,
		ExportRef: ptr("exp_1"), ExportMime: ptr("text/csv"), CreatedAt: moment, UpdatedAt: moment,
	}
}

// entries are two texts, and items that have none, for each reason there is.
func entries() []export.Entry {
	item := func(n, id string, s batch.ItemStatus) batch.Item {
		return batch.Item{ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b2" + n, Platform: transcript.VideoSite, ExternalID: id,
			SourceURL: ptr("https://video.example/watch?v=" + id), Lang: "en", Status: s, Attempts: 1}
	}
	all := []export.Entry{
		{Item: item("1", "dQw4w9WgXcQ", batch.ItemSuccess), Transcript: &transcript.Transcript{
			ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b31", Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ",
			SourceURL: ptr("https://video.example/watch?v=dQw4w9WgXcQ"), Lang: "en", Title: ptr("=A \"talk\",\nin two lines: ../x"), Channel: ptr("@chan"),
			Source: transcript.OriginCaptionAPI, Status: transcript.Ready, CreatedAt: moment, UpdatedAt: moment,
			Segments: []transcript.Segment{
				{Text: "Hello,\n\"world\" & <all> of you.", Start: 0.1, Duration: 1.5},
				{Text: "=1+1", Start: 1.6, Duration: 2},
				{Text: "- Who is there?", Start: 7, Duration: 0.125, Speaker: "Ada"},
				{Text: "-1 -->", Start: 7.0625, Duration: 1},
			},
		}},
		{Item: item("2", "aaaaaaaaaaa", batch.ItemFailed)},
		{Item: item("3", "dQw4w9WgXcQ", batch.ItemSkipped)},
		{Item: item("4", "bbbbbbbbbbb", batch.ItemSuccess), Transcript: &transcript.Transcript{
			ID: "019321a0-7c11-7c3e-9a55-2f6d1f0c9b34", Platform: transcript.VideoSite, ExternalID: "bbbbbbbbbbb", Lang: "ja", Title: ptr("日本語の題名"),
			Source: transcript.OriginASR, Status: transcript.Ready, CreatedAt: moment, UpdatedAt: moment,
			Segments: []transcript.Segment{{Text: "こんにちは、世界。", Start: 3600, Duration: 2.5, Confidence: ptr(0.75)}},
		}},
		{Item: item("5", "ccccccccccc", batch.ItemPending)},
	}
	all[0].Item.TranscriptRef, all[3].Item.TranscriptRef = &all[0].Transcript.ID, &all[3].Transcript.ID
	all[1].Item.Error, all[1].Item.ErrorMessage, all[1].Item.Retryable = ptr(transcript.Unavailable), "It is private,\nor gone.", ptr(false)
	return all
}

func sequence(all []export.Entry) iter.Seq2[export.Entry, error] {
	return func(yield func(export.Entry, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func file(f batch.ExportFormat) export.File { return export.File{Batch: job(), Format: f, Texts: 2} }

func written(t testing.TB, f export.File, all []export.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, f.Write(&b, sequence(all)))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	t.Parallel()
	single := entries()
	single[3].Transcript = nil
	plain := file(batch.TXT)
	plain.OmitTimestamps = true
	one := func(f batch.ExportFormat) export.File { return export.File{Batch: job(), Format: f, Texts: 1} }
	for name, c := range map[string]struct {
		file    export.File
		entries []export.Entry
		media   string
	}{
		"timestamps.txt": {file(batch.TXT), entries(), "text/plain; charset=utf-8"},
		"plain.txt":      {plain, entries(), "text/plain; charset=utf-8"},
		"segments.csv":   {file(batch.CSV), entries(), "text/csv; charset=utf-8; header=present"},
		"batch.json":     {file(batch.JSON), entries(), "application/json"},
		"single.srt":     {one(batch.SRT), single, "application/x-subrip; charset=utf-8"},
		"single.vtt":     {one(batch.VTT), single, "text/vtt; charset=utf-8"},
		"srt.zip":        {file(batch.SRT), entries(), "application/zip"},
		"vtt.zip":        {file(batch.VTT), entries(), "application/zip"},
		"batch.zip":      {file(batch.ZIP), entries(), "application/zip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := written(t, c.file, c.entries)
			assert.Equal(t, got, written(t, c.file, c.entries), "equal entries give equal bytes")
			golden(t, name, got)
			assert.Equal(t, c.media, c.file.MediaType())
			assert.Equal(t, "batch-019321a0-7c11-7c3e-9a55-2f6d1f0c9b11."+strings.SplitAfter(name, ".")[1], c.file.Name())
		})
	}
}

// golden compares with a file. Other bytes than before, also where only the compressor
// is another, mean that Version has to grow: clients trust that an ETag names bytes.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, got, 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	if filepath.Ext(name) == ".zip" { // its files are compared apart
		assert.True(t, bytes.Equal(want, got), "%s: has Version grown?", name)
		return
	}
	assert.Equal(t, string(want), string(got), "%s: has Version grown?", name)
}

// unzip reads an archive, whose files have one time, and returns the names in order.
func unzip(t require.TestingT, b []byte) (names []string, files map[string][]byte) {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	files = map[string][]byte{}
	for _, f := range r.File {
		opened, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(opened) // its checksum too
		require.NoError(t, err)
		assert.Equal(t, time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), f.Modified.UTC())
		assert.NotContains(t, files, f.Name)
		names, files[f.Name] = append(names, f.Name), content
	}
	return names, files
}

func TestArchive(t *testing.T) {
	t.Parallel()
	names, files := unzip(t, written(t, file(batch.ZIP), entries()))
	assert.Equal(t, []string{
		"items/001-a-talk-in-two-lines-x.txt", "items/001-a-talk-in-two-lines-x.srt", "items/001-a-talk-in-two-lines-x.vtt", "items/001-a-talk-in-two-lines-x.json",
		"items/004-日本語の題名.txt", "items/004-日本語の題名.srt", "items/004-日本語の題名.vtt", "items/004-日本語の題名.json",
		"manifest.json", "errors.csv",
	}, names)
	for name, content := range files {
		short, _, _ := strings.Cut(strings.TrimPrefix(name, "items/"), "-")
		golden(t, "unzipped/"+strings.TrimSuffix(short, filepath.Ext(name))+filepath.Ext(name), content)
	}
	var manifest struct {
		Batch batch.Job
		Items []struct {
			Item  batch.Item
			Files []string
		}
	}
	require.NoError(t, json.Unmarshal(files["manifest.json"], &manifest))
	require.Len(t, manifest.Items, 5)
	assert.Nil(t, manifest.Batch.ExportRef, "it would differ from one export to the next")
	for i, e := range entries() {
		assert.Equal(t, e.Item, manifest.Items[i].Item)
		for _, name := range manifest.Items[i].Files {
			assert.Contains(t, files, name)
		}
		assert.Len(t, manifest.Items[i].Files, map[bool]int{true: 4}[e.Transcript != nil])
	}

	names, _ = unzip(t, written(t, file(batch.SRT), entries()))
	assert.Equal(t, []string{"001-a-talk-in-two-lines-x.srt", "004-日本語の題名.srt"}, names)
}

func TestFileOfNothing(t *testing.T) {
	t.Parallel()
	for _, f := range batch.ExportFormats() {
		got := written(t, export.File{Batch: job(), Format: f}, nil)
		switch f {
		case batch.TXT:
			assert.Empty(t, got)
		case batch.CSV:
			assert.Equal(t, "platform,externalId,lang,title,channel,start,duration,text\r\n", string(got))
		case batch.JSON:
			assert.True(t, json.Valid(got))
		default:
			unzip(t, got)
		}
	}
	assert.Error(t, export.File{Batch: job(), Format: "doc"}.Write(io.Discard, sequence(nil)))
}

var errGone = errors.New("gone")

// What fails half-way never looks whole.
func TestWriteThatFails(t *testing.T) {
	t.Parallel()
	for _, f := range batch.ExportFormats() {
		whole := written(t, file(f), entries())

		broken := func(yield func(export.Entry, error) bool) {
			if yield(entries()[0], nil) && yield(export.Entry{}, errGone) {
				t.Error("read on after an error")
			}
		}
		var b bytes.Buffer
		assert.ErrorIs(t, file(f).Write(&b, broken), errGone, f)
		assert.Less(t, b.Len(), len(whole), f)

		assert.ErrorContains(t, file(f).Write(io.Discard, sequence(entries()[:2])), "other texts", "a text too few: %s", f)
		assert.ErrorContains(t, file(f).Write(io.Discard, sequence(append(entries(), entries()...))), "other texts", "too many: %s", f)

		for room := range 3 {
			full := &limited{room: room * len(whole) / 3}
			pulled := 0
			err := file(f).Write(full, func(yield func(export.Entry, error) bool) {
				for _, e := range entries() {
					if pulled++; !yield(e, nil) {
						return
					}
				}
			})
			assert.ErrorIs(t, err, io.ErrShortWrite, f)
			assert.False(t, full.after, "%s is written to after it has failed", f)
		}
	}
}

// limited takes some bytes and fails with the rest.
type limited struct {
	room          int
	failed, after bool
}

func (w *limited) Write(b []byte) (int, error) {
	w.after = w.after || w.failed
	if w.room -= len(b); w.room < 0 {
		w.failed = true
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}
