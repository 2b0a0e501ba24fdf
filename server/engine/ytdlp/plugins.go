package ytdlp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxPluginFiles limits the files of all plugins.
const maxPluginFiles = 10_000

// checkPlugins returns an error if a folder holds no plugin, or if everybody may write there: a
// plugin is code that sees the links and the cookies of the service.
func checkPlugins(folder string) error {
	if !filepath.IsAbs(folder) {
		return fmt.Errorf("%q is not an absolute path", folder)
	}
	found, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*", "yt_dlp_plugins")) // only a bad pattern is an error
	archives, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*.zip"))
	if len(found)+len(archives) == 0 {
		if _, err := os.Stat(folder); err != nil {
			return err
		}
		return fmt.Errorf("%s has no plugin: each plugin is a folder in it that has the folder yt_dlp_plugins, as after "+
			"pip install --target %s bgutil-ytdlp-pot-provider", folder, filepath.Join(folder, "bgutil"))
	}
	files := 0
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if files++; files > maxPluginFiles {
			return fmt.Errorf("more than %d files in %s: name a folder of plugins alone", maxPluginFiles, folder)
		}
		info, err := os.Stat(path) // the target of a link
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it leads nowhere
		case err != nil:
			return err
		case info.Mode().Perm()&0o002 != 0:
			return fmt.Errorf("everybody may write %s: run chmod -R o-w %s", path, folder)
		}
		return nil
	})
}

// escapeGlob escapes the characters that have a meaning in a pattern.
func escapeGlob(path string) string {
	var escaped []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			escaped = append(escaped, '\\')
		}
		escaped = append(escaped, r)
	}
	return string(escaped)
}
