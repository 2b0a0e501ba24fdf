package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// byName is a site's own way to know its visitors. A real one looks up a session.
type byName struct{}

func (byName) Authenticate(_ context.Context, r *http.Request) (account.Principal, error) {
	name := r.Header.Get("X-Visitor")
	if name == "" {
		return account.Principal{}, server.ErrNoCredential
	}
	return account.Principal{Account: name, Scopes: account.Scopes(), Plan: account.WithoutLimits("visitor")}, nil
}

// visit asks a site as one of its visitors.
func visit(site http.Handler, method, path, body string) string {
	r := httptest.NewRequestWithContext(context.Background(), method, path, strings.NewReader(body))
	r.Header.Set("X-Visitor", "ada")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	said, err := io.ReadAll(w.Result().Body)
	if err != nil {
		log.Fatal(err)
	}
	return fmt.Sprint(w.Code, " ", string(said))
}

// The API stands under a prefix of a site, behind the sessions of the site. BasePath is
// the prefix in the addresses that the API answers with, and StripPrefix takes it from
// the requests.
func ExampleServer_Handler() {
	s, err := servertest.Start(context.Background(), servertest.Configure(func(c *server.Config) {
		c.Authenticator, c.BasePath = byName{}, "/media"
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/media/", http.StripPrefix("/media", s.Handler()))
	site.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "the site's own page") })

	fmt.Println(visit(site, http.MethodGet, "/", ""))
	fmt.Println(visit(site, http.MethodGet, "/media/v1/library/transcripts", ""))
	accepted := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/media/v1/batch", strings.NewReader(`{"urls": ["dQw4w9WgXcQ"]}`))
	r.Header = http.Header{"X-Visitor": {"ada"}, "Content-Type": {"application/json"}}
	site.ServeHTTP(accepted, r)
	fmt.Println(accepted.Code, accepted.Header().Get("Location")[:len("/media/v1/batch/")])
	// Output:
	// 200 the site's own page
	// 200 {"transcripts":[],"total":0,"page":1,"pageSize":24,"langs":[]}
	// 202 /media/v1/batch/
}

// A part of the API alone. A mux wants a pattern for the collection and one for what is
// below it.
func ExampleServer_Batches() {
	s, err := servertest.Start(context.Background(), servertest.Configure(func(c *server.Config) { c.Authenticator = byName{} }))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	site := http.NewServeMux()
	site.Handle("/v1/batch", s.Batches())
	site.Handle("/v1/batch/", s.Batches())

	fmt.Println(visit(site, http.MethodPost, "/v1/batch", `{"urls": ["dQw4w9WgXcQ"]}`)[:3])
	fmt.Println(visit(site, http.MethodPost, "/v1/transcript", "{}")) // which the site has not mounted
	// Output:
	// 202
	// 404 404 page not found
}

// A program asks for a transcript itself, and is told when the job has ended.
func ExampleServer_Submit() {
	ctx := context.Background()
	ended := make(chan *transcript.Job, 1)
	s, err := servertest.Start(ctx, servertest.Configure(func(c *server.Config) {
		c.JobEnded = func(_ context.Context, account string, job *transcript.Job) error {
			ended <- job // a real one sends mail, say, and returns what went wrong with that
			return nil
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	acme, err := s.Accounts.Principal(ctx, servertest.Account)
	if err != nil {
		log.Fatal(err)
	}
	talk := transcript.Media("talk.wav", -1, func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("the bytes of a recording")), nil
	})
	result, job, err := s.Submit(ctx, acme, transcript.Request{Source: talk, Wait: new(time.Duration(0))})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result == nil, job.Status)
	job = <-ended
	fmt.Println(job.Status, job.Result.Transcript.Segments[0].Text)
	// Output:
	// true pending
	// success hello world
}

// Middleware of the site refuses as the API does.
func ExampleServer_Refuse() {
	s, err := servertest.Start(context.Background(), servertest.Configure(func(c *server.Config) {
		c.Authenticator = byName{}
	}))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	closed := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				s.Refuse(w, r, transcript.Errorf(transcript.InsufficientCredits, "Your trial has ended."))
				return
			}
			next.ServeHTTP(w, r)
		})
	}
	site := closed(s.Transcripts())
	fmt.Println(visit(site, http.MethodPost, "/v1/transcript", "{}")[:60])
	// Output:
	// 402 {"error":{"code":"INSUFFICIENT_CREDITS","message":"Your
}

// People have corrected a text: from now on every account is answered with theirs.
func ExampleServer_PutTranscript() {
	ctx := context.Background()
	s, err := servertest.Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	_, err = s.PutTranscript(ctx, "", transcript.Transcript{
		Platform: transcript.VideoSite, ExternalID: "dQw4w9WgXcQ", Lang: "en",
		Segments: []transcript.Segment{{Text: "As people have written it.", Start: 0, Duration: 2.5}},
	})
	if err != nil {
		log.Fatal(err)
	}
	acme, err := s.Accounts.Principal(ctx, servertest.Account)
	if err != nil {
		log.Fatal(err)
	}
	result, _, err := s.Submit(ctx, acme, transcript.Request{Source: transcript.URL("dQw4w9WgXcQ")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Transcript.Source, result.Transcript.Segments[0].Text)
	// Output:
	// manual As people have written it.
}
