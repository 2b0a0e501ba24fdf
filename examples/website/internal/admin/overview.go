package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/examples/website/internal/visitor"
	"github.com/transcriptkit/transcriptkit/examples/website/internal/web"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// overview is the content of the first page.
type overview struct {
	server.Status
	Checks []check
	Disks  []amount // free bytes
	Blobs  []amount // stored bytes
}

// check is a part of the service, and whether it works.
type check struct {
	Name, Says string
	Good       bool
}

// amount is a number of bytes.
type amount struct {
	Name  string
	Bytes int64
}

// WaitsSince returns when the oldest running job was requested; nil if no job runs.
func (o overview) WaitsSince() (oldest *time.Time) {
	for _, s := range o.Stages {
		if oldest == nil || s.Oldest.Before(*oldest) {
			oldest = &s.Oldest
		}
	}
	return oldest
}

// overview shows what the service does, and whether its parts work.
func (p *pages) overview(r *web.Request) error {
	now, err := p.Status(r.Context())
	if err != nil {
		return err
	}
	checks, err := p.checks(r)
	if err != nil {
		return err
	}
	return r.Show(http.StatusOK, "admin", overview{now, checks, amounts(now.FreeBytes), amounts(now.BlobBytes)})
}

// checks asks the service whether it is ready, as the command healthcheck does.
func (p *pages) checks(r *web.Request) (all []check, err error) {
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "http://website/readyz", nil)
	if err != nil {
		return nil, err
	}
	res, err := p.Direct.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() //nolint:errcheck // it is only read
	var ready struct{ Checks map[string]string }
	if err := json.NewDecoder(res.Body).Decode(&ready); err != nil {
		return nil, fmt.Errorf("reading whether the service is ready: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(ready.Checks)) {
		says := ready.Checks[name]
		all = append(all, check{partOf(r, name), says, says == "ok"})
	}
	return all, nil
}

// partOf names a part of the service for people.
func partOf(r *web.Request, name string) string {
	if platform, of := strings.CutPrefix(name, "engine.captions."); of {
		return r.Text("admin.captionsOf", "site", r.Text("platform."+platform))
	}
	return r.Text("admin.part." + name)
}

func amounts(bytes map[string]int64) (all []amount) {
	for _, name := range slices.Sorted(maps.Keys(bytes)) {
		all = append(all, amount{name, bytes[name]})
	}
	return all
}

// jobs are the jobs of a table.
type jobs struct {
	Name string
	Jobs []server.JobStatus
}

// jobs shows which jobs run, and why others have failed.
func (p *pages) jobs(r *web.Request) error {
	now, err := p.Status(r.Context())
	if err != nil {
		return err
	}
	return r.Show(http.StatusOK, "admin-jobs", []jobs{{"running", now.Running}, {"failed", now.Failed}})
}

// doctor is the content of the page of an examination.
type doctor struct {
	Done     bool
	Findings []engine.Finding
}

// doctor examines everything that the service uses, if the visitor asks for it. One examination runs
// at a time, because it starts programs.
func (p *pages) doctor(r *web.Request) error {
	if r.FormValue("examine") == "" {
		return r.Show(http.StatusOK, "admin-doctor", doctor{})
	}
	if !p.examining.TryLock() {
		busy := r.Refuse(transcript.ServiceUnavailable, "admin.examining")
		busy.RetryAfter = examineAgain
		return busy
	}
	defer p.examining.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), examinePatience)
	defer cancel()
	found, err := p.Examine(ctx)
	if err != nil {
		return err
	}
	return r.Show(http.StatusOK, "admin-doctor", doctor{Done: true, Findings: found})
}

const (
	// examinePatience limits an examination in which a check hangs.
	examinePatience = time.Minute
	// examineAgain is when to ask for an examination again while another one runs, in seconds.
	examineAgain = 5
)

// mostDeeds is how many lines a page of the log has.
const mostDeeds = 50

// deeds is the content of a page of the log.
type deeds struct {
	Deeds []visitor.Deed
	Next  string // the address of the page with the older ones; empty: there may be none
}

// log shows which administrator did what to which account, the latest first.
func (p *pages) log(r *web.Request) error {
	all, err := p.Visitors.Admins.Deeds(r.Context(), r.FormValue("before"), mostDeeds)
	if err != nil {
		return err
	}
	page := deeds{Deeds: all}
	if len(all) == mostDeeds {
		page.Next = web.WithQuery("/admin/log", "before", all[mostDeeds-1].ID)
	}
	return r.Show(http.StatusOK, "admin-log", page)
}
