package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// Barrier is a fault of a page that keeps some people from using it.
type Barrier struct {
	Rule   string   // axe-core's name, such as "color-contrast"
	Impact string   // minor, moderate, serious or critical
	Help   string   // how to repair it
	Where  []string // CSS selectors, each with its fault
}

// String returns the barrier in a few lines.
func (b Barrier) String() string {
	return fmt.Sprintf("%s: %s (%s)\n\t%s", b.Impact, b.Help, b.Rule, strings.Join(b.Where, "\n\t"))
}

// Barriers checks the current page for faults that exclude people who see little or nothing, or
// who have no mouse. It runs axe-core, which make setup installs, with all of its rules or only
// the named ones.
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

// axe returns the script of axe-core from the module's bin folder.
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
