package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/doctor"
	"github.com/transcriptkit/transcriptkit/examples/internal/service"
	"github.com/transcriptkit/transcriptkit/examples/internal/settings"
	"github.com/transcriptkit/transcriptkit/server/engine"
	"github.com/transcriptkit/transcriptkit/transcript"
)

// leaveOut takes the flag that an error is about from the setup. It reports whether the setup has
// changed.
func leaveOut(setup *service.Setup, err error) bool {
	var wrong *service.FlagError
	switch {
	case errors.As(err, &wrong) && wrong.Flag == "--allow-egress" && setup.AllowEgress != nil:
		setup.AllowEgress = nil
	case errors.As(err, &wrong) && wrong.Flag == "--links" && setup.Links.JSRuntime != "":
		setup.Links.LeaveOutRuntime()
	case errors.As(err, &wrong) && wrong.Flag == "--links" && setup.Links.Given():
		setup.Links = settings.Links{}
	case setup.Speech.ASR.Name != service.ASRNone:
		setup.Speech.ASR = service.ASR{Name: service.ASRNone}
	default:
		return false
	}
	return true
}

// things are what flags are about, by the beginnings of their names.
var things = []struct{ flag, thing string }{
	{"--asr", doctor.RecognizerName}, {"--recognizers", doctor.RecognizerName}, {"--db", "database"}, {"--blobs", "blobs"}, {"--plans", "plans"},
	{"--links", "links"}, {"--allow-egress", "egress guard"}, {"--listen", "address"}, {"--metrics", "metrics"},
}

var (
	namedFlag     = regexp.MustCompile(`^--[a-z-]+`)
	namedVariable = regexp.MustCompile(`\$[A-Z_]+\b`)
)

// examineFlag is the finding about a wrong flag.
func examineFlag(err error) engine.Finding {
	f := engine.Finding{Name: "setting", Status: engine.Broken, Found: oneLine(err), Fails: "the start of the service"}
	flag, variable := namedFlag.FindString(f.Found), namedVariable.FindString(f.Found)
	f.Cure = fmt.Sprintf("correct %s, or leave it out", cmp.Or(variable, flag, "the flag"))
	for _, t := range things {
		if strings.HasPrefix(flag, t.flag) {
			f.Name = t.thing
		}
	}
	var coded *transcript.Error
	if errors.As(err, &coded) { // its text has a cure
		of := engine.FindingOf(doctor.RecognizerName, err)
		f.Name, f.Found, f.Cure = of.Name, of.Found, cmp.Or(of.Cure, f.Cure)
	}
	return f
}
