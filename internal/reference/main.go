// Command reference writes the pages of docs/reference from the OpenAPI document of the service, and
// from the examples among the words of the document:
//
//	go run ./internal/reference
//
// There is a page for each tag of the document, a page with the refusals of all operations, and a
// list of the operations. Run the command in the root of the repository: go generate ./server does so.
package main

import (
	"log"
	"os"
	"path/filepath"
)

func main() {
	if err := write("."); err != nil {
		log.Fatal(err)
	}
}

// write replaces the pages in the folder of a repository.
func write(repository string) error {
	pages, err := generate(repository)
	if err != nil {
		return err
	}
	folder := filepath.Join(repository, "docs", "reference")
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // documents are for everybody
		return err
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil { //nolint:gosec // documents are for everybody
			return err
		}
	}
	return nil
}

// generate returns the pages by the names of their files.
func generate(repository string) (map[string]string, error) {
	d, err := read(repository)
	if err != nil {
		return nil, err
	}
	pages := map[string]string{"README.md": d.index(), errorsPage: d.refusals()}
	for _, tag := range d.Tags {
		pages[tag.Name+".md"] = d.page(tag)
	}
	return pages, nil
}
