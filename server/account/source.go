package account

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// PlanSource knows which plan an account is on: [Plans], or what an embedder has, as
// a billing database. Safe for concurrent use.
type PlanSource interface {
	// PlanOf returns the plan of an account. What a.Plan says is up to the source: it
	// is what Settings.Plan said last, and empty for an account that is being made
	// without one, which is then noted as being on the plan that is returned.
	//
	// The error is one that wraps [ErrNoPlan] where there is no such plan: its keys
	// are refused then, and the 402 answers carry the ActionLabel and ActionURL of the
	// plan that is returned beside it. Any other error is a failure: the account's
	// requests are answered with 503 SERVICE_UNAVAILABLE. So is a plan that does not
	// come within 3 s, when ctx ends: a call that goes on after that is left behind, and
	// when three of an account are, it is not asked about that one until one returns. A
	// plan with limits that cannot be meant is a CONFIG_ERROR. The log says why.
	//
	// Answers, failures too, are remembered for a second. Until there is one, the
	// requests of the account wait for it together, and those of others are not held
	// up.
	PlanOf(ctx context.Context, a Account) (Plan, error)
}

// ErrNoPlan says that there is no such plan. An error of [Plans] around it names the
// one that was asked for, and those there are.
var ErrNoPlan = errors.New("account: there is no such plan")

// noPlan is an ErrNoPlan that says which plan there is not.
type noPlan string

func (e noPlan) Error() string { return string(e) }

// Is makes errors.Is find ErrNoPlan.
func (noPlan) Is(target error) bool { return target == ErrNoPlan }

// Plans are the plans that an operator offers, by name. Default is the plan of
// a new account. [ReadPlans] reads them from a file.
type Plans struct {
	Default string
	ByName  map[string]Plan
}

// PlanOf returns the plan that the account names, or the default one if it names
// none. The error is an [ErrNoPlan], beside the action links of the default plan.
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

// mostNamed is how many plans an error names.
const mostNamed = 20

func (p Plans) none(name string) error {
	names, more := slices.Sorted(maps.Keys(p.ByName)), ""
	if n := len(names) - mostNamed; n > 0 {
		names, more = names[:mostNamed], fmt.Sprintf(" and %d more", n)
	}
	return noPlan(fmt.Sprintf("account: there is no plan %q, only %v%s", name, names, more))
}

// check returns an error that names what cannot be meant.
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
