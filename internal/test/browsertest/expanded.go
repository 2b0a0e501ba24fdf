package browsertest

import (
	"context"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Expanded reports whether a screen reader calls the element with a role and an accessible name
// expanded. An element without such a state, and a missing element, are not. The summary of a
// fold has the role "DisclosureTriangle".
func (p *Page) Expanded(role, name string) bool {
	p.t.Helper()
	return Run(p, func(ctx context.Context, t *chromedp.Target) (bool, error) {
		root, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: "document"})
		if err != nil {
			return false, err
		}
		found, err := cdp.Call(ctx, t, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: root.Result.ObjectID, Role: role, AccessibleName: name})
		if err != nil {
			return false, err
		}
		for _, node := range found.Nodes {
			for _, property := range node.Properties {
				if !node.Ignored && property.Name == accessibility.PropertyNameExpanded {
					return string(property.Value.Value) == "true", nil
				}
			}
		}
		return false, nil
	})
}
