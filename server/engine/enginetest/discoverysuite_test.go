package enginetest_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest"
	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// asked is a question to the plain site, which answers in the words of the API itself.
type asked struct {
	Path, ID string
	IDs      []string
	Search   video.Search
	Kind     video.Kind
	At       engine.Window
}

// said is its answer. Kind tells one from what is none.
type said struct {
	Kind   string
	Refuse transcript.Code
	Body   json.RawMessage
}

// plainSite shows a catalog.
func plainSite(c *sitecatalog.Catalog) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q asked
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer, refuse := plainAnswer(c, q)
		body, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(said{"said", refuse, body}) // a client that is gone needs no answer
	})
}

func plainAnswer(c *sitecatalog.Catalog, q asked) (any, transcript.Code) {
	switch q.Path {
	case "search":
		return window(c.Search(q.Search), q.At)
	case "videos":
		found := []video.Video{}
		for _, id := range q.IDs {
			if v, ok := c.Video(id); ok {
				v.TrackMetadataStatus, v.MetadataStatus = transcript.TracksOK, transcript.MetadataComplete
				if v.Tracks == nil {
					v.TrackMetadataStatus = transcript.TracksEmpty
				}
				if v.DurationSec == nil {
					v.MetadataStatus = transcript.MetadataPartial
				}
				found = append(found, v.Video)
			}
		}
		return found, ""
	case "channel":
		ch, ok := c.Channel(q.ID)
		return ch.Channel, gone(!ok)
	case "uploads":
		ch, ok := c.Channel(q.ID)
		var all []video.Summary
		for _, id := range c.Uploads(ch.ChannelID, q.Kind) {
			v, _ := c.Video(id)
			all = append(all, v.Summary)
		}
		page, refuse := window(all, q.At)
		page.ID = ch.ChannelID
		return page, cmp.Or(gone(!ok), refuse)
	}
	p, ok := c.Playlist(q.ID)
	var all []video.Item
	for n, id := range p.Entries {
		v, there := c.Video(id)
		v.VideoID = id
		all = append(all, video.Item{Position: n, Available: there, Video: v.Summary})
	}
	page, refuse := window(all, q.At)
	page.ID = p.PlaylistID
	return page, cmp.Or(gone(!ok || p.Private), refuse)
}

func gone(is bool) transcript.Code {
	if is {
		return transcript.Unavailable
	}
	return ""
}

// window is the part of a list that begins where At.After, a number, says.
func window[I any](all []I, at engine.Window) (page engine.Listing[I], refuse transcript.Code) {
	from := 0
	if at.After != "" {
		var err error
		if from, err = strconv.Atoi(at.After); err != nil || from < 0 {
			return page, transcript.InvalidRequest
		}
	}
	from = min(from, len(all))
	end := min(from+at.Max, len(all))
	page.Items = all[from:end]
	if end < len(all) {
		page.Next = strconv.Itoa(end)
	}
	return page, ""
}

// plain is a way of discovery that keeps every promise.
type plain struct {
	host engine.Host
	base string
}

// put asks the site; a zero answer comes with each error.
func put[A any](ctx context.Context, p plain, q asked) (answer A, err error) {
	if ctx.Err() != nil {
		return answer, context.Cause(ctx)
	}
	body, err := json.Marshal(q)
	if err != nil {
		return answer, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base, bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	resp, err := p.host.HTTP.Do(req)
	switch {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case err != nil:
		return answer, coded(transcript.UpstreamFailed)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusForbidden {
		return answer, coded(transcript.IPBlocked)
	}
	var s said
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	switch {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case err != nil || len(text) == 1<<20 || resp.StatusCode != http.StatusOK || s.Kind != "said":
		return answer, coded(transcript.UpstreamFailed)
	case s.Refuse == transcript.InvalidRequest:
		return answer, engine.NoSuchPage()
	case s.Refuse != "":
		return answer, coded(s.Refuse)
	}
	err = json.Unmarshal(s.Body, &answer)
	return answer, err
}

func (p plain) Search(ctx context.Context, q video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	return put[engine.Listing[video.Result]](ctx, p, asked{Path: "search", Search: q, At: at})
}

func (p plain) Videos(ctx context.Context, contents []engine.Content) ([]video.Video, error) {
	q := asked{Path: "videos"}
	for _, c := range contents {
		q.IDs = append(q.IDs, c.ExternalID)
	}
	return put[[]video.Video](ctx, p, q)
}

func (p plain) Channel(ctx context.Context, channel engine.List) (video.Channel, error) {
	return put[video.Channel](ctx, p, asked{Path: "channel", ID: channel.ID})
}

func (p plain) Uploads(ctx context.Context, channel engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	return put[engine.Listing[video.Summary]](ctx, p, asked{Path: "uploads", ID: channel.ID, Kind: kind, At: at})
}

func (p plain) Items(ctx context.Context, playlist engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	return put[engine.Listing[video.Item]](ctx, p, asked{Path: "items", ID: playlist.ID, At: at})
}

// spoiled is a way of discovery that breaks some of its promises: a nil member keeps its.
type spoiled struct {
	plain
	search  func(q video.Search, at *engine.Window, page *engine.Listing[video.Result], err error) error
	videos  func(found *[]video.Video, err error) error
	channel func(found *video.Channel, err error) error
	uploads func(kind video.Kind, at *engine.Window, page *engine.Listing[video.Summary], err error) error
	items   func(at *engine.Window, page *engine.Listing[video.Item], err error) error
	before  func(ctx context.Context) context.Context
}

func (s spoiled) in(ctx context.Context) context.Context {
	if s.before != nil {
		return s.before(ctx)
	}
	return ctx
}

func (s spoiled) Search(ctx context.Context, q video.Search, at engine.Window) (engine.Listing[video.Result], error) {
	page, err := s.plain.Search(s.in(ctx), q, at)
	if s.search != nil {
		err = s.search(q, &at, &page, err)
	}
	return page, err
}

func (s spoiled) Videos(ctx context.Context, contents []engine.Content) ([]video.Video, error) {
	found, err := s.plain.Videos(s.in(ctx), contents)
	if s.videos != nil {
		err = s.videos(&found, err)
	}
	return found, err
}

func (s spoiled) Channel(ctx context.Context, channel engine.List) (video.Channel, error) {
	found, err := s.plain.Channel(s.in(ctx), channel)
	if s.channel != nil {
		err = s.channel(&found, err)
	}
	return found, err
}

func (s spoiled) Uploads(ctx context.Context, channel engine.List, kind video.Kind, at engine.Window) (engine.Listing[video.Summary], error) {
	page, err := s.plain.Uploads(s.in(ctx), channel, kind, at)
	if s.uploads != nil {
		err = s.uploads(kind, &at, &page, err)
	}
	return page, err
}

func (s spoiled) Items(ctx context.Context, playlist engine.List, at engine.Window) (engine.Listing[video.Item], error) {
	page, err := s.plain.Items(s.in(ctx), playlist, at)
	if s.items != nil {
		err = s.items(&at, &page, err)
	}
	return page, err
}

func TestPlainDiscoveryPasses(t *testing.T) {
	t.Parallel()
	enginetest.Discovery(t, enginetest.DiscoveryBackend{
		Serve: plainSite, New: func(host engine.Host, base string) engine.Discovery { return plain{host, base} },
	})
}

// A slow one meets fewer troubles at each question, and each of them somewhere.
func TestSlowDiscoveryPasses(t *testing.T) {
	t.Parallel()
	names, complaints := failingDiscovery(t, spoiled{}, enginetest.DiscoveryChecks())
	assert.Empty(t, names, "%v", complaints)
}

// A way that fails when it is asked twice at a time is found out.
func TestDiscoveryOneAtATimeFails(t *testing.T) {
	t.Parallel()
	checks := slices.DeleteFunc(enginetest.DiscoveryChecks(), func(c enginetest.DiscoveryCheck) bool { return c.Name != "serves many at once" })
	busy, second := make(chan struct{}, 1), make(chan struct{})
	came := sync.OnceFunc(func() { close(second) })
	names, _ := failingDiscovery(t, spoiled{before: func(ctx context.Context) context.Context {
		select {
		case busy <- struct{}{}:
			<-second // the first one ends after another has come
			return ctx
		default:
		}
		came()
		ended, cancel := context.WithCancel(ctx)
		cancel()
		return ended
	}}, checks)
	assert.Equal(t, []string{"serves many at once"}, names)
}

// A way that cannot put some questions says so, and passes too.
func TestDiscoveryThatCannotAskPasses(t *testing.T) {
	t.Parallel()
	names, complaints := failingDiscovery(t, spoiled{
		search: func(q video.Search, _ *engine.Window, page *engine.Listing[video.Result], err error) error {
			var parameter string
			switch {
			case q.Type != video.TypeVideo:
				parameter = "type"
			case q.Order != video.ByRelevance:
				parameter = "order"
			case q.ChannelID != "":
				parameter = "channelId"
			default:
				return err
			}
			*page = engine.Listing[video.Result]{}
			return engine.CannotAsk(parameter, "leave it out")
		},
		uploads: func(kind video.Kind, _ *engine.Window, page *engine.Listing[video.Summary], err error) error {
			if kind == video.All {
				return err
			}
			*page = engine.Listing[video.Summary]{}
			return engine.CannotAsk("type", "leave it out")
		},
		videos: func(found *[]video.Video, err error) error {
			for n, v := range *found { // nor does it learn much
				(*found)[n] = video.Video{
					Summary:             video.Summary{VideoID: v.VideoID, Title: v.Title},
					TrackMetadataStatus: transcript.TracksSkipped, MetadataStatus: transcript.MetadataPartial,
				}
			}
			return err
		},
	}, enginetest.DiscoveryChecks())
	assert.Empty(t, names, "%v", complaints)
}

// failingDiscovery runs checks and returns those that failed, and their complaints.
func failingDiscovery(t *testing.T, s spoiled, checks []enginetest.DiscoveryCheck) (names, complaints []string) {
	t.Helper()
	site := enginetest.NewDiscoverySite(t, enginetest.DiscoveryBackend{Serve: plainSite, Slow: true, New: func(host engine.Host, base string) engine.Discovery {
		s.plain = plain{host, base}
		return s
	}})
	for _, c := range checks {
		rec := &recorder{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Run(rec, site)
		}()
		<-done
		if len(rec.failures) > 0 {
			names = append(names, c.Name)
			complaints = append(complaints, rec.failures...)
		}
	}
	return names, complaints
}

func TestDishonestDiscoveryFails(t *testing.T) {
	t.Parallel()
	const trouble, finds, others, tells, channels, uploads, positions, empty, missing, pages, stop = "trouble is never an answer", "finds videos",
		"finds channels and playlists", "tells of videos", "tells of channels", "lists uploads to the end", "holds the positions of a playlist",
		"knows what is empty", "knows what is not there", "refuses a page that is none", "discovery stops when told"
	onResults := func(change func(page *engine.Listing[video.Result])) spoiled {
		return spoiled{search: func(_ video.Search, _ *engine.Window, page *engine.Listing[video.Result], err error) error {
			if err == nil && len(page.Items) > 0 {
				change(page)
			}
			return err
		}}
	}
	onItems := func(change func(page *engine.Listing[video.Item])) spoiled {
		return spoiled{items: func(_ *engine.Window, page *engine.Listing[video.Item], err error) error {
			if err == nil && len(page.Items) > 0 {
				change(page)
			}
			return err
		}}
	}
	onUploads := func(change func(page *engine.Listing[video.Summary])) spoiled {
		return spoiled{uploads: func(_ video.Kind, _ *engine.Window, page *engine.Listing[video.Summary], err error) error {
			if err == nil && len(page.Items) > 0 {
				change(page)
			}
			return err
		}}
	}
	onVideos := func(change func(found *[]video.Video)) spoiled {
		return spoiled{videos: func(found *[]video.Video, err error) error {
			if err == nil && len(*found) > 0 {
				change(found)
			}
			return err
		}}
	}
	onChannel := func(change func(found *video.Channel)) spoiled {
		return spoiled{channel: func(found *video.Channel, err error) error {
			if err == nil {
				change(found)
			}
			return err
		}}
	}
	onError := func(change func(err error) error) spoiled {
		if change == nil {
			change = func(error) error { return nil }
		}
		some := func(err error) error {
			if err == nil {
				return nil
			}
			return change(err)
		}
		return spoiled{
			search: func(_ video.Search, _ *engine.Window, _ *engine.Listing[video.Result], err error) error {
				return some(err)
			},
			videos:  func(_ *[]video.Video, err error) error { return some(err) },
			channel: func(_ *video.Channel, err error) error { return some(err) },
			uploads: func(_ video.Kind, _ *engine.Window, _ *engine.Listing[video.Summary], err error) error {
				return some(err)
			},
			items: func(_ *engine.Window, _ *engine.Listing[video.Item], err error) error { return some(err) },
		}
	}
	tests := []struct {
		name   string
		source spoiled
		want   []string
	}{
		{"takes every error for nothing", onError(nil), []string{trouble, missing, pages, stop}},
		{"takes every error for what is gone", onError(func(error) error { return coded(transcript.Unavailable) }), []string{trouble, pages, stop}},
		{"has no codes", onError(func(error) error { return errors.New("oops") }), []string{trouble, missing, pages, stop}},
		{"takes every error for a block", onError(func(error) error { return coded(transcript.IPBlocked) }), []string{trouble, missing, pages, stop}},
		{"does not say when to ask again", onError(func(err error) error {
			var e *transcript.Error
			if errors.As(err, &e) {
				e.RetryAfter = 0
			}
			return err
		}), []string{trouble}},
		{"takes a part for the whole, of videos that could not be read", spoiled{videos: func(found *[]video.Video, err error) error {
			if errors.Is(err, transcript.UpstreamFailed) {
				*found = []video.Video{}
				return nil
			}
			return err
		}}, []string{trouble}},
		{"gives what it has with an error", spoiled{channel: func(found *video.Channel, err error) error {
			found.ChannelID = sitetest.TalksChannel
			return err
		}}, []string{trouble, channels, missing, stop}},
		{"goes on", spoiled{before: context.WithoutCancel}, []string{trouble, stop}},

		{"loses a result", onResults(func(p *engine.Listing[video.Result]) { p.Items = p.Items[1:] }), []string{finds, others}},
		{"unescapes twice", onResults(func(p *engine.Listing[video.Result]) {
			for _, r := range p.Items {
				if r.Video != nil && r.Video.VideoID == sitetest.TalkID(1) {
					r.Video.Title = new(`Talk <b>fish</b> & "chips" & it's ` + "\u202Eliat\u202C 🎣 \\u003c ${x} {{.}}")
				}
			}
		}), []string{finds}},
		{"names the member of another type", onResults(func(p *engine.Listing[video.Result]) { p.Items[0].Type = video.TypePlaylist }), []string{finds, others}},
		{"makes a zero up", onVideos(func(found *[]video.Video) {
			for n := range *found {
				if (*found)[n].ViewCount == nil {
					(*found)[n].ViewCount = new(int64)
				}
			}
		}), []string{tells}},
		{"repeats a video", onVideos(func(found *[]video.Video) { *found = append(*found, (*found)[0]) }), []string{tells}},
		{"proves no tracks without a look", onVideos(func(found *[]video.Video) {
			for n := range *found {
				(*found)[n].TrackMetadataStatus = transcript.TracksEmpty
			}
		}), []string{tells}},
		{"claims all is known", onVideos(func(found *[]video.Video) {
			for n := range *found {
				(*found)[n].MetadataStatus = transcript.MetadataComplete
			}
		}), []string{tells}},
		{"counts subscribers that are hidden", onChannel(func(c *video.Channel) { c.SubscriberCount = new(int64) }), []string{channels}},
		{"has the wrong channel", onChannel(func(c *video.Channel) { c.ChannelID = sitetest.TalksChannel }), []string{channels}},
		{"links to a script", onChannel(func(c *video.Channel) { c.ThumbnailURL = new("javascript:alert(1)") }), []string{channels}},
		{"ends early", onUploads(func(p *engine.Listing[video.Summary]) { p.Next = "" }), []string{trouble, uploads}},
		{"turns the order", onUploads(func(p *engine.Listing[video.Summary]) { slices.Reverse(p.Items) }), []string{uploads}},
		{"shifts the day", onUploads(func(p *engine.Listing[video.Summary]) {
			for n := range p.Items {
				p.Items[n].PublishedAt = new(transcript.At(p.Items[n].PublishedAt.AddDate(0, 0, 1)))
			}
		}), []string{uploads}},
		{"does not name the channel", onUploads(func(p *engine.Listing[video.Summary]) { p.ID = "@talks" }), []string{uploads}},
		{"gives more than was wanted", onItems(func(p *engine.Listing[video.Item]) {
			for len(p.Items) < 51 {
				p.Items = append(p.Items, p.Items[0])
			}
		}), []string{positions}},
		{"leaves out what is gone", onItems(func(p *engine.Listing[video.Item]) {
			p.Items = slices.DeleteFunc(p.Items, func(i video.Item) bool { return !i.Available })
		}), []string{positions}},
		{"counts positions from each page", onItems(func(p *engine.Listing[video.Item]) {
			for n := range p.Items {
				p.Items[n].Position = n
			}
		}), []string{positions}},
		{"shows words in the place of a title", onItems(func(p *engine.Listing[video.Item]) {
			for n := range p.Items {
				if !p.Items[n].Available {
					p.Items[n].Video.Title = new("Deleted video")
				}
			}
		}), []string{positions}},
		{"takes each video once", onItems(func(p *engine.Listing[video.Item]) { p.Items = p.Items[:min(len(p.Items), 40)] }), []string{positions}},
		{"never ends", spoiled{items: func(at *engine.Window, p *engine.Listing[video.Item], err error) error {
			if at.After == "" && err == nil {
				p.Next = "0"
			} else if err == nil {
				p.Next = at.After
			}
			return err
		}}, []string{positions, empty}},
		{"has long tokens", onItems(func(p *engine.Listing[video.Item]) {
			if p.Next != "" {
				p.Next = string(bytes.Repeat([]byte("0"), 512)) + p.Next
			}
		}), []string{positions}},
		{"takes nothing for a fault", spoiled{items: func(_ *engine.Window, p *engine.Listing[video.Item], err error) error {
			if err == nil && len(p.Items) == 0 {
				return coded(transcript.UpstreamFailed)
			}
			return err
		}}, []string{empty}},
		{"begins anew after a page that is none", spoiled{search: func(_ video.Search, _ *engine.Window, _ *engine.Listing[video.Result], err error) error {
			if errors.Is(err, transcript.InvalidRequest) {
				return nil
			}
			return err
		}}, []string{pages}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checks := slices.DeleteFunc(enginetest.DiscoveryChecks(), func(c enginetest.DiscoveryCheck) bool { return !slices.Contains(tt.want, c.Name) })
			names, complaints := failingDiscovery(t, tt.source, checks)
			assert.Equal(t, tt.want, names, "%v", complaints)
		})
	}
}
