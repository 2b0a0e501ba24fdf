package page

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/transcript"
)

// start is the first page: a field for links.
func (p *pages) start(w http.ResponseWriter, r *http.Request) error {
	return p.show(w, r, http.StatusOK, "start", struct{ Example string }{p.Example})
}

// atMost is how long a form is held for a text that is there already.
const atMost = 1500 * time.Millisecond

// submit takes a link and leads to its text, or to the job that makes it.
func (p *pages) submit(w http.ResponseWriter, r *http.Request) error {
	wait := atMost
	result, job, err := p.api.Transcripts.Submit(r.Context(), transcript.Request{
		Source: transcript.URL(strings.TrimSpace(r.PostFormValue("links"))), SendMetadata: true, Wait: &wait,
	})
	if err != nil {
		return err
	}
	to := "/jobs/"
	if result != nil {
		to = transcriptPath(result.Transcript)
	} else {
		to += url.PathEscape(job.JobID)
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// transcriptPath is the page of a text.
func transcriptPath(t *transcript.Transcript) string {
	return "/transcripts/" + url.PathEscape(string(t.Platform)) + "/" + url.PathEscape(t.ExternalID) + "?language=" + url.QueryEscape(t.Lang)
}
