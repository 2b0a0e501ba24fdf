package order

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/transcript"
	"github.com/transcriptkit/transcriptkit/transcript/video"
)

// discoverAsked is a search of the video site, as in the URL.
type discoverAsked struct {
	video.Search
	From string // the token of a page; empty: the first
}

// URL returns the URL of the search. It leaves out default values.
func (a discoverAsked) URL() string {
	return web.WithQuery("/discover", "q", a.Q, "type", string(a.Type), "order", string(a.Order), "channel", a.ChannelID, "from", a.From)
}

// First returns the first page of the same search.
func (a discoverAsked) First() discoverAsked { a.From = ""; return a }

// discoverPage shows search results and the forms to transcribe them.
type discoverPage struct {
	Asked   discoverAsked
	Trouble *web.Trouble // why there are no results; nil: there are
	Retry   string       // the page to try again
	Videos  videoList
	Others  []otherFound // channels or playlists instead of videos
	Next    string       // the next page; empty: none
}

// Types and Orders are the types and orders to choose from.
func (discoverPage) Types() []video.Type   { return video.Types() }
func (discoverPage) Orders() []video.Order { return video.Orders() }

// otherFound is a found channel or playlist.
type otherFound struct {
	URL, Title, By string
	Count          *int64 // of its videos
	Followers      *int64
}

// discovery is the search of the video site, and the lists that it finds.
type discovery struct{ orders }

// search searches the video site. If that fails, it still shows its form.
func (p discovery) search(r *web.Request) error {
	q := r.URL.Query()
	shown := discoverPage{Asked: discoverAsked{From: q.Get("from"), Search: video.Search{
		Q: strings.TrimSpace(q.Get("q")), Type: video.Type(q.Get("type")), Order: video.Order(q.Get("order")), ChannelID: q.Get("channel"),
	}}}
	if to := p.namedBy(shown.Asked.Q); to != "" {
		return r.Redirect(to)
	}
	if shown.Asked.Q != "" {
		found, err := p.API.Videos.Search(r.Context(), shown.Asked.Search, client.PageParams{Token: shown.Asked.From})
		if err != nil {
			return notDiscovered(r, shown, err)
		}
		shown.take(found)
	}
	return r.Show(http.StatusOK, "discover", shown)
}

// notDiscovered shows the reason why there are no results, below the form.
func notDiscovered(r *web.Request, shown discoverPage, err error) error {
	why := r.Trouble(err)
	if why.Code == transcript.Unavailable {
		why.Cure = r.Text("discover.gone")
	}
	shown.Trouble, shown.Retry = why, r.URL.RequestURI()
	return r.Show(why.Status, "discover", shown)
}

// namedBy returns the page for a link or a name of the video site; empty for other words.
func (p discovery) namedBy(text string) string {
	if strings.ContainsAny(text, " \t\n") {
		return ""
	}
	isLink := strings.ContainsAny(text, "/.@")
	if _, err := p.Sites.Detect(text); err == nil && isLink {
		return web.WithQuery("/", "links", text)
	}
	if list, err := p.Sites.Playlist(text); err == nil {
		return "/discover/playlists/" + url.PathEscape(list.ExternalID)
	}
	if channel, err := p.Sites.Channel(text); err == nil && !strings.Contains(channel.ExternalID, "/") {
		return "/discover/channels/" + url.PathEscape(channel.ExternalID)
	}
	return ""
}

func (s *discoverPage) take(found *client.Page[video.Result]) {
	for _, result := range found.Items {
		switch {
		case result.Video != nil:
			s.Videos.Rows = append(s.Videos.Rows, videoRow{Summary: *result.Video, Available: true})
		case result.Channel != nil:
			c := result.Channel
			s.Others = append(s.Others, otherFound{
				URL: "/discover/channels/" + url.PathEscape(c.ChannelID), Title: web.FirstOf(c.Title, c.Handle, &c.ChannelID), By: web.FirstOf(c.Handle),
				Count: c.VideoCount, Followers: c.SubscriberCount,
			})
		case result.Playlist != nil:
			l := result.Playlist
			s.Others = append(s.Others, otherFound{
				URL: "/discover/playlists/" + url.PathEscape(l.PlaylistID), Title: web.FirstOf(l.Title, &l.PlaylistID), By: web.FirstOf(l.Channel), Count: l.ItemCount,
			})
		}
	}
	if found.Next != "" {
		next := s.Asked
		next.From = found.Next
		s.Next = next.URL()
	}
}

// listPage shows a channel's uploads, or the entries of a playlist.
type listPage struct {
	Of      string // "channel" or "playlist"
	ID      string
	Title   string
	Kind    video.Kind // of a channel
	Within  string     // the channel's id, to search in it; empty if not known
	Videos  videoList
	Next    string
	Further bool // whether this is a later page
}

// Kinds returns the kinds of a channel's uploads.
func (listPage) Kinds() []video.Kind { return video.Kinds() }

// URL returns the address of the first page of the list.
func (s listPage) URL() string { return "/discover/" + s.Of + "s/" + url.PathEscape(s.ID) }

// KindURL returns the address of uploads of a kind.
func (s listPage) KindURL(k video.Kind) string {
	if k == video.All {
		k = ""
	}
	return web.WithQuery(s.URL(), "kind", string(k))
}

// channel lists a channel's uploads.
func (p discovery) channel(r *web.Request) error {
	shown := listPage{Of: "channel", ID: r.PathValue("id"), Kind: video.Kind(r.FormValue("kind")), Further: r.FormValue("from") != ""}
	found, err := p.API.Videos.Uploads(r.Context(), shown.ID, shown.Kind, client.PageParams{Token: r.FormValue("from")})
	if err != nil {
		return notDiscovered(r, discoverPage{}, err)
	}
	for _, v := range found.Items {
		shown.Title, shown.Within = cmp.Or(shown.Title, web.FirstOf(v.Channel)), cmp.Or(shown.Within, web.FirstOf(v.ChannelID))
		shown.Videos.Rows = append(shown.Videos.Rows, videoRow{Summary: v, Available: true})
	}
	return showList(r, shown, found.Next)
}

// playlist lists the entries of a playlist.
func (p discovery) playlist(r *web.Request) error {
	shown := listPage{Of: "playlist", ID: r.PathValue("id"), Further: r.FormValue("from") != ""}
	found, err := p.API.Videos.Items(r.Context(), shown.ID, client.PageParams{Token: r.FormValue("from")})
	if err != nil {
		return notDiscovered(r, discoverPage{}, err)
	}
	for _, item := range found.Items {
		shown.Videos.Rows = append(shown.Videos.Rows, videoRow{Summary: item.Video, Available: item.Available, Position: int64(item.Position) + 1})
	}
	return showList(r, shown, found.Next)
}

func showList(r *web.Request, shown listPage, next string) error {
	if shown.Title == "" {
		shown.Title = shown.ID
	}
	if next != "" {
		shown.Next = web.WithQuery(shown.URL(), "kind", string(shown.Kind), "from", next)
	}
	return r.Show(http.StatusOK, "discover-list", shown)
}

// videoList is a list of videos to transcribe.
type videoList struct {
	Rows []videoRow
}

// videoRow is a found video.
type videoRow struct {
	video.Summary
	Available bool
	Position  int64 // in a playlist, from 1; 0 elsewhere
}

// Name returns the title, or else the id.
func (v videoRow) Name() string { return web.FirstOf(v.Title, &v.VideoID) }

// Length returns the length in seconds; 0 if not known, for example of a live video.
func (v videoRow) Length() float64 {
	if v.DurationSec == nil {
		return 0
	}
	return float64(*v.DurationSec)
}

// ChannelURL returns the page of the video's channel; empty if not known.
func (v videoRow) ChannelURL() string {
	if v.ChannelID == nil {
		return ""
	}
	return "/discover/channels/" + url.PathEscape(*v.ChannelID)
}

// Live and Short report true only if that is known.
func (v videoRow) Live() bool  { return v.IsLive != nil && *v.IsLive }
func (v videoRow) Short() bool { return v.IsShort != nil && *v.IsShort }

// Captions returns "yes", "no", or "" if not known.
func (v videoRow) Captions() string {
	switch {
	case v.CaptionAvailable == nil:
		return ""
	case *v.CaptionAvailable:
		return "yes"
	}
	return "no"
}

// take orders the transcripts of results: of one video, of the checked videos, or of a
// whole channel or playlist.
func (p discovery) take(r *web.Request) error {
	if err := r.ParseForm(); err != nil {
		return r.Refuse(transcript.InvalidRequest, "start.unreadable")
	}
	language, err := readLinkForm(r.PostForm).languages()
	if err != nil {
		return r.Refuse(transcript.InvalidRequest, "start.badLanguage", "why", err)
	}
	asked := client.BatchParams{
		URLs: slices.DeleteFunc(r.PostForm["video"], func(id string) bool { return id == "" }), Channel: r.PostForm.Get("channel"), Playlist: r.PostForm.Get("playlist"), Language: language,
	}
	if only := r.PostForm.Get("only"); only != "" {
		asked.URLs = []string{only}
	}
	var to string
	switch {
	case asked.Channel != "" || asked.Playlist != "":
		asked.URLs = nil
		if asked.MaxItems, err = strconv.Atoi(r.PostForm.Get("most")); err != nil {
			return r.Refuse(transcript.InvalidRequest, "discover.badMost")
		}
		to, err = p.sendBatch(r, asked)
	case len(asked.URLs) == 0:
		return r.Refuse(transcript.InvalidRequest, "discover.none")
	case len(asked.URLs) == 1:
		to, err = p.sendSource(r, transcript.URL(asked.URLs[0]), asked.URLs[0], language)
	default:
		to, err = p.sendBatch(r, asked)
	}
	return r.Done(err, to)
}
