package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"time"
)

// archive returns the files as one archive with a single folder at its root: a zip file for
// Windows, otherwise tar.gz. The extension tells which one it is.
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

// writeTar writes the files, each after the folder that holds it.
func writeTar(to io.Writer, files []file, at time.Time) error {
	w := tar.NewWriter(to)
	for _, f := range inOrder(files) {
		header := tar.Header{
			Typeflag: tar.TypeReg, Name: f.path, Size: int64(len(f.data)),
			Mode: int64(f.mode.Perm()), Uid: f.owner, Gid: f.owner, ModTime: at,
		}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, f.path+"/"
		}
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
	w := zip.NewWriter(to)
	for _, f := range inOrder(files) {
		header := zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: at}
		if f.mode.IsDir() {
			header.Name, header.Method = f.path+"/", zip.Store
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
