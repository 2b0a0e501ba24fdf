package ytdlp_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestAudio(t *testing.T) {
	t.Parallel()
	for _, id := range []string{sitetest.NoTracks, sitetest.Streamed} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, "")
			dir := t.TempDir()
			var known []transcript.Metadata
			var reported [][2]int64
			path, err := b.Audio(t.Context(), b.content(id), dir, engine.AudioOptions{
				Known: func(m transcript.Metadata) error {
					assert.Zero(t, b.site.Requests("/media")+b.site.Requests("/piece"))
					known = append(known, m)
					return nil
				},
				Progress: func(done, total int64) { reported = append(reported, [2]int64{done, total}) },
			})
			require.NoError(t, err)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, b.media, got)
			rel, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			assert.True(t, filepath.IsLocal(rel))
			require.Len(t, known, 1)
			assert.NotEmpty(t, known[0].Title)

			size := int64(len(b.media))
			require.NotEmpty(t, reported)
			assert.Equal(t, size, reported[len(reported)-1][0])
			for i, r := range reported {
				assert.True(t, r[1] == 0 || r[1] >= r[0], r)
				assert.True(t, i == 0 || r[0] > reported[i-1][0], "progress never goes back")
			}
			assert.Equal(t, 1, b.site.Requests(sitetest.Watch(id)))
			assert.LessOrEqual(t, b.site.Requests("/media"), 1)
			b.clean(t)
		})
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	enough := errors.New("enough")
	_, err := b.Audio(t.Context(), b.content(sitetest.Described), t.TempDir(), engine.AudioOptions{
		Known: func(m transcript.Metadata) error {
			assert.Equal(t, transcript.Metadata{
				Title: "A talk about talks", CreatorName: "Ann Example", Duration: 65,
				ThumbnailURL: "https://images.example/talk.jpg",
				PublishedAt:  time.Date(2024, 2, 3, 4, 5, 6, 0, time.UTC),
				Chapters:     []transcript.Chapter{{Title: "Intro"}, {Title: "The sea", Start: 20.5}},
			}, m)
			return enough
		},
	})
	assert.Equal(t, enough, err, "as it is")
}

func TestAudioTooLarge(t *testing.T) {
	t.Parallel()
	b := newBench(t, "")
	tests := []struct{ name, id string }{
		{"announced", sitetest.NoTracks},
		{"in pieces", sitetest.Streamed},
		{"not announced", sitetest.NoLength},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.name != "in pieces" {
				manyRuns(t)
			}
			_, err := b.Audio(t.Context(), b.content(tt.id), t.TempDir(), engine.AudioOptions{MaxBytes: 20000})
			e := coded(t, err, transcript.MediaTooLarge)
			assert.Equal(t, map[string]any{"limitBytes": int64(20000)}, e.Details)
		})
	}
}

// Just as large as allowed is not too large.
func TestAudioAtTheLimit(t *testing.T) {
	t.Parallel()
	manyRuns(t)
	b := newBench(t, "")
	_, err := b.Audio(t.Context(), b.content(sitetest.Streamed), t.TempDir(), engine.AudioOptions{MaxBytes: int64(len(b.media))})
	assert.NoError(t, err)
}
