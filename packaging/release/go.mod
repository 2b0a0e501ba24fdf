module github.com/transcriptkit/transcriptkit/packaging/release

go 1.26.0

require (
	github.com/CycloneDX/cyclonedx-go v0.12.0
	github.com/alecthomas/kong v1.17.0
	github.com/google/uuid v1.6.0
	github.com/spdx/tools-golang v0.5.7
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/anchore/go-struct-converter v0.1.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
