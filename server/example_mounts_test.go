package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// embedded is a service behind the sessions of a site. A program calls server.New instead.
func embedded() *servertest.Server {
	s, err := servertest.Start(context.Background(), servertest.Configure(func(c *server.Config) { c.Authenticator = byName{} }))
	if err != nil {
		log.Fatal(err)
	}
	return s
}

// A site makes transcripts, and gives them out by pages of its own.
func ExampleServer_Transcripts() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/transcript", s.Transcripts())
	site.Handle("/v1/transcript/", s.Transcripts())

	said := visit(site, http.MethodPost, "/v1/transcript", `{"url": "dQw4w9WgXcQ", "format": "text", "includeTimestamp": false}`)
	var answer struct{ Transcript string }
	if err := json.Unmarshal([]byte(said[4:]), &answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(said[:3], answer.Transcript)
	// Output:
	// 200 hello world
}

// A site that only looks: it reads the captions of videos and lists the video site. Nobody can
// start work there.
func ExampleServer_Captions() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/transcript/info", s.Captions())
	site.Handle("/v1/video_site/captions", s.Captions())
	site.Handle("/v1/video_site/", s.Discovery()) // all but captions

	fmt.Println(visit(site, http.MethodGet, "/v1/video_site/captions?videoId=dQw4w9WgXcQ", "")[:24])
	fmt.Println(visit(site, http.MethodGet, "/v1/video_site/search?q=talk", ""))
	fmt.Println(visit(site, http.MethodPost, "/v1/transcript", `{"url": "dQw4w9WgXcQ"}`))
	// Output:
	// 200 {"status":"success",
	// 200 {"query":"talk","type":"video","items":[]}
	// 404 404 page not found
}

// Discovery alone searches and lists the video site.
func ExampleServer_Discovery() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()
	s.Engine.SetList("PLtalks000000000000000000", "dQw4w9WgXcQ")

	fmt.Println(visit(s.Discovery(), http.MethodGet, "/v1/video_site/playlists/PLtalks000000000000000000/items?limit=1", "")[:3])
	fmt.Println(visit(s.Discovery(), http.MethodGet, "/v1/video_site/captions?videoId=dQw4w9WgXcQ", "")[:3])
	// Output:
	// 200
	// 404
}

// A page of the site shows what a visitor has saved, and what is left of the plan.
func ExampleServer_Library() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/library/", s.Library())
	site.Handle("/v1/usage", s.Usage())

	fmt.Println(visit(site, http.MethodGet, "/v1/library/transcripts?view=starred", ""))
	fmt.Println(visit(site, http.MethodGet, "/v1/usage", "")[:55])
	// Output:
	// 200 {"transcripts":[],"total":0,"page":1,"pageSize":24,"langs":[]}
	// 200 {"account":{"id":"ada","plan":"visitor","paid":true
}

// The site asks how much a visitor has used.
func ExampleServer_Usage() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	var usage struct{ Transcripts struct{ Used int } }
	if err := json.Unmarshal([]byte(visit(s.Usage(), http.MethodGet, "/v1/usage", "")[4:]), &usage); err != nil {
		log.Fatal(err)
	}
	fmt.Println("transcripts:", usage.Transcripts.Used)
	// Output:
	// transcripts: 0
}

// Visitors follow channels and podcasts on the site.
func ExampleServer_Follows() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/follows", s.Follows())
	site.Handle("/v1/follows/", s.Follows())

	fmt.Println(visit(site, http.MethodGet, "/v1/follows", ""))
	// Output:
	// 200 {"follows":[]}
}

// Visitors say where the service reports the ends of their jobs.
func ExampleServer_Webhooks() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/webhooks", s.Webhooks())
	site.Handle("/v1/webhooks/", s.Webhooks())

	fmt.Println(visit(site, http.MethodGet, "/v1/webhooks", "")[:3])
	// Output:
	// 200
}

// Readers of feeds show the new texts of an account. The feeds need no credential, because
// their addresses are secret.
func ExampleServer_Feeds() {
	ctx := context.Background()
	s, err := servertest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/feed", s.Feeds())
	site.Handle("/v1/feeds/", s.Feeds())

	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	if err != nil {
		log.Fatal(err)
	}
	feed, err := c.Library.RenewFeed(ctx)
	if err != nil {
		log.Fatal(err)
	}
	path := strings.TrimPrefix(feed.URL, s.URL)
	fmt.Println(visit(site, http.MethodGet, path, "")[:42])
	// Output:
	// 200 <?xml version="1.0" encoding="UTF-8"?>
}

// Whoever has a link reads the text of the link. The texts of links need no credential, because
// the links are secret.
func ExampleServer_Shared() {
	ctx := context.Background()
	s, err := servertest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/library/", s.Library())
	site.Handle("/v1/shared/", s.Shared())

	c, err := client.New(s.URL, client.WithAPIKey(s.Key))
	if err != nil {
		log.Fatal(err)
	}
	talk, err := c.Transcripts.Get(ctx, transcript.Request{Source: transcript.URL("dQw4w9WgXcQ")})
	if err != nil {
		log.Fatal(err)
	}
	link, err := c.Library.Share(ctx, library.Key{Platform: talk.Transcript.Platform, ExternalID: talk.Transcript.ExternalID}, time.Time{})
	if err != nil {
		log.Fatal(err)
	}
	path := strings.TrimPrefix(link.URL, s.URL)
	fmt.Println(visit(site, http.MethodGet, path, "")[:40])
	// Output:
	// 200 {"transcript":{"platform":"video_sit
}

// A load balancer asks for the health of the service. No credential is needed.
func ExampleServer_Health() {
	s := embedded() // a server.Server
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/healthz", s.Health())
	site.Handle("/readyz", s.Health())

	fmt.Println(visit(site, http.MethodGet, "/healthz", ""))
	// Output:
	// 200 {"status":"ok","version":"dev"}
}

// The figures of the service stand on a listener that callers do not reach.
func ExampleServer_Metrics() {
	s := embedded() // a server.Server
	defer s.Close()

	inside := http.NewServeMux() // of a listener on localhost
	inside.Handle("/metrics", s.Metrics())

	for line := range strings.Lines(visit(inside, http.MethodGet, "/metrics", "")) {
		if strings.HasPrefix(line, "# TYPE transcriptkit_jobs") {
			fmt.Print(line)
		}
	}
	// Output:
	// # TYPE transcriptkit_jobs_accepted_total counter
	// # TYPE transcriptkit_jobs_ended_total counter
	// # TYPE transcriptkit_jobs_running gauge
}

// The page with the description of the API, and its OpenAPI document.
func ExampleServer_Docs() {
	s := embedded() // a server.Server
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/docs", s.Docs())
	site.Handle("/docs/", s.Docs())

	var document struct{ OpenAPI string }
	if err := json.Unmarshal([]byte(visit(site, http.MethodGet, "/docs/openapi.json", "")[4:]), &document); err != nil {
		log.Fatal(err)
	}
	fmt.Println(document.OpenAPI)
	// Output:
	// 3.1.0
}

// Language models call the tools of the service by the sessions of the site.
func ExampleServer_MCP() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/mcp", s.MCP())

	said := visit(site, http.MethodPost, "/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`)
	fmt.Println(said[:3], strings.Contains(said, `"get_transcript"`))
	// Output:
	// 200 true
}

// Programs that know OpenAI's API send recordings to the site.
func ExampleServer_OpenAI() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/audio/", s.OpenAI())
	site.Handle("/v1/models", s.OpenAI())

	said := visit(site, http.MethodGet, "/v1/models", "")
	fmt.Println(said[:3], strings.Contains(said, `"whisper-1"`))
	// Output:
	// 200 true
}

// A route of the site has the sessions, the rate window and the scopes of the API.
func ExampleServer_Authenticate() {
	s := embedded() // a server.Server with the sessions of the site
	defer s.Close()

	hello := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visitor, _ := server.PrincipalOf(r.Context())
		fmt.Fprint(w, "hello ", visitor.Account)
	})
	reading := s.RequireScope(account.Transcripts)
	fmt.Println(visit(s.Authenticate(reading(hello)), http.MethodGet, "/hello", ""))
	// Output:
	// 200 hello ada
}

// A program without a site of its own serves the API. Behind Listener the refusals of net/http
// have the form of the API too.
func ExampleServer_HTTPServer() {
	s := embedded() // a server.Server
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}

	api := s.HTTPServer("")
	served := make(chan error, 1)
	go func() { served <- api.Serve(s.Listener(l)) }()

	answer, err := http.Get("http://" + l.Addr().String() + "/healthz")
	if err != nil {
		log.Fatal(err)
	}
	answer.Body.Close()
	fmt.Println(answer.Status)
	if err := s.Stop(context.Background()); err != nil { // also shuts api down
		log.Fatal(err)
	}
	fmt.Println(<-served)
	// Output:
	// 200 OK
	// http: Server closed
}
