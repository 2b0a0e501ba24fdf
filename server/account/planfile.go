package account

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/transcriptkit/transcriptkit/internal/clip"
)

// maxPlansFile limits a plans file, in bytes.
const maxPlansFile = 1 << 20

// planGrammar limits a plan's name, because the name goes into logs, command lines and paths of
// errors.
var planGrammar = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// ReadPlans reads an operator's plans from a JSON document of at most 1 MiB. docs/guides/accounts.md
// lists its members and their bounds. A limit of null means no limit. A missing member has the
// strictest value, 0 or false, except eventStreams, which is 20, and concurrentRequests, which is 250. A paid plan needs rateLimit.
//
// The error names the first member that is unknown, repeated, of the wrong type, or out of its
// bounds, as in "plans.basic.rateLimit.windowSec".
func ReadPlans(r io.Reader) (Plans, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPlansFile+1))
	if err != nil {
		return Plans{}, fmt.Errorf("account: reading the plans: %w", err)
	}
	plans, err := parsePlans(text)
	if err != nil {
		return Plans{}, fmt.Errorf("account: %w", err)
	}
	return plans, nil
}

func parsePlans(text []byte) (Plans, error) {
	if err := checkJSON(text); err != nil {
		return Plans{}, err
	}
	p := Plans{ByName: map[string]Plan{}}
	err := members{"defaultPlan": textOf(&p.Default), "plans": p.readAll}.read("", text)
	switch {
	case err != nil:
		return Plans{}, err
	case len(p.ByName) == 0:
		return Plans{}, faultf("plans", "is missing or empty: there must be a plan")
	case p.Default == "":
		return Plans{}, faultf("defaultPlan", "is missing: the plan of a new account")
	}
	if _, ok := p.ByName[p.Default]; !ok {
		return Plans{}, faultf("defaultPlan", "is %q, which is none of the plans", clip.Text(p.Default))
	}
	return p, nil
}

// checkJSON returns an error unless text is exactly one JSON document.
func checkJSON(text []byte) error {
	switch {
	case len(text) > maxPlansFile:
		return fmt.Errorf("the plans are larger than %d bytes", maxPlansFile)
	case !utf8.Valid(text):
		return errors.New("the plans are not UTF-8")
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("the plans are empty: they must be a JSON object")
	}
	var broken *json.SyntaxError
	err := json.Unmarshal(text, new(json.RawMessage))
	if errors.As(err, &broken) {
		line := 1 + bytes.Count(text[:min(int(broken.Offset), len(text))], []byte("\n"))
		return fmt.Errorf("the plans are not JSON: line %d: %w", line, err)
	}
	return err
}

// readAll reads the member "plans".
func (p *Plans) readAll(path string, value json.RawMessage) error {
	return readObject(path, value, func(path, name string, value json.RawMessage) error {
		if !planGrammar.MatchString(name) {
			return faultf(path, "cannot be: a plan's name is 1 to 64 letters, digits, _ and -, and does not begin with _ or -")
		}
		plan := Plan{Name: name, EventStreams: 20}
		if err := plan.members().read(path, value); err != nil {
			return err
		}
		err := plan.check()
		if bad := (fault{}); errors.As(err, &bad) {
			return fault{path + "." + bad.path, bad.says}
		}
		p.ByName[name] = plan
		return err
	})
}

// members returns the members of a plan.
func (p *Plan) members() members {
	all := members{
		"paid":            boolOf(&p.Paid),
		"rateLimit":       p.RateLimit.read,
		"periodAnchorDay": numberOf(&p.PeriodAnchorDay, 1, maxAnchorDay),
		"upload":          boolOf(&p.Upload),
		"asr":             boolOf(&p.ASR),
		"speakers":        boolOf(&p.Speakers),
		"batchExport":     boolOf(&p.BatchExport),
		"actionLabel":     textOf(&p.ActionLabel),
		"actionUrl":       textOf(&p.ActionURL),
	}
	for _, l := range p.limits() {
		all[l.name] = l.read
	}
	return all
}

// read reads the member "rateLimit".
func (r *RateLimit) read(path string, value json.RawMessage) error {
	if isNull(value) {
		*r = RateLimit{Requests: Unlimited}
		return nil
	}
	var seconds int
	err := members{
		"requests":  r.requests().read,
		"windowSec": numberOf(&seconds, 1, int64(maxWindow/time.Second)),
	}.read(path, value)
	if err == nil && seconds == 0 {
		return faultf(path+".windowSec", "is missing")
	}
	r.Window = time.Duration(seconds) * time.Second
	return err
}
