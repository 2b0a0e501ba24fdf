// Package web is what all pages of the website share: requests and answers, the texts in each language,
// templates and assets, and the words about a fault.
//
//	content, err := web.ReadContent(files, nil)
//	pages, err := web.New(web.Options{API: permitted, Visitors: visitors, Accounts: accounts, …}, content)
//	pages.Handle(web.MaxForm, web.Routes{"GET /usage": web.Member(usage)})
//
// The packages beside it have the pages.
package web

import (
	"context"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"

	"golang.org/x/text/language"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript/site"
)

// Site is what all pages share.
type Site struct {
	Options
	API    *client.Client    // which a page calls as the visitor in the request's context
	Direct http.RoundTripper // the same API, for answers that API does not read

	*Content
	forms   *forms
	matcher language.Matcher
	mux     *http.ServeMux // all routes
}

// Options are the dependencies of the pages.
type Options struct {
	// API is the API with the permissions of visitors. Pages call it as the visitor in the
	// request's context.
	API http.Handler
	// Visitors signs visitors in and out.
	Visitors *visitor.Visitors
	// Accounts makes and revokes keys.
	Accounts *account.Accounts
	// Export writes everything that an account has into w as a ZIP file, and Remove removes an
	// account for good. A page for both is shown to users.
	Export func(ctx context.Context, account string, w io.Writer) error
	Remove func(ctx context.Context, account string) error
	// Status says what the service does, Examine what it lacks, and Plans are the names of the
	// offered plans. Administrators see them.
	Status  func(ctx context.Context) (server.Status, error)
	Examine func(ctx context.Context) ([]engine.Finding, error)
	Plans   []string
	// Sites is the platform table for pasted links and for links to a platform's player; nil:
	// the table of the public sites.
	Sites *site.Table
	// Example is a link that the start page offers to try, and Uncaptioned a link to a
	// recording that needs recognition; empty: none.
	Example, Uncaptioned string
	// Log receives errors; nil: nothing is logged.
	Log *slog.Logger
}

// Content is what pages are made of. It does not change, so several sites can share it.
type Content struct {
	assets   *assets
	catalogs []*Catalog // in the order of languages, each with its templates
}

// ReadContent reads the folders assets, strings and templates of files. Templates can also call
// funcs. An error means a wrong file.
func ReadContent(files fs.FS, funcs template.FuncMap) (*Content, error) {
	all := &Content{}
	for _, tag := range languages {
		c, err := readCatalog(files, tag)
		if err != nil {
			return nil, err
		}
		all.catalogs = append(all.catalogs, c)
	}
	var err error
	if all.assets, err = readAssets(files, all.catalogs); err != nil {
		return nil, err
	}
	for _, c := range all.catalogs {
		if c.views, err = parseViews(files, funcs, c, all.assets); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// New returns a site that has no pages yet.
func New(o Options, content *Content) (*Site, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Sites == nil {
		o.Sites = site.Default()
	}
	s := &Site{Options: o, Content: content, Direct: direct{o.API}, forms: &forms{owners: map[string]int64{}}, matcher: language.NewMatcher(languages), mux: http.NewServeMux()}
	var err error
	if s.API, err = InProcess(o.API); err != nil {
		return nil, err
	}
	s.mux.Handle("GET /assets/", s.assets)
	s.Handle(MaxForm, Routes{"POST /language": s.chooseLanguage, "/": Nothing})
	return s, nil
}

// Handler answers a request, or returns an error, which is shown as a page.
type Handler func(*Request) error

// Routes are the handlers of pages by their patterns.
type Routes map[string]Handler

// Handle adds routes whose forms have at most mostBytes bytes.
func (s *Site) Handle(mostBytes int64, routes Routes) {
	s.HandleFor(func(visitor.Visitor) bool { return true }, mostBytes, routes)
}

// HandleFor is Handle for some visitors. All others get the answer to a page that does not exist.
func (s *Site) HandleFor(may func(visitor.Visitor) bool, mostBytes int64, routes Routes) {
	for pattern, answer := range routes {
		if strings.HasPrefix(pattern, "POST ") && !formsOfAnybody[pattern] {
			answer = ofReader(answer)
		}
		s.mux.Handle(pattern, s.answering(func(r *Request) error {
			if !may(r.Visitor()) {
				return Nothing(r)
			}
			return answer(r)
		}, mostBytes))
	}
}

// formsOfAnybody are the forms that do the same for everybody.
var formsOfAnybody = map[string]bool{"POST /language": true, "POST /sign-in": true, "POST /sign-up": true, "POST /sign-out": true}

// MaxForm bounds the form of a request, in bytes. It exceeds the size of most forms.
const MaxForm = 16 << 10

// Member wraps a page for visitors with an account. Other visitors are redirected to sign in,
// and then return.
func Member(answer Handler) Handler {
	return func(r *Request) error {
		if r.Visitor().Known() {
			return answer(r)
		}
		next := r.URL.RequestURI()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if next = r.pageOf(); next == "/" {
				next = "" // where the sign-in page leads anyway
			}
		}
		return r.Redirect(WithQuery(SignInPath, "next", next))
	}
}

// ServeHTTP answers with a page or with a file that pages load.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// answering bounds the size of a form, and shows the error or panic of a handler as a page.
func (s *Site) answering(answer Handler, mostBytes int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, hr *http.Request) {
		r := &Request{Request: hr, W: w, Catalog: s.catalogs[s.languageOf(hr)], site: s}
		if mostBytes > MaxForm {
			release, err := r.holdForm(mostBytes)
			defer release()
			if err != nil {
				r.problem(err)
				return
			}
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBytes)
		defer func() {
			if r.MultipartForm != nil { // net/http removes only the files of its own request, not those of a copy
				_ = r.MultipartForm.RemoveAll() // remaining files are removed with the temporary folder
			}
		}()
		if err := caught(answer, r); err != nil {
			r.problem(err)
		}
	})
}

// caught turns a panic into an error. A page is sent whole or not at all, so the error page can
// replace it. Deliberately aborted answers stay aborted.
func caught(answer Handler, r *Request) (err error) {
	defer func() {
		if crash := recover(); crash != nil {
			if err = crashOf(crash); errors.Is(err, errBroken) {
				panic(crash)
			}
		}
	}()
	return answer(r)
}
