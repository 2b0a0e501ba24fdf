package main

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/transcriptkit/transcriptkit/examples/internal/service"
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
	case errors.As(err, &wrong) && wrong.Flag == "--exits" && setup.Exits != "":
		setup.Exits = ""
	case errors.As(err, &wrong) && wrong.Flag == "--js-runtime" && setup.JSRuntime != "":
		setup.JSRuntime = ""
	case errors.As(err, &wrong) && wrong.Flag == "--cookies" && setup.Cookies != nil:
		setup.Cookies = nil
	case errors.As(err, &wrong) && wrong.Flag == "--players" && setup.Players != "":
		setup.Players = ""
	case setup.Speech.ASR.Name != service.ASRNone:
		setup.Speech.ASR = service.ASR{Name: service.ASRNone}
	default:
		return false
	}
	return true
}

// things are what flags are about, by the beginnings of their names.
var things = []struct{ flag, thing string }{
	{"--asr", recognizerName}, {"--whisper-cli", recognizerName}, {"--db", "database"}, {"--blobs", "blobs"}, {"--plans", "plans"},
	{"--sites", "platform table"}, {"--js-runtime", "JavaScript runtime"}, {"--proxy", networkName}, {"--exits", networkName}, {"--allow-egress", "egress guard"},
	{"--data-api", "data API"}, {"--yt-dlp-plugins", "yt-dlp plugins"}, {"--token-provider", "token provider"}, {"--cookies", "cookies"}, {"--player", "players"}, {"--listen", "address"}, {"--metrics", "metrics"},
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
		of := engine.FindingOf(recognizerName, err)
		f.Name, f.Found, f.Cure = of.Name, of.Found, cmp.Or(of.Cure, f.Cure)
	}
	return f
}
