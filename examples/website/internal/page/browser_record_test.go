package page_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/internal/test/browsertest"
	"github.com/transcriptkit/transcriptkit/server/account"
	"github.com/transcriptkit/transcriptkit/server/servertest"
)

// inRecord evaluates the body of a function in the page that records. at loads one of its modules.
func inRecord[T any](page *browsertest.Page, body string) T {
	return browsertest.Eval[T](page, `(async () => {
		const base = document.querySelector('script[src$="/record.js"]').src, at = (name) => import(new URL(name, base));
		`+body+`
	})()`)
}

// Sound of each rate becomes sound of 16 kHz, without the tones that have no place in it.
func TestBrowserResamples(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	page := newSite(t, visitor.User).open(t)
	page.Open("/record")
	for rate, got := range inRecord[map[string]struct{ Samples, Low, High float64 }](page, `
		const { Resampler } = await at("record-resample.js");
		const turn = (rate, tone) => {
			const all = [], resampler = new Resampler(rate, 16000);
			for (let from = 0; from + 128 <= rate; from += 128) {
				resampler.push(Float32Array.from({ length: 128 }, (_, n) => Math.sin(2 * Math.PI * tone * (from + n) / rate)), (sample) => all.push(sample));
			}
			return { samples: all.length, loudest: Math.max(...all.slice(1000).map(Math.abs)) };
		};
		return Object.fromEntries([8000, 11025, 16000, 22050, 44100, 48000, 96000].map((rate) => {
			const low = turn(rate, 1000);
			return [rate, { samples: low.samples, low: low.loudest, high: rate > 20000 ? turn(rate, 9500).loudest : 0 }];
		}));`) {
		assert.InDelta(t, 16_000, got.Samples, 300, rate)
		assert.InDelta(t, 1, got.Low, 0.02, rate)
		assert.Less(t, got.High, 0.001, rate)
	}
}

// wav returns the file of a recording.
func wav(sound []byte) (file []byte) {
	for _, part := range []any{
		[]byte("RIFF"), ^uint32(0), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1), uint32(16_000), uint32(32_000), uint16(2), uint16(16), []byte("data"), ^uint32(0), sound,
	} {
		file, _ = binary.Append(file, binary.LittleEndian, part) // it never fails for these
	}
	return file
}

// All sound arrives through the faults of the way and of the service, and the page knows what is missing.
func TestBrowserSendsARecordingThroughFaults(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	sound := make([]byte, 40*32_000)
	for n := range sound {
		sound[n] = byte(n * n >> 7)
	}
	const largest = 512 << 10
	for name, tc := range map[string]struct {
		fails func(r *http.Request, nth int) int // the status in the place of an answer; 0: none
		told  []string                           // nil: it depends on the browser
		from  int                                // the first byte of the sound that the service has
	}{
		"small requests":     {func(r *http.Request, _ int) int { return 413 * min(1, int(r.ContentLength/70_000)) }, nil, 0},
		"busy":               {func(_ *http.Request, nth int) int { return map[int]int{1: 503, 2: 429}[nth] }, []string{"lost", "busy"}, 0},
		"signed out":         {func(_ *http.Request, nth int) int { return map[int]int{3: 401}[nth] }, []string{"signedOut"}, 0},
		"gone":               {func(r *http.Request, nth int) int { return 404 * min(1, nth/3) * min(1, 3/nth) }, []string{"gone 16.384"}, largest},
		"a stranger answers": {func(_ *http.Request, nth int) int { return map[int]int{2: 200}[nth] }, []string{"lost"}, 0},
		"the last answer is lost": {func(r *http.Request, _ int) int {
			return map[bool]int{true: -1}[r.Method == http.MethodPatch && r.Header.Get("Upload-Complete") == "?1"]
		}, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, visitor.User)
			var mu sync.Mutex
			nth, lost := 0, false
			defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				if !strings.HasPrefix(r.URL.Path, "/web/v1/transcript") {
					next.ServeHTTP(w, r)
					return
				}
				mu.Lock()
				nth++
				status, loses := tc.fails(r, nth), !lost
				lost = lost || status < 0
				mu.Unlock()
				switch {
				case status < 0 && loses:
					next.ServeHTTP(&buffered{header: http.Header{}}, r)
					away(w, r, next)
				case status > 0:
					w.WriteHeader(status)
				default:
					next.ServeHTTP(w, r)
				}
			})()
			page := s.open(t)
			page.Expect(loadFaults)
			page.Open("/record")
			got := inRecord[struct {
				Status, From int
				Job          string
				Told         []string
			}](page, `
				const store = await at("record-store.js"), { Sender } = await at("record-send.js"), told = new Set();
				const recording = await store.begin("somebody", "faults", "sendMetadata=true&waitMs=0&language=en");
				const sound = new Uint8Array(40 * 32000).map((_, n) => n * n / 128);
				for (let from = 0; from < sound.length; from += 32000) await store.append(recording, sound.slice(from, from + 32000).buffer);
				const sender = new Sender(recording, { saved() {}, begun() {}, waits(why) { if (why) told.add(why); }, gone(seconds) { told.add("gone " + seconds); } });
				sender.finish();
				const impatient = setInterval(() => document.dispatchEvent(new Event("visibilitychange")), 50); // ends each pause
				const { status, body } = await sender.run();
				clearInterval(impatient);
				await store.remove(recording);
				return { status, job: body.jobId, from: recording.from, told: [...told] };`)
			if tc.told != nil {
				assert.Equal(t, tc.told, got.Told)
			}
			assert.Equal(t, []int{http.StatusAccepted, tc.from}, []int{got.Status, got.From})
			s.end(t, "/jobs/"+got.Job)
			id := fmt.Sprintf("%x", sha256.Sum256(wav(sound[tc.from:])))[:32]
			assert.Equal(t, http.StatusOK, s.get(t, "/transcripts/upload/"+id+"?language=en").status)
		})
	}
}

// The settled lines and the words after them appear. When another process begins again, its lines
// replace the others.
func TestBrowserShowsWhatIsSaidMeanwhile(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	s := newSite(t, visitor.User)
	answers := []string{
		`{"from":0,"segments":[{"text":"one","start":0,"duration":1}],"tail":"tw","heardSec":1.5}`,
		`{"from":1,"segments":[{"text":"two","start":61,"duration":1}],"tail":"<b>","heardSec":62.25}`,
		`{"from":0,"segments":[{"text":"one","start":0,"duration":1}],"tail":"again","heardSec":1}`,
	}
	var asked []string
	var mu sync.Mutex
	defer s.between(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.URL.Path != "/web/v1/transcript/uploads/x/text" {
			next.ServeHTTP(w, r)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.RawQuery)
		if len(asked) > len(answers) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(answers[len(asked)-1])) // a browser that has gone needs no answer
	})()
	page := s.open(t)
	page.Expect(loadFaults)
	page.Open("/record")
	shown := inRecord[[]string](page, `
		const { Live } = await at("record-live.js"), $ = (id) => document.getElementById(id), shown = [];
		const look = () => { const now = $("lines").textContent + "|" + $("tail").textContent; if (shown.at(-1) !== now) shown.push(now); };
		new MutationObserver(look).observe($("said"), { subtree: true, childList: true, characterData: true });
		await new Live($("said"), $("lines"), $("tail")).watch("x");
		return shown;`)
	assert.Equal(t, []string{"0:00 one|tw", "0:00 one1:01 two|<b>", "0:00 one|again"}, shown)
	assert.Equal(t, []string{"from=0&heardMs=0&waitMs=10000", "from=1&heardMs=1500&waitMs=10000", "from=2&heardMs=62250&waitMs=10000", "from=1&heardMs=1000&waitMs=10000"}, asked)
}

// A recording pauses and goes on, holds no barrier, keeps other tabs from recording, and ends by itself
// when it is as long as the plan permits.
func TestBrowserRecordingEndsByItself(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	plan := account.WithoutLimits("short")
	plan.MaxUploadBytes = 44 + 4*32_000
	s := newSite(t, visitor.User, servertest.OnPlan(plan))
	page := browsertest.Start(t, browsertest.Microphone("")...).Page(t, s.base)
	page.Expect(loadFaults)
	page.Open("/record")
	page.Click("button", "Record")
	page.Wait(`time.textContent === "0:01"`)
	page.Click("button", "Pause")
	page.WaitText("#saved", "Saved up to 0:0")
	assert.Empty(t, page.Barriers())
	other := page.Tab()
	other.Open("/record")
	other.WaitText("#state", "Another tab of this browser records.")
	assert.False(t, other.Sees("button", "Record"))
	page.Click("button", "Go on")
	page.WaitAt("^/transcripts/upload/")
	other.See("button", "Record")
}
