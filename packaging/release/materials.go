package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The lists of materials (SBOM) name the parts of a program. They have what the Go command wrote
// into the program, and nothing else: "go version -m" shows the same.

// tool is what the lists name as their author.
const tool = "github.com/transcriptkit/transcriptkit/packaging/release"

// writeMaterials writes the list of a program's materials in both formats.
func (f *folder) writeMaterials(p program, name string, at time.Time) error {
	var to bytes.Buffer
	if err := writeCycloneDX(&to, p, name, at); err != nil {
		return err
	}
	if err := f.write("sbom/"+name+".cdx.json", to.Bytes()); err != nil {
		return err
	}
	to.Reset()
	if err := writeSPDX(&to, p, name, at); err != nil {
		return err
	}
	return f.write("sbom/"+name+".spdx.json", to.Bytes())
}

// modules returns the modules that a program holds, as they were compiled: a replacement instead of
// the module that it replaces. Go's own packages are the module stdlib.
func modules(info *buildinfo.BuildInfo) []*debug.Module {
	all := []*debug.Module{{Path: "stdlib", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		for m.Replace != nil {
			m = m.Replace
		}
		all = append(all, m)
	}
	return all
}

// packageURL names a module as other lists do.
func packageURL(path, version string) string { return "pkg:golang/" + path + "@" + version }

func (p program) sha256() string { return fmt.Sprintf("%x", sha256.Sum256(p.data)) }

// identity returns a UUID that is the same for the same program.
func (p program) identity() string {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(tool+"/"+p.sha256())).String()
}
