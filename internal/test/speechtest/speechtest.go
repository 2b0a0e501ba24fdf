// Package speechtest makes speech for tests, and measures how well it was recognized. It needs
// flite, and ffmpeg for [Decode]. Without them it skips the test, or fails it with CI=true.
package speechtest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/transcriptkit/transcriptkit/server/speech"
)

// Say writes a normalized recording of a voice that says text, and returns its path.
func Say(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "said.wav")
	command(t, "flite", "-voice", "slt", "-t", text, "-o", path)
	return path
}

// Recite writes a normalized recording of a voice that says the texts, with pauses of digital
// silence between them. It returns the recording's path and the start of each text.
func Recite(t testing.TB, pause time.Duration, texts ...string) (path string, starts []time.Duration) {
	t.Helper()
	var pcm bytes.Buffer
	for i, text := range texts {
		if i > 0 {
			pcm.Write(make([]byte, 2*int64(pause.Seconds()*speech.SampleRate)))
		}
		starts = append(starts, time.Duration(pcm.Len()/2)*time.Second/speech.SampleRate)
		copySamples(t, &pcm, Say(t, text))
	}
	path = filepath.Join(t.TempDir(), "recited.wav")
	write(t, path, pcm.Bytes())
	return path, starts
}

// Repeat writes the recording at path n times in a row, and returns the path of
// the result.
func Repeat(t testing.TB, path string, n int) string {
	t.Helper()
	var pcm bytes.Buffer
	copySamples(t, &pcm, path)
	out := filepath.Join(t.TempDir(), "repeated.wav")
	write(t, out, bytes.Repeat(pcm.Bytes(), n))
	return out
}

// Decode writes any media file as a normalized recording, and returns its path.
func Decode(t testing.TB, media string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "decoded.wav")
	command(t, "ffmpeg", "-nostdin", "-v", "error", "-i", media, "-map", "0:a:0", "-ac", "1", "-ar", "16000", "-c:a", "pcm_s16le", path)
	return path
}

// WriteFile writes samples (signed 16 bit, little endian) as a normalized recording.
func WriteFile(path string, pcm []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(speech.WriteWAV(f, bytes.NewReader(pcm), int64(len(pcm)/2)), f.Close())
}

func write(t testing.TB, path string, pcm []byte) {
	t.Helper()
	if err := WriteFile(path, pcm); err != nil {
		t.Fatal(err)
	}
}

func copySamples(t testing.TB, to io.Writer, path string) {
	t.Helper()
	rec, err := speech.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rec.Close() }() // it was only read
	if _, err := io.Copy(to, rec.PCM(0, rec.Samples())); err != nil {
		t.Fatal(err)
	}
}

func command(t testing.TB, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") == "true" { //nolint:forbidigo // read by tests only: whether a skip is allowed
			t.Fatalf("%s is not installed", program)
		}
		t.Skipf("%s is not installed", program)
	}
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", program, err, out)
	}
}
