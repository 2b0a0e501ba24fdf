package account

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// PlanSource returns the plan of each account. Use [Plans], or implement your own, for
// example with a billing database. It must be safe for concurrent use.
type PlanSource interface {
	// PlanOf returns the plan of an account. The source decides what a.Plan means: it is the
	// last Settings.Plan. It is empty for an account that is being created without a plan; the
	// account then records the name of the returned plan.
	//
	// If there is no such plan, the error wraps [ErrNoPlan]. The account's keys are
	// then refused, and the 402 answers carry the ActionLabel and ActionURL of the
	// returned plan. After any other error, the server answers the account's requests
	// with 503 SERVICE_UNAVAILABLE, and also if a call takes longer than 3 s: then ctx
	// ends, and a call that continues is abandoned. After three abandoned calls for an
	// account, the server calls again only when one of them has returned. If the plan
	// has impossible limits, the answer is CONFIG_ERROR, and the log names the reason.
	//
	// Answers and failures are remembered for a second. Until the first answer, all requests of
	// the account wait for one call. Requests of other accounts do not wait.
	PlanOf(ctx context.Context, a Account) (Plan, error)
}

// ErrNoPlan means that the plan does not exist. An error of [Plans] that wraps it names
// the requested plan and the existing ones.
var ErrNoPlan = errors.New("account: there is no such plan")

// noPlan is an ErrNoPlan that names the missing plan.
type noPlan string

func (e noPlan) Error() string { return string(e) }

// Is makes errors.Is find ErrNoPlan.
func (noPlan) Is(target error) bool { return target == ErrNoPlan }

// Plans are the plans that an operator offers, by name. Default is the plan of a new account.
// [ReadPlans] reads plans from a file.
type Plans struct {
	Default string
	ByName  map[string]Plan
}

// PlanOf returns the account's plan, or the default plan if the account names none. If there is
// no such plan, it returns [ErrNoPlan] with the action links of the default plan.
func (p Plans) PlanOf(_ context.Context, a Account) (Plan, error) {
	name := a.Plan
	if name == "" {
		name = p.Default
	}
	plan, ok := p.ByName[name]
	if !ok {
		to := p.ByName[p.Default]
		return Plan{ActionLabel: to.ActionLabel, ActionURL: to.ActionURL}, p.none(name)
	}
	plan.Name = name
	return plan, nil
}

// mostNamed limits the plans that an error names.
const mostNamed = 20

func (p Plans) none(name string) error {
	names, more := slices.Sorted(maps.Keys(p.ByName)), ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return noPlan(fmt.Sprintf("account: there is no plan %q, only %v%s", name, names, more))
}

// check returns an error that names the first impossible value.
func (p Plans) check() error {
	if _, ok := p.ByName[p.Default]; !ok {
		return fmt.Errorf("account: Plans.Default: %w", p.none(p.Default))
	}
	for _, name := range slices.Sorted(maps.Keys(p.ByName)) {
		if err := p.ByName[name].check(); err != nil {
			return fmt.Errorf("account: plan %q: %w", name, err)
		}
	}
	return nil
}
