package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// Barrier is something on a page that keeps somebody from using it.
type Barrier struct {
	Rule   string   // of axe-core, as "color-contrast"
	Impact string   // minor, moderate, serious or critical
	Help   string   // what to do
	Where  []string // CSS selectors, each with what is wrong there
}

// String is the barrier in a few lines.
func (b Barrier) String() string {
	return fmt.Sprintf("%s: %s (%s)\n\t%s", b.Impact, b.Help, b.Rule, strings.Join(b.Where, "\n\t"))
}

// Barriers looks at the page as it is now for what keeps people out who see little or
// nothing, or who have no mouse. It runs axe-core, which make setup installs: all of its
// rules, or those that are named.
func (p *Page) Barriers(rules ...string) []Barrier {
	p.t.Helper()
	script, err := axe()
	if err != nil {
		p.t.Fatalf("%v: run make setup", err)
	}
	only := "{}"
	if len(rules) > 0 {
		only = `{runOnly: ` + Quote(strings.Join(rules, " ")) + `.split(" ")}`
	}
	p.Do(chromedp.Evaluate[chromedp.Void](`if (!globalThis.axe) {` + script + `}`))
	return Eval[[]Barrier](p, `axe.run(document, {preload: false, resultTypes: ["violations"], ...`+only+`}).then(found => found.violations.map(v => ({
		Rule: v.id, Impact: v.impact, Help: v.help,
		Where: v.nodes.map(n => n.target.join(" ") + ": " + n.failureSummary.replaceAll("\n", " ")),
	})))`)
}

// axe is the script of axe-core, in the bin folder of the module.
var axe = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			return "", os.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
	script, err := os.ReadFile(filepath.Join(dir, "bin/axe/node_modules/axe-core/axe.min.js"))
	return string(script), err
})
