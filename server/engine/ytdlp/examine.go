package ytdlp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/transcriptkit/transcriptkit/server/engine"
)

// The names of the things that Examine examines.
const (
	programName   = "yt-dlp"
	runtimeName   = "JavaScript runtime"
	solverName    = "solver scripts"
	imitationName = "browser imitation"
	pluginsName   = "yt-dlp plugins"
)

// old is the age at which the program itself begins to warn.
const old = 90 * 24 * time.Hour

// hole is a security vulnerability that affects the way this package runs the program.
type hole struct {
	name   string
	mended version
}

var holes = []hole{
	{"CVE-2023-46121", withoutSmuggling}, // pages can make the program bypass its proxy
	{"CVE-2024-38519", "2024.07.01"},     // a page chooses the extension of a file's name
	{"CVE-2026-50023", "2026.06.09"},     // as above
}

// Examine reports the program's version, age and known vulnerabilities. It runs the
// program without a link to report its JavaScript runtime, its solver scripts, and
// whether it imitates browsers. On a busy machine that takes half a minute. It also
// reports on [Access], and gets the version of the operator's token provider.
func (d *Downloader) Examine(ctx context.Context) []engine.Finding {
	v, err := d.program.version(ctx)
	return append(d.program.examine(ctx, v, err), d.access.Load().examine(ctx, v)...)
}

// examine reports on the program, whose version is v.
func (p *program) examine(ctx context.Context, v version, err error) []engine.Finding {
	if err != nil {
		f := engine.FindingOf(programName, err)
		f.Fails = "links, except for the captions of the video site"
		return []engine.Finding{f}
	}
	all := []engine.Finding{p.examineProgram(v)}
	if v < imitates { // its other lines are not needed here
		return append(all, unused, new(equipment).imitation(p.cure))
	}
	said, err := p.equipment(ctx, v)
	if err != nil {
		return append(all, engine.FindingOf(programName+" -v", err))
	}
	if v < runsPlayers {
		all = append(all, unused)
	} else {
		all = append(all, said.runtime(), said.solver(p.cure))
	}
	all = append(all, said.imitation(p.cure))
	if said.plugins != "" {
		all = append(all, engine.Finding{Name: pluginsName, Status: engine.OK, Found: said.plugins})
	}
	return all
}

func (p *program) examineProgram(v version) engine.Finding {
	f := engine.Finding{Name: programName, Status: engine.OK}
	age := time.Since(v.day())
	path, _ := p.host.Programs.Look(p.file) // no error: the program has just answered
	f.Found = fmt.Sprintf("%s, %d days old, at %s", v.date(), max(0, int(age.Hours()/24)), path)
	if age > old {
		f.Status, f.Cure = engine.Old, p.cure
		f.Fails = "links to platforms that have changed since, as they do every few weeks"
	}
	var known []string
	for _, h := range holes {
		if v < h.mended {
			known = append(known, h.name)
		}
	}
	if len(known) > 0 {
		f.Found += "; known holes: " + strings.Join(known, ", ")
		f.Status, f.Cure = engine.Old, p.cure
	}
	if p.leaksByFragment(v) {
		f.Fails += "; pages of platforms that it does not know, which could lead it around the egress guard"
		f.Cure = confine + "; " + p.cure
	}
	return f
}

// unused is the finding about the runtime for a release that does not use one.
var unused = engine.Finding{
	Name: runtimeName, Status: engine.OK, Found: "not used by this release of yt-dlp: it takes " + string(runsPlayers) + " or later",
}

// runtime is the finding about the runtime of platforms' players.
func (a *equipment) runtime() engine.Finding {
	f := engine.Finding{Name: runtimeName, Status: engine.OK}
	if best := a.best(); best != nil {
		f.Found = best.name + " " + best.version
		if best.slow() {
			f.Status = engine.Old
			f.Fails = "nothing, but a link to the video site may take minutes"
			f.Cure = getRuntime
		}
		return f
	}
	f.Status, f.Found = engine.Missing, "none"
	f.Fails = "the sound of most videos of the video site, and captions where its own route to them is closed: CONFIG_ERROR"
	f.Cure = getRuntime
	if len(a.runtimes) > 0 {
		f.Status, f.Found = engine.Old, "none that yt-dlp supports: "
		for i, r := range a.runtimes {
			if i > 0 {
				f.Found += ", "
			}
			f.Found += r.name + " " + r.version
		}
	}
	return f
}

// solver is the finding about the scripts that solve a player's puzzles.
func (a *equipment) solver(cure string) engine.Finding {
	i := slices.IndexFunc(a.libraries, func(l string) bool { return strings.HasPrefix(l, "yt_dlp_ejs-") })
	if i >= 0 {
		return engine.Finding{Name: solverName, Status: engine.OK, Found: a.libraries[i]}
	}
	return engine.Finding{
		Name: solverName, Status: engine.Missing, Found: "none",
		Fails: "the sound of most videos of the video site: CONFIG_ERROR", Cure: cure,
	}
}

// imitation is the finding about access to sites that answer browsers only.
func (a *equipment) imitation(cure string) engine.Finding {
	if slices.Contains(a.handlers, "curl_cffi") {
		return engine.Finding{Name: imitationName, Status: engine.OK, Found: "curl_cffi"}
	}
	f := engine.Finding{
		Name: imitationName, Status: engine.Missing, Found: "none: yt-dlp has no curl_cffi",
		Fails: "pages that answer browsers only: CONFIG_ERROR", Cure: cure,
	}
	i := slices.IndexFunc(a.libraries, func(l string) bool { return strings.HasPrefix(l, "curl_cffi-") })
	if i >= 0 {
		f.Status, f.Found = engine.Old, "none that yt-dlp supports: "+a.libraries[i]
	}
	return f
}
