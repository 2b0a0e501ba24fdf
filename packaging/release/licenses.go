package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenseFiles are the names under which modules have their licenses and notices.
var licenseFiles = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)`)

// licenses returns the licenses of Go and of all modules that the programs hold: most of them must
// go with each copy of a program.
func (c *checkout) licenses(ctx context.Context, built []program) ([]byte, error) {
	settings := []string{"GOFLAGS=-mod=readonly", "GOWORK=off"}
	root, err := output(ctx, c.dir, settings, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	listed, err := output(ctx, c.dir, settings, "go", "list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "all")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"stdlib": strings.TrimSpace(root)}
	for line := range strings.Lines(listed) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		folders[path] = folder
	}
	held := map[string]string{}
	for _, p := range built {
		for _, m := range modules(p.info) {
			held[m.Path] = m.Version
		}
	}
	var all bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(held)) {
		if err := appendLicenses(&all, path+" "+held[path], folders[path]); err != nil {
			return nil, err
		}
	}
	return all.Bytes(), nil
}

// appendLicenses refuses a module without a license.
func appendLicenses(to *bytes.Buffer, module, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("the license of %s: %w", module, err)
	}
	found := false
	for _, entry := range entries {
		if entry.IsDir() || !licenseFiles.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			return fmt.Errorf("the license of %s: %w", module, err)
		}
		fmt.Fprintf(to, "== %s: %s\n\n%s\n\n", module, entry.Name(), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no license in %s", module, folder)
	}
	return nil
}
