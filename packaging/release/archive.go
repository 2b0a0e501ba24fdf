package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"time"
)

// archive returns the files as one archive with a single folder at its root: a zip file for
// Windows, else tar.gz. The extension tells which one it is.
func archive(folder string, t target, files []file, at time.Time) (data []byte, extension string, err error) {
	within := make([]file, len(files))
	for i, f := range files {
		f.path = folder + "/" + f.path
		within[i] = f
	}
	var to bytes.Buffer
	if t.os == "windows" {
		err = writeZip(&to, within, at)
		return to.Bytes(), ".zip", err
	}
	compressed := gzip.NewWriter(&to)
	if err = writeTar(compressed, within, at); err == nil {
		err = compressed.Close()
	}
	return to.Bytes(), ".tar.gz", err
}

// writeTar writes the folders and then the files, as root's.
func writeTar(to io.Writer, files []file, at time.Time) error {
	files, folders := inOrder(files)
	w := tar.NewWriter(to)
	for _, folder := range folders {
		header := tar.Header{Typeflag: tar.TypeDir, Name: folder + "/", Mode: int64(folderMode), ModTime: at, Uname: "root", Gname: "root"}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
	}
	for _, f := range files {
		header := tar.Header{Typeflag: tar.TypeReg, Name: f.path, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at, Uname: "root", Gname: "root"}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func writeZip(to io.Writer, files []file, at time.Time) error {
	files, folders := inOrder(files)
	w := zip.NewWriter(to)
	for _, folder := range folders {
		files = append([]file{{path: folder + "/", mode: folderMode | fs.ModeDir}}, files...)
	}
	for _, f := range files {
		header := zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: at}
		if f.mode.IsDir() {
			header.Method = zip.Store
		}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(&header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}
