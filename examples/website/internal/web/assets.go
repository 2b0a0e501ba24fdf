package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
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
		a.files[name] = file
		if path.Ext(name) == ".js" {
			a.modules[name] = readModule(file)
		}
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

// ServeHTTP serves only the files of this build. A page of another build has to be loaded
// again.
func (a *assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, ours := strings.CutPrefix(r.URL.Path, a.folder)
	file, ok := a.files[name]
	if !ours || !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, path.Base(name), time.Time{}, bytes.NewReader(file))
}
