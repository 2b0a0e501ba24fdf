package client_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// Subtitles of a saved transcript, here on the standard output.
func ExampleLibraryService_Download() {
	c := exampleClient("moonspeech1") // the library has one talk

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"}
	file, err := c.Library.Download(context.Background(), key, client.DownloadParams{Format: library.SRT})
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	fmt.Println(file.MediaType)
	if _, err := io.Copy(os.Stdout, file); err != nil {
		log.Fatal(err)
	}
	// Output:
	// application/x-subrip; charset=utf-8
	// 1
	// 00:00:00,000 --> 00:00:02,000
	// We choose to go to the moon.
	//
	// 2
	// 00:00:03,000 --> 00:00:07,000
	// Not because it is easy,
	// but because it is hard.
}

// Save writes a download into a folder, under a name that is safe on each system. A file that
// breaks off leaves nothing in the folder.
func ExampleDownload_Save() {
	c := exampleClient("moonspeech1") // the library has one talk
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	key := library.Key{Platform: transcript.VideoSite, ExternalID: "moonspeech1"}
	file, err := c.Library.Download(context.Background(), key, client.DownloadParams{Format: library.MD})
	if err != nil {
		log.Fatal(err)
	}
	path, err := file.Save(dir)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(path))
	// Output:
	// we-choose-to-go-to-the-moon.md
}
