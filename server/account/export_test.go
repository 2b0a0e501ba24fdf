package account

import "context"

// Inquiring is how the plans of a source are asked for.
func Inquiring(source PlanSource) func(context.Context, Account) (Plan, error) {
	s := &inquiries{source: source}
	return s.of
}
