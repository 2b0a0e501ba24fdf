package order

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/transcriptkit/transcriptkit/client"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/library"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// jobPage shows the progress of a job.
type jobPage struct {
	*transcript.Job
	About   subject
	Form    linkForm // repeats the request; Links is empty if that is impossible
	Steps   []step
	Known   bool // whether Steps contain the job's stage
	Percent int  // of the recognition; -1: none
	Trouble *web.Trouble
	Again   bool        // whether a repetition may succeed
	Passed  *web.Passed // what was passed over in the pasted text; nil: nothing
	Refresh int         // seconds, for browsers without scripts; 0: the job has ended
}

// Why returns why the job waits, or why its work was begun again; nil: it does neither.
func (j jobPage) Why() *transcript.LastError {
	if e := j.LastError; e != nil && (j.Status == transcript.JobPending || j.Attempt > e.Attempt) {
		return e
	}
	return nil
}

// subject is the content of a job, as far as it is known.
type subject struct {
	Title string
	Link  string // to the content itself; empty: none
	File  bool   // whether it is an uploaded file
}

// step is a displayed stage.
type step struct {
	Stage     transcript.Stage
	Past, Now bool
	After     string // the stages that are certainly over, separated by spaces
}

// steps are the displayed stages. A job skips some of them: a file has no captions to look for,
// and a content with captions needs no recognition.
var steps = []step{
	{Stage: transcript.StageQueued},
	{Stage: transcript.StageCaptionFetch, After: "queued"},
	{Stage: transcript.StageDurationCheck, After: "queued"},
	{Stage: transcript.StageASRQueued, After: "queued duration_check"},
	{Stage: transcript.StageASRRunning, After: "queued duration_check asr_queued"},
	{Stage: transcript.StagePublishing, After: "queued"},
}

// jobs are the pages of jobs.
type jobs struct{ *web.Site }

// show shows the progress of a job or the reason of its failure, or redirects to the text if
// there is one.
func (p jobs) show(r *web.Request) error {
	if strings.Trim(r.PathValue("id"), ".") == "" { // dots would change the path
		return web.Nothing(r)
	}
	var told client.Response
	job, err := p.API.Jobs.Get(r.Context(), r.PathValue("id"), client.WithResponse(&told))
	if err == nil && job.Result != nil && job.Result.Transcript == nil {
		job, err = p.inJSON(r)
	}
	if err != nil {
		return err
	}
	if job.Result != nil && job.Result.Transcript != nil {
		return r.Redirect(web.ResultPath(job.Result))
	}
	shown := jobPage{Job: job, Form: readLinkForm(r.URL.Query()), Percent: -1, Passed: web.PassedOver(r)}
	if shown.Form.Links == "" || r.Visitor().Known() {
		p.lookUp(r, &shown)
	}
	if file := r.FormValue("file"); job.Status == transcript.JobCancelled && file != "" { // the library has no row of a canceled upload
		shown.About.File, shown.About.Title = true, cmp.Or(shown.About.Title, excerpt(file))
	}
	if match, err := p.Sites.Detect(shown.Form.Links); err == nil {
		shown.About.Link = cmp.Or(shown.About.Link, match.URL)
	}
	shown.Steps, shown.Known = stepsAt(job.Stage, shown.About.File)
	switch {
	case job.Status == transcript.JobPending || job.Status == transcript.JobProcessing:
		shown.Refresh = refreshAfter(told)
		if job.Progress != nil {
			shown.Percent = int(100 * min(max(job.Progress.Fraction, 0), 1))
		}
	case job.Status == transcript.JobFailed && job.Error != nil:
		shown.Trouble, shown.Again = r.TroubleIn(job.Error), job.Error.RetryableJob()
		shown.Trouble.Link = shown.Form.Links
	default:
		shown.Again = true
	}
	return r.Show(http.StatusOK, "job", shown)
}

// inJSON returns a job with its text as segments, if the job was created with another format.
func (p jobs) inJSON(r *web.Request) (*transcript.Job, error) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://website/v1/transcript/job/"+url.PathEscape(r.PathValue("id"))+"?format=json", nil)
	if err != nil {
		return nil, err
	}
	res, err := p.Direct.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	job := new(transcript.Job)
	return job, json.NewDecoder(res.Body).Decode(job)
}

// lookUp completes the page of a job from the job's row in the visitor's library. Without a row
// the page shows less.
func (p jobs) lookUp(r *web.Request, shown *jobPage) {
	const rows = 100 // the newest ones, as many as the API returns at once
	page, err := p.API.Library.List(r.Context(), library.Query{View: library.History, PageSize: rows})
	if err != nil {
		return // guests have no library
	}
	n := slices.IndexFunc(page.Transcripts, func(row library.Item) bool { return row.JobID == shown.JobID })
	if n < 0 {
		return
	}
	row := page.Transcripts[n]
	shown.About.File = row.Platform == transcript.Upload && row.SourceURL == nil
	if row.Title != nil {
		shown.About.Title = *row.Title
	}
	if row.SourceURL != nil {
		shown.About.Link = *row.SourceURL
		shown.Form.Links = cmp.Or(shown.Form.Links, *row.SourceURL)
	}
}

// stepsAt returns the steps with the present one marked. known is false if the stage is not
// among them.
func stepsAt(stage transcript.Stage, file bool) (shown []step, known bool) {
	behind := ""
	for _, s := range steps {
		if s.Stage == stage {
			behind = s.After
		}
	}
	for _, s := range steps {
		if file && s.Stage == transcript.StageCaptionFetch {
			continue
		}
		s.Now, s.Past = s.Stage == stage, slices.Contains(strings.Fields(behind), string(s.Stage))
		known = known || s.Now
		shown = append(shown, s)
	}
	return shown, known
}

// refreshAfter returns when a page without scripts reloads: the service's Retry-After, within
// bounds.
func refreshAfter(told client.Response) int {
	seconds, err := strconv.Atoi(told.Header.Get("Retry-After"))
	if err != nil {
		return 5 // the header is missing
	}
	return min(max(seconds, 2), 60)
}

// cancel cancels a job. If the job has already ended, its page shows how.
func (p jobs) cancel(r *web.Request) error {
	id := r.PathValue("id")
	_, err := p.API.Jobs.Cancel(r.Context(), id)
	if err != nil && !errors.Is(err, transcript.StateConflict) {
		return err
	}
	asked := linkForm{Links: r.PostFormValue("links"), Language: r.PostFormValue("language")}
	query := asked.query()
	if file := r.PostFormValue("file"); file != "" && len(file) <= maxQuery {
		query.Set("file", file)
	}
	return r.Redirect("/jobs/" + url.PathEscape(id) + "?" + query.Encode())
}
