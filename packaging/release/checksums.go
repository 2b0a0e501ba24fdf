package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// checksumsFile lists all files of a release as "sha256sum -c" reads them.
const checksumsFile = "checksums.txt"

// writeChecksums lists all files that are there, in the order of their names.
func (f *folder) writeChecksums() error {
	var list strings.Builder
	root := os.DirFS(f.dir)
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(data), name)
		return nil
	})
	if err != nil {
		return err
	}
	return f.write(checksumsFile, []byte(list.String()))
}
