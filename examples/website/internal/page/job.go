package page

import (
	"net/http"
)

// job shows how far the making of a text has come, and leads to the text when there is
// one.
func (p *pages) job(w http.ResponseWriter, r *http.Request) error {
	job, err := p.api.Jobs.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if job.Result != nil && job.Result.Transcript != nil {
		http.Redirect(w, r, transcriptPath(job.Result.Transcript), http.StatusSeeOther)
		return nil
	}
	return p.show(w, r, http.StatusOK, "job", job)
}
