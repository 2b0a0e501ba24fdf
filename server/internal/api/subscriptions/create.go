package subscriptions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/transcriptkit/transcriptkit/internal/feed"
	"github.com/transcriptkit/transcriptkit/library/follow"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/internal/api/resource"
	"github.com/transcriptkit/transcriptkit/server/internal/db"
	"github.com/transcriptkit/transcriptkit/server/internal/edge"
	"github.com/transcriptkit/transcriptkit/server/internal/follower"
	"github.com/transcriptkit/transcriptkit/server/internal/request"
	"github.com/transcriptkit/transcriptkit/transcript"
)

const createFollow = "createFollow"

func (f *Subscriptions) createFollowRoute() edge.Route {
	return edge.Route{
		Method: http.MethodPost, Pattern: "/v1/follows",
		Operation: createFollow, Tag: "follows",
		Summary: "Follow a channel, a playlist or a feed, or all rows of a list of subscriptions.",
		Scope:   account.Batches, Handle: f.createFollow,
		Query: new(followRequest).listQuery(),
		Body:  new(followRequest).table(),
		CSV:   "A row for each channel, playlist or feed: the first cell with an address, and the title in the next cell. A first row without an address is the header.",
		OPML:  "A list of subscriptions: the attribute xmlUrl of each outline counts, in all folders.",
		Answers: []edge.Answer{
			{Status: http.StatusCreated, Body: OneFollow{}, Headers: []edge.Header{edge.HeaderLocation, edge.HeaderReplayed}},
			{Status: http.StatusOK, Body: FollowAnswer{}, Headers: []edge.Header{edge.HeaderReplayed}},
		},
		Codes: []transcript.Code{
			transcript.InvalidRequest, transcript.InvalidVideo, transcript.UnsupportedPlatform,
			transcript.NotFound, transcript.Unavailable, transcript.UpstreamFailed, transcript.IdempotencyConflict, transcript.IdempotencyInProgress,
		},
	}
}

// FollowAnswer is the answer to a list of subscriptions, or about a follow that already
// existed.
type FollowAnswer struct {
	Follow  *follow.Follow `json:"follow,omitempty"`  // the follow that already existed
	Results []follow.Row   `json:"results,omitempty"` // the result of each row of a list, in order
}

// followRequest has the fields of a request for follows.
type followRequest struct {
	channel, playlist, feed string
	languages               transcript.LanguageList // nil means that the request has none
	maxItems                int
	list                    []feed.Subscription
}

// table is the table of the JSON body.
func (req *followRequest) table() request.Table {
	return request.Table{
		Name: "CreateFollowRequest",
		Fields: append([]*request.Field{
			request.New("channel", &req.channel, request.Text(1, resource.MaxURL)).About("The id of a channel of the video site, its @handle, or a link to it."),
			request.New("playlist", &req.playlist, request.Text(1, resource.MaxURL)).About("The id of a playlist of the video site, or a link to it."),
			request.New("feed", &req.feed, request.Text(1, resource.MaxURL)).About("The address of a feed: RSS, Atom or JSON Feed."),
		}, req.options()...),
		OneOf: [][]string{{"channel"}, {"playlist"}, {"feed"}},
	}
}

// options are the fields that every request for follows may have.
func (req *followRequest) options() []*request.Field {
	return []*request.Field{
		resource.LanguageField(&req.languages).ShowDefault(resource.DefaultLanguage),
		request.New("maxItems", &req.maxItems, request.Integer(0, follower.MaxFirst).Default(0)).
			About("How many of the existing items become transcripts, newest first."),
	}
}

// listQuery is the query of a request with a list of subscriptions.
func (req *followRequest) listQuery() request.Table {
	return request.Table{Fields: request.WithoutDefaults(req.options())}
}

// createFollow is POST /v1/follows.
func (f *Subscriptions) createFollow(w http.ResponseWriter, r *http.Request) error {
	var req followRequest
	read := resource.JSONBody(req.table(), edge.LargestBody) // without a body, the answer names the missing fields
	switch media, present, err := edge.BodyType(r); {
	case err != nil:
		return err
	case edge.ContentType(r) == "text/csv":
		if present && !resource.DeclaresUTF8(r) {
			return edge.Unsupported("Send the CSV in UTF-8, as text/csv or text/csv; charset=utf-8.")
		}
		read = req.reader(func(body []byte) ([]feed.Subscription, error) { return feed.ReadCSV(bytes.NewReader(body)) })
	case edge.ContentType(r) == "text/x-opml":
		read = req.reader(func(body []byte) ([]feed.Subscription, error) { return feed.ReadOPML(bytes.NewReader(body)) })
	case present && media != "application/json":
		return edge.Unsupported("Send the body as application/json, text/csv or text/x-opml, and say so in Content-Type.")
	}
	p := edge.Principal(r)
	var wanted follower.Request
	return f.Edge.Once(w, r, edge.Post{
		Read: func() (_ map[string]any, err error) {
			canonical, err := read(w, r)
			if err == nil {
				wanted, err = f.wanted(r.Context(), p.Account, &req)
			}
			return canonical, err
		},
		Do: func(key *db.HeldKey) (edge.Reply, error) {
			wanted.Account, wanted.Plan, wanted.Key = p.Account, p.Plan, key
			wanted.Admit = f.Admit.Of(p, resource.Operation{ID: createFollow, Items: len(req.list), Platform: wanted.Wants[0].List.Platform, ExternalID: wanted.Wants[0].List.ExternalID})
			results, err := f.Pipeline.Follows.Create(context.WithoutCancel(r.Context()), wanted)
			return f.reply(&wanted, len(req.list) > 0, results, err)
		},
		Again: func(a db.Answer) (edge.Reply, error) {
			results, err := f.Pipeline.Follows.Again(r.Context(), p.Account, a)
			return f.reply(&wanted, len(req.list) > 0, results, err)
		},
	})
}

// reader reads a list of subscriptions, and the other fields of the request from the query.
func (req *followRequest) reader(read func([]byte) ([]feed.Subscription, error)) func(http.ResponseWriter, *http.Request) (map[string]any, error) {
	return func(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
		query := req.listQuery()
		if err := query.ReadQuery(r.URL.RawQuery); err != nil {
			return nil, err
		}
		body, err := edge.ReadBody(w, r, edge.LargestBody)
		if err != nil {
			return nil, err
		}
		if req.list, err = read(body); err != nil {
			return nil, unreadableList(err)
		}
		if n := len(req.list); n == 0 || n > follower.MaxRows {
			return nil, request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
				Path: "body", Reason: transcript.IssueLength, Message: fmt.Sprintf("must hold 1 to %d subscriptions, not %d: send a longer list in parts", follower.MaxRows, n),
			})
		}
		canonical := query.Canonical()
		addresses := make([]string, len(req.list))
		for i, s := range req.list {
			addresses[i] = s.URL
		}
		canonical["list"] = addresses
		return canonical, nil
	}
}

// unreadableList is the refusal of a list that cannot be read.
func unreadableList(err error) error {
	if errors.Is(err, feed.ErrNotFeed) || errors.Is(err, feed.ErrTooLarge) || errors.Is(err, feed.ErrDocType) {
		return request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "body", Message: "cannot be read as a list of subscriptions: " + err.Error(),
		})
	}
	return err
}

// wanted returns the addresses that a request wants to follow, after a look into the
// platform table. The error is about a single address; a row of a list has its own error.
func (f *Subscriptions) wanted(ctx context.Context, account string, req *followRequest) (follower.Request, error) {
	wanted := follower.Request{Languages: req.languages, MaxItems: req.maxItems}
	if len(req.list) > 0 {
		wanted.Wants = f.wantsOf(ctx, account, req.list)
		return wanted, nil
	}
	var w follower.Want
	var err error
	switch {
	case req.channel != "":
		w.Kind = follow.Channel
		w.List, err = f.Sites.Channel(req.channel)
	case req.playlist != "":
		w.Kind = follow.Playlist
		w.List, err = f.Sites.Playlist(req.playlist)
	default:
		if w = f.wantOf(ctx, account, req.feed, true); w.Err != nil {
			err = w.Err
		}
	}
	wanted.Wants = []follower.Want{w}
	return wanted, err
}

// judgedAtOnce is how many addresses of a list are checked at the same time, because each may need
// a DNS lookup.
const judgedAtOnce = 16

// wantsOf returns what the addresses of a list name.
func (f *Subscriptions) wantsOf(ctx context.Context, account string, list []feed.Subscription) []follower.Want {
	wants := make([]follower.Want, len(list))
	var all errgroup.Group
	all.SetLimit(judgedAtOnce)
	for i, s := range list {
		all.Go(func() error {
			wants[i] = f.wantOf(ctx, account, s.URL, false)
			wants[i].Row, wants[i].Given, wants[i].Title = s.Row, s.URL, s.Title
			return nil
		})
	}
	_ = all.Wait() // there is no error
	return wants
}

// wantOf returns what an address names: a channel, a playlist, or a feed. If a request
// has only one feed, the service may fetch it to see its content.
func (f *Subscriptions) wantOf(ctx context.Context, account, address string, alone bool) follower.Want {
	if match, err := f.Sites.Channel(address); err == nil {
		return follower.Want{Kind: follow.Channel, List: match}
	}
	if match, err := f.Sites.Playlist(address); err == nil {
		return follower.Want{Kind: follow.Playlist, List: match}
	}
	if match, playlist, ok := f.Sites.FeedOf(address); ok && playlist {
		return follower.Want{Kind: follow.Playlist, List: match}
	} else if ok {
		return follower.Want{Kind: follow.Channel, List: match}
	}
	w := follower.Want{Kind: follow.Feed}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || utf8.RuneCountInString(address) > resource.MaxURL {
		w.Err = transcript.Errorf(transcript.InvalidRequest, "A feed has an http or https address of at most %d characters, without a user name.", resource.MaxURL)
		return w
	}
	u.Fragment = ""
	w.URL = u.String()
	if f.Judge(ctx, "follow", w.URL) != nil {
		w.Err = request.Invalid(http.StatusUnprocessableEntity, transcript.Issue{
			Path: "feed", Message: "is an address that this service does not visit: name a public address on port 80 or 443, or let the operator permit this one",
		})
		return w
	}
	w.Err = f.Pipeline.Follows.MayFollow(ctx, account, w.URL, alone)
	return w
}

// reply is the answer to a request for follows.
func (f *Subscriptions) reply(wanted *follower.Request, list bool, results []follower.Result, err error) (edge.Reply, error) {
	if err != nil {
		return edge.Reply{}, err
	}
	if list {
		rows := make([]follow.Row, len(results))
		for i, r := range results {
			rows[i] = follow.Row{Row: i + 1, Created: r.Created, Follow: r.Follow}
			if i < len(wanted.Wants) {
				rows[i].Row, rows[i].URL = wanted.Wants[i].Row, wanted.Wants[i].Given
			}
			if r.Err != nil {
				rows[i].Error, rows[i].ErrorMessage = &r.Err.Code, r.Err.Message
			}
		}
		return edge.ReplyJSON(http.StatusOK, nil, FollowAnswer{Results: rows})
	}
	one := results[0]
	switch {
	case one.Err != nil:
		return edge.Reply{}, one.Err
	case !one.Created:
		return edge.ReplyJSON(http.StatusOK, nil, FollowAnswer{Follow: one.Follow})
	}
	return edge.ReplyJSON(http.StatusCreated, map[string]string{"Location": f.BasePath + "/v1/follows/" + one.Follow.ID}, OneFollow{*one.Follow})
}
