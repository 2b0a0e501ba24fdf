package ffmpeg_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	programs, err := run.New(run.Config{Dir: dir}) // a server hands out a Host of its own
	if err != nil {
		log.Fatal(err)
	}
	media := ffmpeg.New(engine.Host{Programs: programs, Dir: dir})

	upload := filepath.Join(dir, "talk.wav")
	header := "RIFF\xa4\x3e\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x80\x3e\x00\x00"
	if err := os.WriteFile(upload, append([]byte(header), make([]byte, 16000)...), 0o600); err != nil {
		log.Fatal(err)
	}

	info, err := media.Probe(context.Background(), upload)
	if err != nil {
		log.Fatal(err)
	}
	audio, err := media.Normalize(context.Background(), upload, filepath.Join(dir, "audio.wav"), engine.NormalizeOptions{Max: 12 * time.Hour})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Format, info.Duration)
	fmt.Println(filepath.Base(audio.Path), audio.Duration)
	// Output:
	// wav 2s
	// audio.wav 2s
}
