package server_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/transcriptkit/transcriptkit/internal/test/storetest"
	"github.com/transcriptkit/transcriptkit/server"
	"github.com/transcriptkit/transcriptkit/server/store"
)

// exportGolden lists the files of an export, and for each file of rows its members with the types
// that they may have.
const exportGolden = "testdata/export.golden"

// TestExportFormat compares the exportShape of an export with the listing. A reader of exports needs to
// know about a file or a member that goes, or gets another type: then Version grows.
func TestExportFormat(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, o store.Options) {
		s, _, release := furnished(t, o)
		defer release()
		files, _ := s.exported(t, leaver, server.ExportOptions{})
		got := exportShapeOf(t, files)
		if *update {
			updateExportGolden(t, got)
		}
		want := readShape(t)
		assert.Equal(t, want["export.json"], got["export.json"])
		assert.Equal(t, fmt.Sprint(server.ExportVersion), fmt.Sprint(object(t, files["export.json"])["version"]))
		assert.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)), "the files")
		for file, members := range got {
			assert.ElementsMatch(t, slices.Collect(maps.Keys(want[file])), slices.Collect(maps.Keys(members)), "the members of %s", file)
			for member, types := range members {
				for kind := range types {
					if known := want[file][member]; len(known) > 0 { // none: the member had no value, as may be
						assert.Contains(t, known, kind, "%s: %s", file, member)
					}
				}
			}
		}
	})
}

// exportShape is the types of the members of each file. Other files than those of rows have no members.
type exportShape map[string]map[string]map[string]bool

// unstable are the parts of names that belong to a text or a recording.
var unstable = regexp.MustCompile(`^(texts|recordings)/[0-9a-f-]+\.`)

func exportShapeOf(t *testing.T, files map[string]string) exportShape {
	t.Helper()
	all := exportShape{}
	for name, content := range files {
		name = unstable.ReplaceAllString(name, "$1/ID.")
		members := map[string]map[string]bool{}
		switch filepath.Ext(name) {
		case ".jsonl":
			require.NotEmpty(t, content, "the test puts no row of the account into %s", name)
			for _, row := range rows(t, content) {
				members = withTypes(members, row)
			}
		case ".json":
			if name == "export.json" {
				members = withTypes(members, object(t, content))
			}
		}
		all[name] = members
	}
	return all
}

// withTypes adds the types of an object. A member without a value has no type.
func withTypes(members map[string]map[string]bool, row map[string]any) map[string]map[string]bool {
	for member, value := range row {
		if members[member] == nil {
			members[member] = map[string]bool{}
		}
		switch value.(type) {
		case nil:
		case bool:
			members[member]["boolean"] = true
		case float64:
			members[member]["number"] = true
		case string:
			members[member]["text"] = true
		case []any:
			members[member]["list"] = true
		default:
			members[member]["object"] = true
		}
	}
	return members
}

// String is the listing: a line for each file, and below it a line for each member.
func (s exportShape) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d\n", server.ExportVersion)
	for _, file := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintln(&b, file)
		for _, member := range slices.Sorted(maps.Keys(s[file])) {
			fmt.Fprintf(&b, "  %s: %s\n", member, strings.Join(slices.Sorted(maps.Keys(s[file][member])), " "))
		}
	}
	return b.String()
}

func readShape(t *testing.T) exportShape {
	t.Helper()
	b, err := os.ReadFile(exportGolden)
	require.NoError(t, err, "run the test with -update")
	all, file := exportShape{}, ""
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	require.Equal(t, fmt.Sprint("version ", server.ExportVersion), lines[0], "run the test with -update")
	for _, line := range lines[1:] {
		member, types, ok := strings.Cut(strings.TrimPrefix(line, "  "), ":")
		if !ok {
			file = line
			all[file] = map[string]map[string]bool{}
			continue
		}
		all[file][member] = map[string]bool{}
		for _, kind := range strings.Fields(types) {
			all[file][member][kind] = true
		}
	}
	return all
}

// updateExportGolden writes the listing. A listing that loses a line needs a new version.
func updateExportGolden(t *testing.T, got exportShape) {
	t.Helper()
	before, err := os.ReadFile(exportGolden)
	require.True(t, err == nil || os.IsNotExist(err))
	if strings.HasPrefix(string(before), fmt.Sprintf("version %d\n", server.ExportVersion)) {
		for file, members := range readShape(t) {
			require.Contains(t, got, file, "a file goes: raise exportVersion first")
			for member, types := range members {
				require.Contains(t, got[file], member, "a member of %s goes: raise exportVersion first", file)
				maps.Copy(got[file][member], types)
			}
		}
	}
	require.NoError(t, os.WriteFile(exportGolden, []byte(got.String()), 0o600))
}

// Any program can read an export, and its names are names of files on every system.
func TestExportIsReadableEverywhere(t *testing.T) {
	t.Parallel()
	s, _, release := furnished(t, storetest.SQLite(t))
	defer release()
	var b bytes.Buffer
	_, err := s.ExportAccount(t.Context(), leaver, &b, server.ExportOptions{})
	require.NoError(t, err)
	archive, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	seen := map[string]bool{}
	reserved := regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`) // on Windows
	for _, f := range archive.File {
		assert.LessOrEqual(t, len(f.Name), 100)
		assert.False(t, seen[strings.ToLower(f.Name)], "macOS and Windows do not tell %s from another name", f.Name)
		seen[strings.ToLower(f.Name)] = true
		for part := range strings.SplitSeq(f.Name, "/") {
			assert.Regexp(t, `^[A-Za-z0-9_-]+(\.[a-z0-9]+)?$`, part)
			assert.NotRegexp(t, reserved, strings.ToLower(part))
		}
	}

	program, err := exec.LookPath("unzip")
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "unzip is missing")
		t.Skip("unzip is missing: make setup")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "export.zip")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o600))
	out, err := exec.CommandContext(t.Context(), program, "-q", path, "-d", dir).CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Empty(t, string(out), "a warning")
	for _, f := range archive.File {
		unpacked, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name)))
		require.NoError(t, err)
		r, err := archive.Open(f.Name)
		require.NoError(t, err)
		var packed bytes.Buffer
		_, err = packed.ReadFrom(r)
		require.NoError(t, err)
		assert.Equal(t, packed.String(), string(unpacked), f.Name)
	}
	var about map[string]any
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, "export.json"))), &about))
	assert.Equal(t, leaver, about["account"])
}
