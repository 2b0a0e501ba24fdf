package servertest_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func TestServiceDownloads(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	s.Engine.SetMetadata(transcript.Metadata{Title: "Zwölf Reden", Duration: 10})
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "four score"})
	_, err := c.Transcripts.Get(t.Context(), transcript.Request{Source: transcript.URL("https://youtu.be/" + videoID)})
	require.NoError(t, err)
	extensions := map[library.DownloadFormat]string{library.VTTWords: "words.vtt", library.Podcast: "podcast.json"}
	for _, f := range library.DownloadFormats() {
		name := "zwölf-reden." + cmp.Or(extensions[f], string(f))
		var r client.Response
		d, err := c.Library.Download(t.Context(), savedKey, client.DownloadParams{Format: f, OmitTimestamps: true, Speakers: true}, client.WithResponse(&r))
		require.NoError(t, err)
		assert.Equal(t, name, d.Name)
		assert.Equal(t, r.Header.Get("Content-Type"), d.MediaType)
		assert.NotEmpty(t, d.ETag)
		var whole bytes.Buffer
		n, err := io.Copy(&whole, d)
		require.NoError(t, err)
		assert.Contains(t, []int64{n, -1}, d.Size, "it may be sent as gzip")
		require.NoError(t, d.Close())
		assert.Contains(t, whole.String(), "four")
		assert.Equal(t, f == library.VTT || f == library.VTTWords || f == library.SRT, strings.Contains(whole.String(), "00:00"), "times of %s", f)

		d, err = c.Library.Download(t.Context(), library.Key{Platform: savedKey.Platform, ExternalID: videoID, Language: "en"}, client.DownloadParams{Format: f, OmitTimestamps: true})
		require.NoError(t, err)
		dir := t.TempDir()
		path, err := d.Save(dir)
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(dir, name), path)
		saved, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, whole.String(), string(saved))
	}
	_, err = c.Library.Download(t.Context(), library.Key{Platform: savedKey.Platform, ExternalID: videoID, Language: "de"}, client.DownloadParams{Format: library.TXT})
	require.ErrorIs(t, err, transcript.NoTranscript)
	_, err = c.Library.Download(t.Context(), savedKey, client.DownloadParams{})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	_, err = c.Library.Download(t.Context(), library.Key{}, client.DownloadParams{Format: library.TXT})
	assert.ErrorContains(t, err, "empty platform")
}

func TestServiceExports(t *testing.T) {
	t.Parallel()
	c, s := live(t)
	s.Engine.SetTracks(servertest.Track{Lang: "en", Text: "four score"})
	made, err := c.Batches.Create(t.Context(), client.BatchParams{URLs: []string{videoID, "9bZkp7q19f0"}})
	require.NoError(t, err)
	_, err = c.Batches.Wait(t.Context(), made.ID)
	require.NoError(t, err)
	dir := t.TempDir()
	for _, f := range batch.ExportFormats() {
		d, err := c.Batches.Export(t.Context(), made.ID, client.ExportParams{Format: f, OmitTimestamps: true, Partial: true})
		require.NoError(t, err)
		etag, media := d.ETag, d.MediaType
		path, err := d.Save(dir)
		require.NoError(t, err)
		extension := string(f)
		if f == batch.SRT || f == batch.VTT {
			extension = "zip"
		}
		assert.Equal(t, filepath.Join(dir, "batch-"+made.ID+"."+extension), path)
		if extension == "zip" {
			r, err := zip.OpenReader(path)
			require.NoError(t, err)
			assert.Len(t, r.File, map[batch.ExportFormat]int{batch.ZIP: 10}[f]+map[bool]int{true: 2}[f != batch.ZIP])
			require.NoError(t, r.Close())
		} else {
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, 2, strings.Count(string(content), "four"), f)
		}
		job, err := c.Batches.Get(t.Context(), made.ID)
		require.NoError(t, err)
		assert.Equal(t, "exp_"+strings.Trim(etag, `"`), *job.ExportRef)
		assert.Equal(t, media, *job.ExportMime)
	}
	_, err = c.Batches.Export(t.Context(), made.ID, client.ExportParams{})
	require.ErrorIs(t, err, transcript.InvalidRequest)
	_, err = c.Batches.Export(t.Context(), "", client.ExportParams{Format: batch.TXT})
	assert.ErrorContains(t, err, "empty")
	_, err = c.Batches.Export(t.Context(), "019321a0-7c11-7c3e-9a55-2f6d1f0c9b11", client.ExportParams{Format: batch.TXT})
	require.ErrorIs(t, err, transcript.NotFound)
}
