package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
	"github.com/spdx/tools-golang/spdx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// made of: the module, its version and its hash of a row that "go version -m" prints.
type part struct{ module, version, sum string }

// materials is what a list says about a program.
type materials struct {
	parts    []part
	settings []string // KEY=VALUE
}

// Both lists of each program say what "go version -m" says, and nothing else.
func TestMaterialsAreThoseOfTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	answer(t, "tar", "-xzf", only(t, "transcriptkit_*.tar.gz"), "-C", dir, "--strip-components=1")
	for _, program := range []string{"transcriptd", "transcribe", "website"} {
		told := goVersion(t, filepath.Join(dir, program))
		require.Greater(t, len(told.parts), 3)
		require.Contains(t, told.settings, "vcs.modified=false")
		assert.Equal(t, told, fromCycloneDX(t, only(t, "sbom/"+program+"_*.cdx.json")), program)
		assert.Equal(t, told, fromSPDX(t, only(t, "sbom/"+program+"_*.spdx.json")), program)
	}
}

// goVersion reads what the Go command says about a program.
func goVersion(t *testing.T, program string) materials {
	t.Helper()
	var m materials
	for line := range strings.Lines(answer(t, "go", "version", "-m", program)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		switch kind := fields[0]; kind {
		case "mod":
			m.parts = append(m.parts, part{module: fields[1], version: fields[2]})
		case "dep":
			m.parts = append(m.parts, part{fields[1], fields[2], fields[3]})
		case "build":
			m.settings = append(m.settings, fields[1])
		case "=>":
			require.Fail(t, "a replaced module", line)
		case "path":
		default: // PROGRAM: go1.26.0
			_, release, found := strings.Cut(line, ": go")
			require.True(t, found, line)
			m.parts = append(m.parts, part{module: "stdlib", version: strings.TrimSpace(release)})
		}
	}
	m.parts[0], m.parts[1] = m.parts[1], m.parts[0] // the lists begin with the program
	return m
}

func fromCycloneDX(t *testing.T, path string) (m materials) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, f.Close()) }()
	list := new(cyclonedx.BOM)
	require.NoError(t, cyclonedx.NewBOMDecoder(f, cyclonedx.BOMFileFormatJSON).Decode(list))
	main := list.Metadata.Component
	for _, s := range *main.Properties {
		m.settings = append(m.settings, strings.TrimPrefix(s.Name, "go:build:")+"="+s.Value)
	}
	module, _, _ := strings.Cut(strings.TrimPrefix(main.PackageURL, "pkg:golang/"), "@")
	m.parts = append(m.parts, part{module: module, version: main.Version})
	needs := (*list.Dependencies)[0].Dependencies
	require.Len(t, *needs, len(*list.Components))
	for i, c := range *list.Components {
		assert.Equal(t, c.BOMRef, (*needs)[i])
		p := part{module: c.Name, version: c.Version}
		if c.Properties != nil {
			p.sum = (*c.Properties)[0].Value
		}
		m.parts = append(m.parts, p)
	}
	return m
}

func fromSPDX(t *testing.T, path string) (m materials) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var list spdx.Document
	require.NoError(t, json.Unmarshal(data, &list))
	main := list.Packages[0]
	m.settings = strings.Split(strings.TrimSpace(main.PackageComment), "\n")
	module, _, _ := strings.Cut(strings.TrimPrefix(main.PackageExternalReferences[0].Locator, "pkg:golang/"), "@")
	m.parts = append(m.parts, part{module: module, version: main.PackageVersion})
	require.Len(t, list.Relationships, len(list.Packages), "the document describes the program, which needs the others")
	for _, p := range list.Packages[1:] {
		m.parts = append(m.parts, part{p.PackageName, p.PackageVersion, p.PackageComment})
	}
	return m
}
