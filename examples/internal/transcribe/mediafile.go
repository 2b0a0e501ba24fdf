package transcribe

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// mediaFile is a file as it was when somebody looked at it. Recorders and copies write to a file
// for a while, and half a recording makes half a text.
type mediaFile struct {
	path     string
	size     int64 // in bytes; -1: it is a pipe or a device
	modified time.Time
}

// lookAt looks at a file.
func lookAt(path string) (mediaFile, error) {
	st, err := os.Stat(path)
	if err != nil {
		return mediaFile{}, err
	}
	if !st.Mode().IsRegular() {
		return mediaFile{path: path, size: -1}, nil
	}
	return mediaFile{path, st.Size(), st.ModTime()}, nil
}

// changed reports whether the file is there and is another than it was.
func (r mediaFile) changed() bool {
	now, err := lookAt(r.path)
	return err == nil && (now.size != r.size || !now.modified.Equal(r.modified))
}

// source returns the file for sending. If somebody writes to the file meanwhile, the sending
// fails with a writtenError.
func (r mediaFile) source() transcript.Source {
	return transcript.Media(filepath.Base(r.path), r.size, func() (io.ReadCloser, error) {
		file, err := os.Open(r.path)
		if err != nil || r.size < 0 {
			return file, err
		}
		return &steady{File: file, recording: r}, nil
	})
}

// steady reads a file that must not change.
type steady struct {
	*os.File
	recording mediaFile
	read      int64 // how far the file has been read
}

// Seek moves to the byte at which an upload goes on.
func (s *steady) Seek(offset int64, whence int) (int64, error) {
	at, err := s.File.Seek(offset, whence)
	s.read = at
	return at, err
}

func (s *steady) Read(b []byte) (int, error) {
	n, err := s.File.Read(b)
	s.read += int64(n)
	if s.read > s.recording.size || err == io.EOF && s.read < s.recording.size {
		return 0, s.recording.written()
	}
	return n, err
}

// written returns the error about a file that has changed.
func (r mediaFile) written() error {
	now, _ := lookAt(r.path) // 0 bytes if the file has gone
	return &writtenError{r.size, now.size}
}

// writtenError is a recording that somebody writes to while it is sent.
type writtenError struct{ before, now int64 }

func (e *writtenError) Error() string {
	return fmt.Sprintf("a program still writes to this file: the file had %d bytes and has %d now; "+
		"transcribe it when the recorder or the copy has ended, or put it into a folder of --watch, which waits for the end", e.before, e.now)
}
