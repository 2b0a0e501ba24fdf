package service

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/transcriptkit/transcriptkit/server/account"
)

// PlansFlag is the flag of every command that needs the plans of accounts.
type PlansFlag struct {
	Plans plansFile `placeholder:"FILE" help:"The offered plans: JSON, as in examples/transcriptd/plans.json. The commands accounts and keys take it too. Default: one plan, self_hosted, without quotas."`
}

// Offered returns the plans of the file, or those of a self-hosted service.
func (f PlansFlag) Offered() account.Plans {
	if f.Given() {
		return f.Plans.Plans
	}
	return account.DefaultPlans()
}

// Given reports whether a file was named.
func (f PlansFlag) Given() bool { return f.Plans.Default != "" }

// plansFile holds the plans of a file; none if there is no file.
type plansFile struct{ account.Plans }

// UnmarshalText is called by the parser, with the file's name.
func (p *plansFile) UnmarshalText(path []byte) error {
	file, err := os.Open(string(path))
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it is only read
	if p.Plans, err = account.ReadPlans(file); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// mostNamed limits the accounts or plans that a line names.
const mostNamed = 10

// Some returns the first entries of a list, and says how many more there are.
func Some(names []string) string {
	if more := len(names) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Paid returns the names of the plans that include API keys.
func Paid(plans account.Plans) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(plans.ByName)) {
		if plans.ByName[name].Paid {
			names = append(names, name)
		}
	}
	return names
}

// warnOfPlans logs plans that the operator has probably not intended.
func warnOfPlans(ctx context.Context, log *slog.Logger, accounts *account.Accounts, plans account.Plans) error {
	for _, name := range Paid(plans) {
		if members := takenBack(plans.ByName[name]); members != nil {
			log.WarnContext(ctx, "a plan takes back what it gives: a member that is 0 or missing permits nothing", "plan", name, "members", strings.Join(members, " "))
		}
	}
	all, err := accounts.List(ctx)
	if err != nil {
		return err
	}
	var lost []string
	for _, a := range all {
		if _, there := plans.ByName[a.Plan]; !there {
			lost = append(lost, fmt.Sprintf("%s (%s)", a.Name, a.Plan))
		}
	}
	if lost != nil {
		log.WarnContext(ctx, "accounts are on plans that are not offered: their keys are refused until accounts set --plan gives them another", "accounts", Some(lost), "offered", Some(slices.Sorted(maps.Keys(plans.ByName))))
	}
	return nil
}

// takenBack returns limits of 0 that make a feature of the plan useless.
func takenBack(p account.Plan) (members []string) {
	for _, m := range []struct {
		includes bool
		name     string
		limit    int64
	}{
		{p.Paid, "rateLimit.requests", int64(p.RateLimit.Requests)},
		{p.Paid, "transcriptsPerPeriod", p.TranscriptsPerPeriod},
		{p.Upload, "maxUploadBytes", p.MaxUploadBytes},
		{p.MaxKeepMedia != 0, "maxKeptMediaBytes", p.MaxKeptMediaBytes},
		{p.ASR, "asrMinutesPerPeriod", p.ASRMinutesPerPeriod},
		{p.ASR, "asrConcurrency", int64(p.ASRConcurrency)},
		{p.ASR, "maxDurationSec", int64(p.MaxDuration)},
	} {
		if m.includes && m.limit == 0 {
			members = append(members, m.name)
		}
	}
	return members
}
