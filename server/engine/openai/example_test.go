package openai_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/openai"
	"github.com/transcriptkit/transcriptkit/server/speech"
)

func Example() {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"language":"english","duration":1,"text":"Good evening.","segments":[{"start":0.2,"end":0.9,"text":" Good evening."}]}`)
	}))
	defer endpoint.Close()
	recognizer, err := openai.New(openai.Options{BaseURL: endpoint.URL + "/v1"})
	if err != nil {
		log.Fatal(err)
	}

	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	audio := engine.Audio{Path: filepath.Join(dir, "audio.wav"), Duration: time.Second}
	file, err := os.Create(audio.Path)
	if err != nil {
		log.Fatal(err)
	}
	if err := speech.WriteWAV(file, bytes.NewReader(make([]byte, 2*speech.SampleRate)), speech.SampleRate); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}

	heard, err := recognizer.Recognize(context.Background(), audio, engine.RecognizeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(heard.Language, heard.Segments[0].Start, heard.Segments[0].Text)
	// Output:
	// en 0.2 Good evening.
}
