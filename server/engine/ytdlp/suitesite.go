package ytdlp

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"sync"
	"time"
)

// suiteSite is the video site, and a page of another site, inside this process. Its connections
// are pipes, so that neither the suite nor the program needs a network.
type suiteSite struct {
	server  *http.Server
	waiting chan net.Conn
	closed  chan struct{}
	once    sync.Once
	cert    tls.Certificate
}

// openSuiteSite starts the site. The caller closes it.
func openSuiteSite() (*suiteSite, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"*.youtube.com", "*.example.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	s := &suiteSite{
		server:  &http.Server{Handler: http.HandlerFunc(answerSuite), ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)},
		waiting: make(chan net.Conn), closed: make(chan struct{}),
		cert: tls.Certificate{Certificate: [][]byte{cert}, PrivateKey: key},
	}
	go func() { _ = s.server.Serve(s) }() // ends with close
	return s, nil
}

func (s *suiteSite) close() { _ = s.server.Close() } // an error of the closing changes nothing

// dial opens a connection to the site for every address.
func (s *suiteSite) dial(ctx context.Context, address string) (net.Conn, error) {
	near, far := net.Pipe()
	if _, port, _ := net.SplitHostPort(address); port == "443" {
		far = tls.Server(far, &tls.Config{Certificates: []tls.Certificate{s.cert}, MinVersion: tls.VersionTLS12})
	}
	select {
	case s.waiting <- far:
		return near, nil
	case <-s.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Accept returns the next connection, for the server.
func (s *suiteSite) Accept() (net.Conn, error) {
	select {
	case c := <-s.waiting:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (s *suiteSite) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// Addr returns an address that is no address of the network.
func (s *suiteSite) Addr() net.Addr { return &net.TCPAddr{} }

const suitePlayer = "/s/player/00000000/player_ias.vflset/en_US/base.js"

// answerSuite answers a request to the site.
func answerSuite(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("v")
	switch r.URL.Path {
	case "/watch":
		if id == "suite-429xx" {
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		sendPage(w, `<script>ytcfg.set({"INNERTUBE_API_KEY":"k","PLAYER_JS_URL":"`+suitePlayer+`","STS":20000,"INNERTUBE_CONTEXT_CLIENT_NAME":1,`+
			`"INNERTUBE_CONTEXT":{"client":{"clientName":"WEB","clientVersion":"2.20260708.05.00","hl":"en"}}});</script>`+
			`<script>var ytInitialPlayerResponse = `+asJSON(suiteAnswer(id))+`;</script>`+
			`<script>var ytInitialData = {"contents": {"twoColumnWatchNextResults": {}}};</script>`)
	case "/youtubei/v1/player":
		var asked struct{ VideoID string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, "no question", http.StatusBadRequest)
			return
		}
		sendJSON(w, suitePlayed(asked.VideoID)) // the other players show every video and name no tracks
	case "/youtubei/v1/next":
		sendJSON(w, object{"contents": object{"twoColumnWatchNextResults": object{}}})
	case "/iframe_api":
		sendPage(w, `var s="https:\/\/www.youtube.com\/s\/player\/00000000\/www-widgetapi.vflset\/www-widgetapi.js"`)
	case suitePlayer:
		sendPage(w, `var player = {signatureTimestamp:20000};`)
	case "/api/timedtext":
		if r.URL.Query().Has("exp") { // without its token
			return
		}
		sendJSON(w, object{"events": []object{{"tStartMs": 0, "dDurationMs": 1000, "segs": []object{{"utf8": "hello"}}}}})
	case "/plain-none":
		sendPage(w, `<!doctype html><html><head><title>A talk</title></head><body><video src="https://www.example.com/talk.mp4"></video></body></html>`)
	case "/plain-403":
		http.Error(w, "forbidden", http.StatusForbidden)
	default:
		http.NotFound(w, r)
	}
}

// suiteAnswer is what the player of the page says about the video of a case.
func suiteAnswer(id string) object {
	said := suitePlayed(id)
	track := func(query string) {
		said["captions"] = object{"playerCaptionsTracklistRenderer": object{"captionTracks": []object{{
			"baseUrl": "https://www.youtube.com/api/timedtext?v=" + id + "&lang=en" + query,
			"name":    object{"simpleText": "English"}, "vssId": ".en", "languageCode": "en",
		}}}}
	}
	switch id {
	case "suite-track":
		track("")
	case "suite-token":
		track("&exp=xpe")
	case "suite-robot":
		said = object{
			"playabilityStatus": object{"status": "LOGIN_REQUIRED", "reason": "Sign in to confirm you’re not a bot"},
			"videoDetails":      said["videoDetails"],
		}
	case "suite-other":
		said = suitePlayed("suite-none0")
	}
	return said
}

// suitePlayed is the answer of a player that shows a video and names no tracks.
func suitePlayed(id string) object {
	return object{
		"playabilityStatus": object{"status": "OK"},
		"videoDetails":      object{"videoId": id, "title": "A talk", "lengthSeconds": "4", "author": "A speaker", "isLiveContent": false},
		"streamingData": object{"adaptiveFormats": []object{{
			"itag": 140, "mimeType": `audio/mp4; codecs="mp4a.40.2"`, "bitrate": 130000, "contentLength": "64000", "audioQuality": "AUDIO_QUALITY_MEDIUM",
			"approxDurationMs": "4000", "url": "https://r1.googlevideo.com/videoplayback?itag=140",
		}}},
	}
}

func asJSON(v object) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it holds texts and numbers only
	}
	return string(text)
}

func sendJSON(w http.ResponseWriter, v object) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = io.WriteString(w, asJSON(v)) // a program that is gone shows in the suite
}

func sendPage(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, text) // as above
}
