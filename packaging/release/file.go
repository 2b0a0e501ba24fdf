package main

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// file is a file or folder of an archive, a package or an image.
type file struct {
	path  string      // with slashes, relative to the root
	mode  fs.FileMode // with fs.ModeDir: a folder
	owner int         // the number of its user and of its group; 0 means root
	data  []byte
}

// The modes of files. The umask of the caller does not change them.
const (
	plainMode   fs.FileMode = 0o644
	programMode fs.FileMode = 0o755
	folderMode              = fs.ModeDir | 0o755
)

// inOrder returns the files and the folders that hold them, sorted by their paths.
func inOrder(files []file) []file {
	all := map[string]file{}
	for _, f := range files {
		for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
			if _, named := all[dir]; !named {
				all[dir] = file{path: dir, mode: folderMode}
			}
		}
		all[f.path] = f
	}
	return slices.SortedFunc(maps.Values(all), func(a, b file) int { return strings.Compare(a.path, b.path) })
}
