package ytdlp_test

import (
	"fmt"
	"os"

	"github.com/transcriptkit/transcriptkit/internal/run"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ytdlp"
	"github.com/transcriptkit/transcriptkit/transcript"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	programs, err := run.New(run.Config{Dir: dir}) // a server hands out a Host of its own
	if err != nil {
		panic(err)
	}
	downloader, err := ytdlp.New(engine.Host{Programs: programs, Dir: dir}, ytdlp.Options{})
	if err != nil {
		panic(err)
	}
	for _, p := range transcript.Platforms() {
		if origin, ok := downloader.Origin(p); ok {
			fmt.Println(p, origin)
		}
	}
	// Output:
	// video_site video_site_downloader
	// short_video_site short_video_site_captions
	// professional_site professional_site_captions
}
