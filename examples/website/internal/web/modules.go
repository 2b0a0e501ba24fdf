package web

import (
	"encoding/json"
	"html/template"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// module is what a module of the assets needs.
type module struct {
	imports []string // the names of other modules, also of those that are loaded later
	texts   []string // the keys of its texts, up to the first value that is put into a key
}

var (
	importOf   = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*"\./([\w-]+\.js)"`)
	commentOf  = regexp.MustCompile(`(?m)^\s*//.*$`)
	textCall   = regexp.MustCompile("(?m)(?:^|[^.\\w])(?:t|text)\\([\"'`]([a-z]\\w*\\.[\\w.]*)")
	moduleLoad = regexp.MustCompile(`<script type="module" src="([^"]+)"`)
)

func readModule(source []byte) (m module) {
	source = commentOf.ReplaceAll(source, nil)
	for _, found := range importOf.FindAllSubmatch(source, -1) {
		m.imports = append(m.imports, string(found[1]))
	}
	for _, found := range textCall.FindAllSubmatch(source, -1) {
		m.texts = append(m.texts, string(found[1]))
	}
	return m
}

// uses returns the names of the modules and of all modules that they import.
func (a *assets) uses(names ...string) []string {
	all := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if !all[name] {
			all[name] = true
			names = append(names, a.modules[name].imports...)
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// textsOf returns the texts that the modules show. A module names a text by its whole key, or
// by the beginning of the key up to a dot, as in "stage.".
func (c *Catalog) textsOf(files *assets, names ...string) map[string]phrase {
	found := map[string]phrase{}
	for _, name := range files.uses(names...) {
		for _, key := range files.modules[name].texts {
			if text, ok := c.phrases[key]; ok {
				found[key] = text
			} else if strings.HasSuffix(key, ".") && !slices.Contains(refusals, key) {
				maps.Copy(found, c.beginning(key))
			}
		}
	}
	return found
}

// beginning returns the texts whose keys begin with a string.
func (c *Catalog) beginning(with string) map[string]phrase {
	found := map[string]phrase{}
	for key, text := range c.phrases {
		if strings.HasPrefix(key, with) {
			found[key] = text
		}
	}
	return found
}

// textsFor returns the texts, in JSON, of the modules that the head of a page loads. The JSON
// stands in the page, in the language of the page.
func (r *Request) textsFor(head template.HTML) (template.JS, error) {
	var names []string
	for _, load := range moduleLoad.FindAllStringSubmatch(string(head), -1) {
		names = append(names, path.Base(load[1]))
	}
	texts, err := json.Marshal(r.textsOf(r.site.assets, names...))
	return template.JS(texts), err //nolint:gosec // of the catalog; Marshal writes no markup
}
