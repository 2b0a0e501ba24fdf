package dataapi_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/dataapi"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

func Example() {
	api := httptest.NewServer(fake(sitetest.NewCatalog(""))) // a fake of the data API
	defer api.Close()

	found, err := dataapi.New(dataapi.Options{Key: key, BaseURL: api.URL})
	if err != nil {
		log.Fatal(err)
	}
	page, err := found.Search(context.Background(), video.Search{Q: "talk", Type: video.TypeVideo, Order: video.ByDate}, engine.Window{Max: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, result := range page.Items {
		fmt.Println(result.Video.VideoID, *result.Video.Title)
	}
	fmt.Println("more:", page.Next != "")
	// Output:
	// talk-000000 Talk 0
	// talk-000001 Talk <b>fish</b> & "chips" &amp; it's liat 🎣 \u003c ${x} {{.}}
	// talk-000002 Talk 2
	// more: true
}
