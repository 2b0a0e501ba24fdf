package page_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/server/engine/ffmpeg"
	"github.com/transcriptkit/transcriptkit/server/servertest"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// tone makes a recording of that many seconds.
func tone(t *testing.T, name string, seconds int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", fmt.Sprintf("sine=duration=%d", seconds), "-ar", "48000", file).CombinedOutput()
	require.NoError(t, err, string(out))
	return file
}

// kept is a recording that a service keeps.
type kept struct {
	site *site
	path string // of the recording in the API
}

// there reports whether the service still keeps the recording.
func (k kept) there(t *testing.T) bool {
	t.Helper()
	return k.site.send(t, http.MethodHead, "/web"+k.path, "", nil).status == http.StatusOK
}

// delete deletes the recording in the service.
func (k kept) delete(t *testing.T) {
	t.Helper()
	require.Equal(t, http.StatusNoContent, k.site.send(t, http.MethodDelete, "/web"+k.path, "application/json", nil).status)
}

// keep has a service keep a recording, with a text of 200 lines, each a second long, after a
// second of silence. It returns the page of the text.
func keep(t *testing.T, s *site, recording string) (page string, k kept) {
	t.Helper()
	file, err := os.ReadFile(tone(t, recording, 202))
	require.NoError(t, err)
	id := fmt.Sprintf("%x", sha256.Sum256(file))[:32]
	k = kept{s, "/v1/library/transcripts/upload/" + id + "/media"}
	res := s.postFile(t, "/web/v1/transcript", recording, string(file), "keepMediaSec", "3600", "waitMs", "10000")
	require.Less(t, res.status, 300, res.body)
	require.Eventually(t, func() bool { return k.there(t) }, time.Minute, 20*time.Millisecond)
	text := transcript.Transcript{Platform: transcript.Upload, ExternalID: id, Lang: "en"}
	for n := range 200 {
		text.Segments = append(text.Segments, transcript.Segment{Text: fmt.Sprint("This is line ", n+1), Start: float64(n + 1), Duration: 1, Speaker: []string{"Ada", "Ben"}[n/50%2]})
	}
	s.put(t, text)
	return "/transcripts/upload/" + id, k
}

// listen opens the page of a kept recording.
func listen(t *testing.T, recording string) (*browsertest.Page, kept) {
	t.Helper()
	needBrowser(t)
	s := newSite(t, visitor.User)
	path, k := keep(t, s, recording)
	page := s.open(t)
	page.Open(path)
	page.Wait(`audio.readyState > 0`)
	return page, k
}

// spoken waits for the line that is marked as spoken.
func spoken(page *browsertest.Page, line int) {
	page.Wait(fmt.Sprintf(`document.querySelector("#text [aria-current]")?.id === "t=%d"`, line))
}

// The recording plays only when the reader asks. The spoken line is marked, as time goes on.
func TestBrowserPlaysInStep(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	assert.True(t, browsertest.Eval[bool](page, `audio.paused && !audio.autoplay && audio.currentTime === 0`))
	assert.Zero(t, page.Count("#text [aria-current]"))
	page.Open(page.At() + "?view=lines")
	page.Wait(`audio.readyState > 0`)
	page.Click("link", "0:03")
	page.Wait(`!audio.paused && location.hash === "#t=3"`)
	for line := 3; line < 6; line++ {
		spoken(page, line)
		assert.Equal(t, 1, page.Count("#text [aria-current]"))
	}
	browsertest.Eval[any](page, `[...document.querySelectorAll("#text p")].find(line => line.textContent.endsWith("line 10")).click()`)
	spoken(page, 10)
	page.Wait(`audio.currentTime > 11`)
	spoken(page, 11)
	browsertest.Eval[any](page, `const place = document.getElementById("place"); place.value = 150.5; place.dispatchEvent(new Event("input"))`)
	spoken(page, 150)
}

// The keys play, pause, go back and forward, and change the speed, wherever the focus is but in a
// field. They can be switched off, and both choices are remembered.
func TestBrowserPlaysByKeys(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	page.Press(" ") // of a reader who has just come
	page.Wait(`!audio.paused`)
	page.Press("k")
	page.Wait(`audio.paused`)
	for press, at := range map[string]int{"l": 25, kb.ArrowRight: 25, "j": 15, kb.ArrowLeft: 15} {
		browsertest.Eval[any](page, `audio.currentTime = 20.5`)
		spoken(page, 20)
		page.Press(press)
		spoken(page, at)
	}
	browsertest.Eval[any](page, `audio.currentTime = 8.5`)
	page.Press("jj") // not before the beginning
	page.Wait(`audio.currentTime === 0`)
	page.Press(">")
	page.WaitText("#play-told", "Speed: 1.25×")
	page.Press("<" + "<" + "<" + "<")
	page.WaitText("#play-told", "Speed: 0.5×")
	assert.Equal(t, []float64{0.5, 0.5}, browsertest.Eval[[]float64](page, `[audio.playbackRate, Number(document.getElementById("play-speed").value)]`))

	browsertest.Eval[any](page, `document.getElementById("within-words").focus()`)
	page.Press("kj l>")
	assert.Equal(t, "kj l>", browsertest.Eval[string](page, `document.getElementById("within-words").value`))
	assert.True(t, browsertest.Eval[bool](page, `audio.paused && audio.playbackRate === 0.5`))

	browsertest.Eval[any](page, `document.getElementById("keys").showPopover()`)
	page.Click("checkbox", "Use these keys")
	page.Press(kb.Escape)
	browsertest.Eval[any](page, `document.activeElement.blur()`)
	page.Press("k>")
	assert.True(t, browsertest.Eval[bool](page, `audio.paused && audio.playbackRate === 0.5`))
	page.Reload()
	page.Wait(`audio.readyState > 0`)
	assert.Equal(t, []any{false, "0.5", 0.5}, browsertest.Eval[[]any](page, `[document.getElementById("play-keys").checked, document.getElementById("play-speed").value, audio.playbackRate]`))
}

// A browser without a storage plays too.
func TestBrowserPlaysWithoutStorage(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	page.Before(`Object.defineProperty(globalThis, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } });`)
	page.Reload()
	page.Wait(`audio.readyState > 0`)
	page.Press(">k")
	page.Wait(`!audio.paused && audio.playbackRate === 1.25`)
}

// The page scrolls with the spoken line, until the reader scrolls away, and again when the
// reader returns.
func TestBrowserFollowsTheSpokenLine(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	const seen = `(() => { const box = document.querySelector("#text [aria-current]").getBoundingClientRect();
		return box.top >= document.getElementById("within").getBoundingClientRect().bottom && box.bottom <= document.getElementById("player").getBoundingClientRect().top; })()`
	page.Open(page.At() + "?view=lines")
	page.Wait(`audio.readyState > 0`)
	browsertest.Eval[any](page, `audio.currentTime = 2.5`)
	spoken(page, 2)
	browsertest.Eval[any](page, `audio.currentTime = 80.5`)
	spoken(page, 80)
	page.Wait(seen)
	browsertest.Eval[any](page, `scrollTo(0, 0)`)
	browsertest.Eval[any](page, `audio.currentTime = 90.5`)
	spoken(page, 90)
	assert.Zero(t, browsertest.Eval[float64](page, `scrollY`))
	browsertest.Eval[any](page, `document.getElementById("play-line").click()`)
	page.Wait(seen)
	browsertest.Eval[any](page, `audio.currentTime = 150.5`)
	spoken(page, 150)
	page.Wait(seen)
}

// A recording that is deleted while its page is open, or just before, has a sentence in its place.
func TestBrowserTellsThatARecordingIsGone(t *testing.T) {
	t.Parallel()
	page, recording := listen(t, "tone.wav") // which is too large to be read ahead
	page.Expect(`status of 404 .*/media`, `/media`)
	recording.delete(t)
	browsertest.Eval[any](page, `audio.currentTime = 190`)
	page.WaitText("#play-told", "The recording is no longer kept. The text stays.")
	assert.False(t, page.Sees("button", "5 s back"))
	page.Press("k")
	assert.True(t, browsertest.Eval[bool](page, `audio.paused && audio.hidden`))
	assert.Equal(t, 200, page.Count("#text p"))
	page.Reload()
	page.Wait(`document.querySelectorAll("#text p").length === 200`)
	assert.Zero(t, page.Count("#player"), "a new page has no player")
}

// Without JavaScript the browser's own player is there, and the times lead to the lines.
func TestBrowserPlaysWithoutScripts(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	page.NoScripts()
	page.Reload()
	page.Wait(`audio.controls && audio.readyState > 0 && audio.paused`)
	assert.False(t, page.Sees("button", "5 s back"))
	page.Click("link", "0:39")
	page.Wait(`document.querySelector("p:target").id === "t=39"`)
}

// On a phone the player stands at the bottom, and the text still begins within the first 300 pixels.
func TestBrowserTextBeginsHighAboveAPlayer(t *testing.T) {
	t.Parallel()
	page, _ := listen(t, "tone.webm")
	for _, size := range [][2]int64{{360, 640}, {390, 844}} {
		page.Do(chromedp.EmulateViewport(size[0], size[1], chromedp.EmulateMobile, chromedp.EmulateTouch))
		page.Reload()
		page.Wait(`audio.readyState > 0`)
		at := browsertest.Eval[[]float64](page, `[document.querySelector("#text p").getBoundingClientRect().top, document.getElementById("player").getBoundingClientRect().top / innerHeight]`)
		assert.Less(t, at[0], 300.0, size)
		assert.Greater(t, at[1], .7, size)
	}
}

// A recording is deleted without its text, and undo brings it back.
func TestBrowserDeletesARecording(t *testing.T) {
	t.Parallel()
	page, recording := listen(t, "tone.webm")
	page.WaitText(".kept", "The recording is kept until")
	page.Expect(`status of 404 .*/media`) // where the player still reads ahead
	page.Click("button", "Delete the recording")
	page.Click("button", "Undo")
	page.Click("button", "Delete the recording")
	page.See("button", "Undo")
	assert.True(t, recording.there(t))
	page.Press("k") // a pending deletion does not stop who listens
	page.Wait(`!audio.paused`)
	browsertest.Eval[any](page, `dispatchEvent(new PageTransitionEvent("pagehide"))`) // which ends the time of undo
	page.WaitText("#play-told", "The recording is no longer kept. The text stays.")
	assert.False(t, recording.there(t))
	assert.Equal(t, 200, page.Count("#text p"))
}

// A link has no recording, and its page no player.
func TestTranscriptWithoutRecording(t *testing.T) {
	t.Parallel()
	s := newSite(t, visitor.User)
	s.put(t, talkOfTwo())
	upload := talkOfTwo()
	upload.Platform, upload.ExternalID = transcript.Upload, strings.Repeat("0a", 16)
	s.put(t, upload)
	for _, path := range []string{"/transcripts/video_site/dQw4w9WgXcQ", "/transcripts/upload/" + upload.ExternalID} {
		got := s.get(t, path)
		assert.Equal(t, http.StatusOK, got.status)
		assert.NotContains(t, got.body, "<audio")
		assert.NotContains(t, got.body, "player.js")
		assert.NotContains(t, got.body, "Delete the recording")
	}
}

// The page has a recording kept, and the visitor listens to it on the page of its text: to the copy
// that the service makes, in which the browser finds each second.
func TestBrowserKeepsARecording(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User, servertest.Configure(withFFmpeg))
	page := s.open(t)
	page.Open("/")
	assert.Equal(t, "604800", browsertest.Eval[string](page, `keepMediaSec.value`), "a week, if the visitor chooses nothing")
	assert.Empty(t, page.Barriers())
	page.Do(chromedp.SetUploadFiles("#files", []string{tone(t, "tone.wav", 100)}))
	page.Wait(`location.pathname.startsWith("/transcripts/upload/") && document.readyState === "complete"`)
	page.WaitText(".kept", "The recording is kept until")
	source := browsertest.Eval[string](page, `document.getElementById("audio").getAttribute("src")`)
	require.Eventually(t, func() bool {
		return s.send(t, http.MethodHead, source, "", nil).header.Get("Content-Type") == "audio/webm"
	}, time.Minute, 50*time.Millisecond)
	page.Reload()
	page.Wait(`audio.readyState > 0 && Math.abs(audio.duration - 100) < 1`)
	browsertest.Eval[any](page, `audio.currentTime = 90`)
	page.Wait(`!audio.seeking && audio.readyState > 1`)
	page.Press("k")
	page.Wait(`audio.currentTime > 91`)
	assert.Empty(t, page.Barriers())
}

// The recording is added to the text of a file that was not kept. Another file is refused.
func TestBrowserAddsTheRecording(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	right, wrong := tone(t, "right.webm", 3), tone(t, "wrong.webm", 2)
	content, err := os.ReadFile(right)
	require.NoError(t, err)
	res := s.postFile(t, "/web/v1/transcript", "right.webm", string(content), "waitMs", "10000")
	require.Equal(t, http.StatusOK, res.status, res.body)
	page := s.open(t)
	page.Expect(loadFaults) // the service refuses another recording
	page.Open(fmt.Sprintf("/transcripts/upload/%x", sha256.Sum256(content))[:len("/transcripts/upload/")+32])
	page.WaitText("#add-hint", "for 7 days")
	page.Do(chromedp.SetUploadFiles("#add-file", []string{wrong}))
	page.WaitText("#adding", "This is another recording")
	assert.Empty(t, page.Barriers())
	page.Do(chromedp.SetUploadFiles("#add-file", []string{right}))
	page.WaitText(".kept", "The recording is kept until")
	assert.Zero(t, page.Count("#add-recording"))
}

// withFFmpeg has a service read files by ffmpeg.
func withFFmpeg(c *server.Config) {
	made := c.Engine
	c.Engine = func(h engine.Host) (engine.Engine, error) {
		e, err := made(h)
		e.Media = ffmpeg.New(h)
		return e, err
	}
}
