package export

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/klauspost/compress/zip"

	"github.com/transcriptkit/transcriptkit/batch"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/format"
)

// folder is a zip archive that is being written.
type folder struct {
	zip     *zip.Writer
	entries int // so far
	buf     []byte
}

func newFolder(w io.Writer) folder { return folder{zip: zip.NewWriter(w)} }

// name is the name of the next text, without an extension. The part after the number need
// not be unique.
func (f *folder) name(t *transcript.Transcript) string {
	return fmt.Sprintf("%03d-%s", f.entries, format.FileName(t))
}

// epoch is the time of every file: the earliest time that zip archives can store.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func (f *folder) put(name string, content []byte) error {
	w, err := f.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch})
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// putText writes a text in a format, and adds the extension of the format to the name.
func (f *folder) putText(name string, as batch.ExportFormat, t *transcript.Transcript) (err error) {
	f.buf = f.buf[:0]
	switch as {
	case batch.SRT:
		f.buf = format.AppendSRT(f.buf, t.Segments)
	case batch.VTT:
		f.buf = format.AppendVTT(f.buf, t.Segments)
	case batch.JSON:
		if f.buf, err = format.AppendJSON(f.buf, t); err != nil {
			return err
		}
	default:
		f.buf = format.AppendText(f.buf, t.Segments, true)
	}
	return f.put(name+"."+string(as), f.buf)
}

// subtitles writes an archive with a file of subtitles for each text.
type subtitles struct {
	folder
	format batch.ExportFormat
}

func (s *subtitles) begin() error { return nil }
func (s *subtitles) end() error   { return s.zip.Close() }

func (s *subtitles) add(e Entry) error {
	s.entries++
	if e.Transcript == nil {
		return nil
	}
	return s.putText(s.name(e.Transcript), s.format, e.Transcript)
}

// archive writes each text in four formats and then, when all items are known, the list
// of the items and the list of the errors.
type archive struct {
	folder
	batch    *batch.Job
	manifest []byte
	errors   []byte
}

// listed is an item in the list of items.
type listed struct {
	Item  batch.Item `json:"item"`
	Files []string   `json:"files"`
}

func (a *archive) begin() error {
	head, err := json.Marshal(a.batch)
	if err != nil {
		return err
	}
	a.manifest = append(append(append(a.manifest, `{"batch":`...), head...), `,"items":[`...)
	a.errors = append(a.errors, "number,platform,externalId,sourceUrl,error,errorMessage,retryable,attempts\r\n"...)
	return nil
}

func (a *archive) add(e Entry) error {
	if a.entries++; a.entries > 1 {
		a.manifest = append(a.manifest, ',')
	}
	l := listed{Item: e.Item, Files: []string{}}
	if e.Transcript != nil {
		name := "items/" + a.name(e.Transcript)
		for _, as := range []batch.ExportFormat{batch.TXT, batch.SRT, batch.VTT, batch.JSON} {
			if err := a.putText(name, as, e.Transcript); err != nil {
				return err
			}
			l.Files = append(l.Files, name+"."+string(as))
		}
	}
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	a.manifest = append(append(a.manifest, '\n'), line...)
	if e.Item.Status == batch.ItemFailed {
		a.errors = appendError(a.errors, a.entries, &e.Item)
	}
	return nil
}

func (a *archive) end() error {
	if err := a.put("manifest.json", append(a.manifest, "\n]}\n"...)); err != nil {
		return err
	}
	if err := a.put("errors.csv", a.errors); err != nil {
		return err
	}
	return a.zip.Close()
}

// appendError appends a row about an item that has failed.
func appendError(dst []byte, number int, i *batch.Item) []byte {
	var code, retryable string
	if i.Error != nil {
		code = string(*i.Error)
	}
	if i.Retryable != nil {
		retryable = strconv.FormatBool(*i.Retryable)
	}
	dst = strconv.AppendInt(dst, int64(number), 10)
	for _, cell := range []string{
		string(i.Platform), i.ExternalID, deref(i.SourceURL), code, i.ErrorMessage, retryable, strconv.Itoa(i.Attempts),
	} {
		dst = appendCell(append(dst, ','), cell, false)
	}
	return append(dst, "\r\n"...)
}
