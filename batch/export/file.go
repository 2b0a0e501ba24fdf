package export

import (
	"fmt"
	"io"
	"iter"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Version grows with each change to the bytes that are written for the same entries,
// including changes of the compressor.
const Version = 5

// Entry is an item of a batch with its text.
type Entry struct {
	Item batch.Item
	// Transcript is nil if the item has no transcript. The file reads the Transcript
	// only until it pulls the next entry.
	Transcript *transcript.Transcript
}

// File describes an export. Its name and its media type are known before the first
// entry.
type File struct {
	// Batch is written in JSON and in archives, without its ExportRef and ExportMime.
	Batch  *batch.Job
	Format batch.ExportFormat
	// OmitTimestamps leaves the times out of TXT.
	OmitTimestamps bool
	// Texts is the number of entries with a transcript. If it is 1, SRT and VTT are a
	// single file, otherwise an archive.
	Texts int
}

// Name returns a name for the file: "batch-", the batch's id, and the extension.
func (f File) Name() string { return "batch-" + f.Batch.ID + "." + f.kind().extension }

// MediaType returns the media type with its parameters.
func (f File) MediaType() string { return f.kind().mediaType }

type kind struct{ extension, mediaType string }

func (f File) kind() kind {
	switch {
	case f.archived():
		return kind{"zip", "application/zip"}
	case f.Format == batch.TXT:
		return kind{"txt", "text/plain; charset=utf-8"}
	case f.Format == batch.CSV:
		return kind{"csv", "text/csv; charset=utf-8; header=present"}
	case f.Format == batch.JSON:
		return kind{"json", "application/json"}
	case f.Format == batch.SRT:
		return kind{"srt", "application/x-subrip; charset=utf-8"}
	}
	return kind{"vtt", "text/vtt; charset=utf-8"}
}

// archived reports whether the file is an archive: a single file of subtitles cannot hold
// several recordings.
func (f File) archived() bool {
	return f.Format == batch.ZIP || f.isSubtitles() && f.Texts != 1
}

func (f File) isSubtitles() bool { return f.Format == batch.SRT || f.Format == batch.VTT }

// writer writes a file, one entry at a time.
type writer interface {
	begin() error
	add(Entry) error
	end() error
}

// Write writes the file, and stops at the first error. The error is an error of w or of
// entries, or says that the number of entries is not f.Texts. After an error, the file
// is incomplete.
func (f File) Write(w io.Writer, entries iter.Seq2[Entry, error]) error {
	to, err := f.writer(w)
	if err != nil {
		return err
	}
	if err := to.begin(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	texts := 0
	for e, err := range entries {
		if err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if e.Transcript != nil {
			if texts++; texts > f.Texts {
				break
			}
		}
		if err := to.add(e); err != nil {
			return fmt.Errorf("export: item %s: %w", e.Item.ID, err)
		}
	}
	if texts != f.Texts {
		return fmt.Errorf("export: batch %s has other texts than the %d that were announced", f.Batch.ID, f.Texts)
	}
	if err := to.end(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (f File) writer(w io.Writer) (writer, error) {
	shown := *f.Batch
	shown.ExportRef, shown.ExportMime, shown.LastError = nil, nil, nil
	switch {
	case f.Format == batch.ZIP:
		return &archive{folder: newFolder(w), batch: &shown}, nil
	case f.isSubtitles() && f.Texts != 1:
		return &subtitles{folder: newFolder(w), format: f.Format}, nil
	case f.isSubtitles():
		return &single{w: w, format: f.Format}, nil
	case f.Format == batch.TXT:
		return &texts{w: w, timestamps: !f.OmitTimestamps}, nil
	case f.Format == batch.CSV:
		return &table{w: w}, nil
	case f.Format == batch.JSON:
		return &document{w: w, batch: &shown}, nil
	}
	return nil, fmt.Errorf("export: there is no format %q", f.Format)
}
