package throttle_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/internal/throttle"
	"github.com/transcriptkit/transcriptkit/server/pace"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// visited is a caption source of no captions.
type visited struct{}

func (visited) Origin(p transcript.Platform) (transcript.Origin, bool) {
	return engine.CaptionOrigin(p)
}

func (visited) Captions(context.Context, engine.Content, func([]transcript.Track) (int, bool)) (engine.Captions, error) {
	return engine.Captions{}, nil
}

// The third visit within a minute is too much, and told when to come again.
func Example() {
	p, err := throttle.New(pace.Config{Rate: pace.Rate{PerMinute: 2, Burst: 2}}, nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	source := p.Engine(engine.Engine{Captions: []engine.CaptionSource{visited{}}}).Captions[0]
	for range 3 {
		_, err := source.Captions(context.Background(), engine.Content{Platform: transcript.VideoSite}, nil)
		var refused *transcript.Error
		if errors.As(err, &refused) {
			fmt.Println(refused.Code, refused.RetryAfter)
			continue
		}
		fmt.Println("visited")
	}
	// Output:
	// visited
	// visited
	// IP_BLOCKED 30
}
