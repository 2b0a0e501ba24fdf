package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// assets are the files that pages load. The hash of all files names their folder, so browsers
// may cache them forever, and modules import each other as "./name.js".
type assets struct {
	folder string // as in "/assets/0123456789abcdef/"
	files  map[string][]byte

	modules map[string]module // by name
}

func readAssets(files fs.FS, catalogs []*Catalog) (*assets, error) {
	a := &assets{files: map[string][]byte{}, modules: map[string]module{}}
	err := fs.WalkDir(files, "assets", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := fs.ReadFile(files, name)
		name = strings.TrimPrefix(name, "assets/")
		if path.Ext(name) == ".js" {
			file = commentOf.ReplaceAll(file, nil) // which are a tenth of what a page loads
			a.modules[name] = readModule(file)
		}
		a.files[name] = file
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, c := range catalogs {
		if a.files["refusals-"+c.tag.String()+".json"], err = c.refusalsFile(); err != nil {
			return nil, err
		}
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(a.files)) {
		fmt.Fprintf(sum, "%s %d\n", name, len(a.files[name]))
		sum.Write(a.files[name])
	}
	a.folder = "/assets/" + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	return a, nil
}

// url returns the address of a file. The error names a missing file.
func (a *assets) url(name string) (string, error) {
	if _, ok := a.files[name]; !ok {
		return "", fmt.Errorf("there is no asset %q", name)
	}
	return a.folder + name, nil
}

// AssetURL returns the address of a file that pages load. The error names a missing file.
func (s *Site) AssetURL(name string) (string, error) { return s.assets.url(name) }

// ofDocuments are the security headers that bind documents only. A page loads some twenty files, and
// without compression of headers these are a third of its bytes.
var ofDocuments = []string{"Content-Security-Policy", "Cross-Origin-Opener-Policy", "Permissions-Policy", "Referrer-Policy"}

// ServeHTTP serves only the files of this build. A page of another build has to be loaded
// again.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ours := strings.CutPrefix(r.URL.Path, a.folder)
	file, ok := a.files[name]
	if !ours || !ok {
		http.NotFound(w, r)
		return
	}
	for _, name := range ofDocuments {
		w.Header().Del(name)
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(file))
}

// module is what a module of the assets needs.
type module struct {
	imports []string // the names of other modules, also of those that are loaded later
	texts   []string // the keys of its texts, up to the first value that is put into a key
}

var (
	importOf   = regexp.MustCompile(`\b(?:from|import)\s*\(?\s*"\./([\w-]+\.js)"`)
	commentOf  = regexp.MustCompile(`(?m)^\s*//.*\n`) // a comment that has its lines for itself
	textCall   = regexp.MustCompile("(?m)(?:^|[^.\\w])(?:t|text)\\([\"'`]([a-z]\\w*\\.[\\w.]*)")
	moduleLoad = regexp.MustCompile(`<script type="module" src="([^"]+)"`)
)

func readModule(source []byte) (m module) {
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
