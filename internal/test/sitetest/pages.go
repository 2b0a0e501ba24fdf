package sitetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/transcriptkit/transcriptkit/server/engine/enginetest/sitecatalog"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// object is a JSON object.
type object = map[string]any

// Pages is the video site with a catalog: pages with data in a script, and further data in JSON.
// A video is at /watch?v=ID, the player's answers at /youtubei/v1/player, and tracks at
// /api/timedtext, as WebVTT, json3 and srv1 (the default). Playlists are at /playlist?list=ID.
type Pages struct {
	*sitecatalog.Catalog
	// PlayerApart leaves the player's answer out of the page of a video. A program then has to
	// ask the player.
	PlayerApart bool
	// Says, if not nil, changes the player's answer about the video with an id.
	Says func(id string, said map[string]any)
	// Media is the file of every video; empty means the site delivers none.
	Media string
	// Puzzling sets a puzzle in the link of every video. Only a program that runs the player's
	// script gets the media.
	Puzzling bool
	// Alerts are the site's messages that replace a playlist, by the id of the playlist.
	Alerts map[string]string
}

// Handler returns the handler of the site.
func (s Pages) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { sendPage(w, object{"contents": object{}}, nil) })
	mux.HandleFunc("GET /watch", s.watch)
	mux.HandleFunc("GET /playlist", func(w http.ResponseWriter, r *http.Request) {
		sendPage(w, s.playlist(r.URL.Query().Get("list"), 0, false), nil)
	})
	mux.HandleFunc("GET /channel/{name}/{tab}", s.channel)
	mux.HandleFunc("GET /{name}/{tab}", s.channel)
	mux.HandleFunc("GET /embed/{id}", embedded)
	mux.HandleFunc("GET "+playerPath, sendPlayer)
	mux.HandleFunc("GET /media", s.media)
	mux.HandleFunc("GET /api/timedtext", s.timedText)
	mux.HandleFunc("POST /youtubei/v1/search", s.search)
	mux.HandleFunc("POST /youtubei/v1/browse", s.browse)
	mux.HandleFunc("POST /youtubei/v1/navigation/resolve_url", s.resolve)
	mux.HandleFunc("POST /youtubei/v1/player", s.player)
	mux.HandleFunc("POST /youtubei/v1/next", s.next)
	return mux
}

const siteConfig = `<script>ytcfg.set({"INNERTUBE_API_KEY":"fake-Key_1","PLAYER_JS_URL":"` + playerPath + `","STS":20513,"VISITOR_DATA":"CgtmYWtlVmlzaXRvcg%3D%3D","INNERTUBE_CONTEXT_CLIENT_NAME":1,"INNERTUBE_CLIENT_VERSION":"2.20260301.00.00",` +
	`"INNERTUBE_CONTEXT":{"client":{"clientName":"WEB","clientVersion":"2.20260301.00.00","hl":"en","visitorData":"CgtmYWtlVmlzaXRvcg%3D%3D"}}});</script>`

// sendPage sends a page with its data and, if played is not nil, the player's answer.
func sendPage(w http.ResponseWriter, data, played object) {
	text := `<!doctype html><html><head><title>The site</title></head><body>` + siteConfig
	if played != nil {
		text += `<script>var ytInitialPlayerResponse = ` + JSON(played) + `;</script>`
	}
	send(w, "text/html; charset=utf-8", text+`<script>var ytInitialData = `+JSON(data)+`;</script></body></html>`)
}

func reply(w http.ResponseWriter, data object) {
	send(w, "application/json; charset=utf-8", JSON(data))
}

// JSON returns a value of strings, numbers, lists and objects as JSON.
func JSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is another value
	}
	return string(data)
}

func simple(s string) object { return object{"simpleText": s} }

// appWords writes a text as the site does for players other than the page's.
func appWords(s string) object { return runs(s) }

func runs(parts ...string) object {
	all := []object{}
	for _, p := range parts {
		all = append(all, object{"text": p})
	}
	return object{"runs": all}
}

// siteQuestion is a question of a program, in JSON.
type siteQuestion struct {
	URL, Query, Params, Continuation, BrowseID, VideoID string
	Context                                             struct{ Client struct{ ClientName string } }
}

// ask reads a question. If the body is not a question, ask refuses it and reports false.
func ask(w http.ResponseWriter, r *http.Request) (q siteQuestion, ok bool) {
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return q, false
	}
	return q, true
}

func (s Pages) watch(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("v")
	played := s.played(id, simple)
	if s.PlayerApart {
		played = nil
	}
	sendPage(w, s.around(id), played)
}

func (s Pages) player(w http.ResponseWriter, r *http.Request) {
	if q, ok := ask(w, r); ok {
		words := appWords
		if q.Context.Client.ClientName == "WEB" {
			words = simple
		}
		reply(w, s.played(q.VideoID, words))
	}
}

func (s Pages) next(w http.ResponseWriter, r *http.Request) {
	if q, ok := ask(w, r); ok {
		reply(w, s.around(q.VideoID))
	}
}

// around returns the data around the player of a video.
func (s Pages) around(id string) object {
	info := object{}
	if v, ok := s.Video(id); ok {
		info["title"] = runs(*v.Title)
		if v.LikeCount != nil {
			label := object{"accessibilityData": object{"label": fmt.Sprintf("%d likes", *v.LikeCount)}}
			info["videoActions"] = object{"menuRenderer": object{"topLevelButtons": []object{{"segmentedLikeDislikeButtonRenderer": object{
				"likeButton": object{"toggleButtonRenderer": object{"defaultText": object{"accessibility": label}}},
			}}}}}
		}
	}
	return object{"contents": object{"twoColumnWatchNextResults": object{"results": object{"results": object{"contents": []object{
		{"videoPrimaryInfoRenderer": info},
	}}}}}}
}

// played returns the player's answer about a video. words writes the names of languages.
func (s Pages) played(id string, words func(string) object) (said object) {
	if s.Says != nil {
		defer func() { s.Says(id, said) }()
	}
	v, ok := s.Video(id)
	if !ok {
		status, reason := "ERROR", "Video unavailable"
		if id == sitecatalog.PrivateVideo {
			status, reason = "LOGIN_REQUIRED", "Private video"
		}
		return object{"playabilityStatus": object{"status": status, "reason": reason, "errorScreen": object{
			"playerErrorMessageRenderer": object{"reason": simple(reason), "subreason": simple("This video has been removed by the uploader")},
		}}}
	}
	details := object{
		"videoId": id, "title": *v.Title, "author": *v.Channel, "channelId": *v.ChannelID, "shortDescription": *v.Description,
		"thumbnail": s.thumbnail(), "isLiveContent": v.Broadcast, "isLive": *v.IsLive, "lengthSeconds": "0",
	}
	if len(v.Tags) > 0 {
		details["keywords"] = v.Tags
	}
	if v.ViewCount != nil {
		details["viewCount"] = strconv.FormatInt(*v.ViewCount, 10)
	}
	if v.DurationSec != nil {
		details["lengthSeconds"] = strconv.Itoa(*v.DurationSec)
	}
	media := s.Base + "/media"
	if s.Puzzling {
		media += "?n=" + Puzzle
	}
	said = object{
		"playabilityStatus": object{"status": "OK"}, "videoDetails": details,
		"microformat": object{"playerMicroformatRenderer": object{
			"uploadDate": v.PublishedAt.Format("2006-01-02T15:04:05-07:00"), "publishDate": v.PublishedAt.Format("2006-01-02T15:04:05-07:00"), "isShortsEligible": *v.IsShort,
		}},
		"streamingData": object{"formats": []object{{
			"itag": 18, "url": media, "mimeType": `video/mp4; codecs="avc1.42001E, mp4a.40.2"`,
			"width": 640, "height": 360, "quality": "medium", "qualityLabel": "360p", "bitrate": 500000, "audioQuality": "AUDIO_QUALITY_LOW",
		}}},
	}
	if len(v.Tracks) > 0 {
		said["captions"] = s.captions(v, words)
	}
	return said
}

// captions returns the list of a video's tracks.
func (s Pages) captions(v sitecatalog.Video, words func(string) object) object {
	tracks := []object{}
	for _, t := range v.Tracks {
		kind, prefix := "", "."
		if t.Kind == transcript.TrackAuto {
			kind, prefix = "asr", "a."
		}
		shown := object{
			"baseUrl": s.Base + "/api/timedtext?v=" + v.VideoID + "&lang=" + t.Lang + "&kind=" + kind + "&fmt=srv3",
			"name":    words(t.Name), "vssId": prefix + t.Lang, "languageCode": t.Lang, "isTranslatable": true,
		}
		if kind != "" {
			shown["kind"] = kind
		}
		tracks = append(tracks, shown)
	}
	return object{"playerCaptionsTracklistRenderer": object{
		"captionTracks": tracks,
		"translationLanguages": []object{
			{"languageCode": "en", "languageName": words("English")}, {"languageCode": "fr", "languageName": words("French")},
		},
	}}
}

// timedText sends the text of a track.
func (s Pages) timedText(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	v, _ := s.Video(q.Get("v")) // an unknown video has no tracks
	if !slices.ContainsFunc(v.Tracks, func(t transcript.Track) bool { return t.Lang == q.Get("lang") }) {
		http.NotFound(w, r)
		return
	}
	sendTrack(w, r, cmp.Or(q.Get("tlang"), q.Get("lang")), q.Get("fmt"))
}

// rounded writes a number as lists of the site show it.
func rounded(n int64) string {
	switch {
	case n >= 1_000_000:
		return strconv.FormatFloat(float64(n)/1_000_000, 'g', 3, 64) + "M"
	case n >= 1000:
		return strconv.FormatFloat(float64(n)/1000, 'g', 4, 64) + "K"
	}
	return strconv.FormatInt(n, 10)
}

func (s Pages) thumbnail() object {
	return object{"thumbnails": []object{
		{"url": s.Base + "/small.jpg", "width": 120, "height": 90}, {"url": s.Base + "/large.jpg?x=1&y=2", "width": 480, "height": 360},
	}}
}
