package enginetest

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/internal/test/sitetest"
)

func status(code int, retryAfter string) func(*Site, http.ResponseWriter, *http.Request, answer) {
	return func(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		http.Error(w, http.StatusText(code), code)
	}
}

func empty(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	answer{good.contentType, ""}.send(w)
}

const consentForm = `<!doctype html><html><head><title>Before you continue</title></head><body>` +
	`<form action="https://consent.youtube.com/s" method="POST"><input type="hidden" name="gl" value="DE">` +
	`<input type="hidden" name="v" value="cb.20240101-01-p0.en+FX+123"><button>Accept all</button></form></body></html>`

func consent(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	answer{"text/html; charset=utf-8", consentForm}.send(w)
}

func consentOnce(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	if c, err := r.Cookie("CONSENT"); err != nil || !strings.HasPrefix(c.Value, "YES+cb.") {
		good.body = consentForm
	}
	good.send(w)
}

const captchaForm = `<!doctype html><html><body><form action="index" method="post">` +
	`<div id="recaptcha" class="g-recaptcha" data-sitekey="x"></div></form></body></html>`

func captcha(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	answer{"text/html; charset=utf-8", captchaForm}.send(w)
}

func otherHTML(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	answer{"text/html; charset=utf-8", `<!doctype html><html><head><title>Hello</title></head><body><p>Be right back.</p></body></html>`}.send(w)
}

// truncated ends in the middle of the announced length.
func truncated(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	w.Header().Set("Content-Length", strconv.Itoa(len(good.body)))
	good.body = good.body[:len(good.body)*2/3]
	good.send(w)
}

// cutText ends in the middle, as if that were the whole text.
func cutText(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	good.body = good.body[:len(good.body)*2/3]
	good.send(w)
}

// cutChunks ends in the middle of a body of chunks.
func cutChunks(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	good.body = good.body[:len(good.body)*2/3]
	good.send(w)
	if err := http.NewResponseController(w).Flush(); err == nil {
		panic(http.ErrAbortHandler) // the server closes the connection before the last chunk
	}
}

// trickle sends a byte at a time for as long as the client waits.
func trickle(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	w.Header().Set("Content-Type", good.contentType)
	pause := time.NewTicker(time.Second)
	defer pause.Stop()
	for i := range good.body {
		if _, err := io.WriteString(w, good.body[i:i+1]); err != nil {
			return // the client has stopped reading
		}
		_ = http.NewResponseController(w).Flush() // the next write reports an error
		select {
		case <-r.Context().Done():
			return
		case <-pause.C:
		}
	}
}

// sorry leads to the page on which the site wants a captcha solved.
func sorry(_ *Site, w http.ResponseWriter, r *http.Request, _ answer) {
	http.Redirect(w, r, "/sorry/index?continue=x", http.StatusFound)
}

// sendSorry sends that page.
func sendSorry(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusTooManyRequests)
	_, _ = io.WriteString(w, captchaForm) // a client that has disconnected needs no answer
}

func failedPrecondition(_ *Site, w http.ResponseWriter, _ *http.Request, _ answer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, `{"error": {"code": 400, "message": "Precondition check failed.", "status": "FAILED_PRECONDITION"}}`) // as sendSorry
}

func null(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	answer{good.contentType, "null"}.send(w)
}

// bomb sends a good answer that continues with blanks, compressed to a thousandth.
func bomb(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	const blanks = 64 << 20
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		good.send(w)
		return
	}
	w.Header().Set("Content-Type", good.contentType)
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, _ = io.WriteString(z, good.body) // a client that has disconnected needs no answer
	blank := []byte(strings.Repeat("\n", 64<<10))
	for range blanks / len(blank) {
		if _, err := z.Write(blank); err != nil {
			return // the client has stopped reading
		}
	}
	_ = z.Close() // as above
}

// blankCues sends the cues of a track without their words.
func blankCues(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	for _, lines := range sitetest.Texts() {
		for _, line := range lines {
			good.body = strings.ReplaceAll(good.body, line, " ")
		}
	}
	good.send(w)
}

// noCues sends a track that ends before its first cue.
func noCues(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	good.body = map[string]string{
		"json3": `{"wireMagic": "pb3", "events": []}`,
		"vtt":   "WEBVTT\nKind: captions\nLanguage: en\n\n",
		"ttml":  `<?xml version="1.0" encoding="utf-8"?><tt xmlns="http://www.w3.org/ns/ttml"><body><div></div></body></tt>`,
	}[r.URL.Query().Get("fmt")]
	if good.body == "" {
		good.body = `<?xml version="1.0" encoding="utf-8" ?><transcript></transcript>`
	}
	good.send(w)
}

func slowHeaders(_ *Site, _ http.ResponseWriter, r *http.Request, _ answer) { <-r.Context().Done() }

func slowBody(_ *Site, w http.ResponseWriter, r *http.Request, good answer) {
	w.Header().Set("Content-Length", strconv.Itoa(len(good.body)))
	good.body = good.body[:len(good.body)/2]
	good.send(w)
	if err := http.NewResponseController(w).Flush(); err == nil {
		<-r.Context().Done()
	}
}

// endless sends a good answer and then continues: with harmless blanks, for as long as the
// client reads.
func endless(_ *Site, w http.ResponseWriter, _ *http.Request, good answer) {
	const most = 256 << 20
	good.send(w)
	blank := []byte(strings.Repeat("\n", 64<<10))
	for range most / len(blank) {
		if _, err := w.Write(blank); err != nil {
			return // the client has stopped reading
		}
	}
}

func redirect(s *Site, w http.ResponseWriter, r *http.Request, _ answer) {
	http.Redirect(w, r, fmt.Sprintf("http://%s/secret", s.private.Addr()), http.StatusFound)
}
