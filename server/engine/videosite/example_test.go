package videosite_test

import (
	"fmt"
	"log"
	"net/http"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/videosite"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// The route reads captions of one platform only. A server hands its engine a host
// whose client refuses private addresses.
func Example() {
	route, err := videosite.New(engine.Host{HTTP: http.DefaultClient}, videosite.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(route.Origin(transcript.VideoSite))
	fmt.Println(route.Origin(transcript.ShortVideoSite))
	// Output:
	// video_site_transcript_api true
	//  false
}
