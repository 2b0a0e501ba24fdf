package main

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// Tree returns the sentences of all files under root except tests. Tree skips generated
// pages, test data, the folder bin and hidden folders. If Tree cannot read or parse a file, its error
// names the file.
func Tree(root fs.FS) ([]Sentence, error) {
	var sentences []Sentence
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipped(entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		more, err := read(root, name)
		sentences = append(sentences, more...)
		return err
	})
	return sentences, err
}

func skipped(folder string) bool {
	return folder == "testdata" || folder == "bin" || folder == "node_modules" ||
		strings.HasPrefix(folder, ".") && folder != "."
}

func read(root fs.FS, name string) ([]Sentence, error) {
	isGo := path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
	isMarkdown := path.Ext(name) == ".md"
	isPage := path.Base(path.Dir(name)) == "strings" && path.Base(name) == "en.json"
	if !isGo && !isMarkdown && !isPage {
		return nil, nil
	}
	content, err := fs.ReadFile(root, name)
	switch {
	case err != nil:
		return nil, err
	case isMarkdown && bytes.HasPrefix(content, []byte("<!-- Generated")):
		return nil, nil // its sentences have sources of their own
	case isMarkdown:
		return MarkdownFile(name, string(content)), nil
	case isPage:
		return PageFile(name, string(content)), nil
	}
	return Go(name, content)
}
