package main

import (
	"io"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// writeCycloneDX writes the list of a program's materials in the format CycloneDX 1.6.
func writeCycloneDX(to io.Writer, p program, name string, at time.Time) error {
	main := cyclonedx.Component{
		BOMRef: "program", Type: cyclonedx.ComponentTypeApplication, Name: name, Version: p.info.Main.Version,
		PackageURL: packageURL(p.info.Main.Path, p.info.Main.Version) + "#examples/" + p.name,
		Hashes:     &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: p.sha256()}},
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: license}}},
	}
	var settings []cyclonedx.Property
	for _, s := range p.info.Settings {
		settings = append(settings, cyclonedx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	main.Properties = &settings
	var parts []cyclonedx.Component
	var needs []string
	for _, m := range modules(p.info) {
		part := cyclonedx.Component{
			BOMRef: packageURL(m.Path, m.Version), Type: cyclonedx.ComponentTypeLibrary,
			Name: m.Path, Version: m.Version, PackageURL: packageURL(m.Path, m.Version),
		}
		if m.Sum != "" {
			part.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
		}
		parts, needs = append(parts, part), append(needs, part.BOMRef)
	}
	list := cyclonedx.NewBOM()
	list.SerialNumber = "urn:uuid:" + p.identity()
	list.Metadata = &cyclonedx.Metadata{
		Timestamp: at.Format(time.RFC3339), Component: &main,
		Tools: &cyclonedx.ToolsChoice{Components: &[]cyclonedx.Component{{Type: cyclonedx.ComponentTypeApplication, Name: tool}}},
	}
	list.Components = &parts
	list.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &needs}}
	return cyclonedx.NewBOMEncoder(to, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(list, cyclonedx.SpecVersion1_6)
}
