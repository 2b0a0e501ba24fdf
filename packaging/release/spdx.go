package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"
)

// license is what the project stands under.
const license = "MIT"

// unsaid is what SPDX wants where nothing is claimed.
const unsaid = "NOASSERTION"

// writeSPDX writes the list of a program's materials in the format SPDX 2.3.
func writeSPDX(to io.Writer, p program, name string, at time.Time) error {
	var settings strings.Builder
	for _, s := range p.info.Settings {
		fmt.Fprintf(&settings, "%s=%s\n", s.Key, s.Value)
	}
	main := newPackage("program", &p.info.Main)
	main.PackageName, main.PackageFileName, main.PrimaryPackagePurpose = name, name, "APPLICATION"
	main.PackageLicenseDeclared, main.PackageComment = license, settings.String()
	main.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: p.sha256()}}
	list := spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName: name, DocumentNamespace: "https://" + tool + "/" + p.identity(),
		CreationInfo: &spdx.CreationInfo{Created: at.Format(time.RFC3339), Creators: []common.Creator{{CreatorType: "Tool", Creator: tool}}},
		Packages:     []*spdx.Package{main},
		Relationships: []*spdx.Relationship{{
			RefA: common.MakeDocElementID("", "DOCUMENT"), RefB: common.MakeDocElementID("", "program"), Relationship: common.TypeRelationshipDescribe,
		}},
	}
	for i, m := range modules(p.info) {
		id := fmt.Sprintf("module-%d", i)
		part := newPackage(id, m)
		part.PackageComment = m.Sum
		list.Packages = append(list.Packages, part)
		list.Relationships = append(list.Relationships, &spdx.Relationship{
			RefA: common.MakeDocElementID("", "program"), RefB: common.MakeDocElementID("", id), Relationship: common.TypeRelationshipDependsOn,
		})
	}
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	return encoder.Encode(&list)
}

func newPackage(id string, m *debug.Module) *spdx.Package {
	return &spdx.Package{
		PackageSPDXIdentifier: common.ElementID(id), PackageName: m.Path, PackageVersion: m.Version,
		PackageDownloadLocation: unsaid, PackageLicenseConcluded: unsaid, PackageLicenseDeclared: unsaid, PackageCopyrightText: unsaid,
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: packageURL(m.Path, m.Version),
		}},
	}
}
