package main

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// file is a file of an archive, a package or an image.
type file struct {
	path string // with slashes, relative to the root
	mode fs.FileMode
	data []byte
}

// The modes of files, whatever the umask is.
const (
	plainMode   fs.FileMode = 0o644
	programMode fs.FileMode = 0o755
	folderMode  fs.FileMode = 0o755
)

// inOrder returns the files sorted by their paths, and the folders that hold them.
func inOrder(files []file) (sorted []file, folders []string) {
	sorted = slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.path, b.path) })
	for _, f := range sorted {
		for dir := path.Dir(f.path); dir != "."; dir = path.Dir(dir) {
			folders = append(folders, dir)
		}
	}
	slices.Sort(folders)
	return sorted, slices.Compact(folders)
}
