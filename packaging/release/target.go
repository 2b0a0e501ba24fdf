package main

import (
	"fmt"
	"slices"
	"strings"
)

// target is a system that programs are built for.
type target struct{ os, arch string }

// targets are all that a release is for.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "riscv64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"},
}

func allTargets() string {
	var names []string
	for _, t := range targets {
		names = append(names, t.String())
	}
	return strings.Join(names, ",")
}

// String returns the target as Go writes it.
func (t target) String() string { return t.os + "/" + t.arch }

// program returns the name of a program's file.
func (t target) program(name string) string {
	if t.os == "windows" {
		return name + ".exe"
	}
	return name
}

// UnmarshalText is called by the parser of the command line.
func (t *target) UnmarshalText(text []byte) error {
	t.os, t.arch, _ = strings.Cut(string(text), "/")
	if !slices.Contains(targets, *t) {
		return fmt.Errorf("%q is none of %s", text, allTargets())
	}
	return nil
}

// environment returns the settings of the Go command that the programs depend on.
// Settings of the caller must not change the programs.
func (t target) environment() []string {
	return []string{
		"GOOS=" + t.os, "GOARCH=" + t.arch, "CGO_ENABLED=0",
		"GOAMD64=v1", "GOARM64=v8.0", "GORISCV64=rva20u64",
		"GOFLAGS=-mod=readonly", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
	}
}
