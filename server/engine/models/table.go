package models

import (
	"cmp"
	"path"
	"runtime"
	"slices"
	"strings"
)

// Kind is the type of a file.
type Kind string

// The values of Kind.
const (
	KindEngine Kind = "engine" // an archive with the programs of whisper.cpp and their libraries
	KindModel  Kind = "model"  // a ggml model for one of the programs
	// KindProgram is a program of one file, for tables of other packages.
	KindProgram Kind = "program"
)

// Entry is a file that can be pulled.
type Entry struct {
	// Name is the short name: "small". Engines for several systems share one name.
	Name string
	Kind Kind
	// Version is the version of an engine.
	Version string
	// Program is the program that runs a model: [WhisperCLI], which is also the meaning of the
	// empty string, or [ParakeetCLI].
	Program string
	// OS and Arch are the system that an engine runs on, in Go's terms; empty for models.
	OS, Arch string
	// URL is the https address of the file.
	URL string
	// Bytes is the file's size, and SHA256 its hash, in hexadecimal.
	Bytes  int64
	SHA256 string
	// License is the file's license, as an SPDX identifier.
	License string
	// Author made the file. It is empty if the license does not require the author's
	// name.
	Author string
	// Languages describes the languages of a model, for people.
	Languages string
	// Note describes the quality and the cost of a model, for people.
	Note string
	// WordErrors is the word error rate of a model on LibriSpeech test-clean, from 0 to
	// 1, as published; 0 if not known.
	WordErrors float64
	// Recommended marks the model for users who do not want to choose.
	Recommended bool
}

const (
	engines = "https://github.com/ggml-org/whisper.cpp/releases/download/b5130/"
	ggml    = "https://huggingface.co/ggerganov/whisper.cpp/resolve/5359861c739e955e79d9a303bcbc70fb988958b1/"
	nvidia  = "https://huggingface.co/ggml-org/parakeet-GGUF/resolve/35156454d1a39de06863303dd209fd2bed6ee079/"

	manyLanguages = "99, detected"
)

// Table returns the entries of this version of the module. Models are sorted by accuracy, the
// least accurate first. The times are for one thread of a server's processor.
func Table() []Entry {
	return []Entry{
		{
			Name: WhisperCLI, Kind: KindEngine, Version: "1.9.4", OS: "linux", Arch: "amd64", License: "MIT",
			URL: engines + "whisper-bin-ubuntu-x64.tar.gz", Bytes: 9793438,
			SHA256: "53e7fd8b5764edad916b8848dd0af6abb1ff1d3b86c899e79c78652412536c32",
		},
		{
			Name: WhisperCLI, Kind: KindEngine, Version: "1.9.4", OS: "linux", Arch: "arm64", License: "MIT",
			URL: engines + "whisper-bin-ubuntu-arm64.tar.gz", Bytes: 4605905,
			SHA256: "93532a0e3777f26f041ffa358ee77dd88b1a33a86847c1990745327ff335a5d6",
		},
		{
			Name: "tiny", Kind: KindModel, License: "MIT", Languages: manyLanguages,
			URL: ggml + "ggml-tiny-q5_1.bin", Bytes: 32152673,
			SHA256: "818710568da3ca15689e31a743197b520007872ff9576237bda97bd1b469c3d7",
			Note:   "often wrong; 3 s for half a minute of speech",
		},
		{
			Name: "base", Kind: KindModel, License: "MIT", Languages: manyLanguages,
			URL: ggml + "ggml-base.bin", Bytes: 147951465,
			SHA256:     "60ed5bc3dd14eea856493d334349b405782ddcaf0028d4b5df4088345fba2efe",
			Note:       "good for clear speech; 4 s for half a minute, 240 MB of memory",
			WordErrors: 0.051,
		},
		{
			Name: "small-q5", Kind: KindModel, License: "MIT", Languages: manyLanguages,
			URL: ggml + "ggml-small-q5_1.bin", Bytes: 190085487,
			SHA256: "ae85e4a935d7a567bd102fe55afc16bb595bdb618e11b2fc7591bc08120411bb",
			Note:   "good; smaller than small, but slower: 20 s for half a minute, 350 MB of memory",
		},
		{
			Name: "small", Kind: KindModel, License: "MIT", Languages: manyLanguages, Recommended: true,
			URL: ggml + "ggml-small.bin", Bytes: 487601967,
			SHA256:     "1be3a9b2063867b937e64e2ec7483364a79917e157fa98c5d94b5c1fffea987b",
			Note:       "good; 14 s for half a minute, 640 MB of memory",
			WordErrors: 0.033,
		},
		{
			Name: "turbo", Kind: KindModel, License: "MIT", Languages: manyLanguages,
			URL: ggml + "ggml-large-v3-turbo-q5_0.bin", Bytes: 574041195,
			SHA256:     "394221709cd5ad1f40c46e6031ca61bce88931e6e088c188294c6d5a55ffa7e2",
			Note:       "very good, and the slowest",
			WordErrors: 0.020,
		},
		{
			Name: "parakeet", Kind: KindModel, Program: ParakeetCLI, License: "CC-BY-4.0", Author: "NVIDIA", Languages: "25 of Europe",
			URL: nvidia + "ggml-parakeet-tdt-0.6b-v3-q8_0.bin", Bytes: 668757119,
			SHA256:     "4d64e9e96c2792186d072fde0034df0ad670cf680a2f53069052ead827fd600e",
			Note:       "the most accurate, and fast: half of the errors of small in half the time; takes no names",
			WordErrors: 0.019,
		},
	}
}

// program returns the program that runs the model.
func (e Entry) program() string { return cmp.Or(e.Program, WhisperCLI) }

// Terms returns the license for people, with the author if the license requires the
// name: "CC-BY-4.0, by NVIDIA".
func (e Entry) Terms() string {
	if e.Author == "" {
		return e.License
	}
	return e.License + ", by " + e.Author
}

// File returns the file's published name.
func (e Entry) File() string { return path.Base(e.URL) }

// fits reports whether this machine can use the entry.
func (e Entry) fits() bool {
	return e.Kind == KindModel || e.OS == runtime.GOOS && e.Arch == runtime.GOARCH
}

// folder returns the name of the folder for the file. The folder holds only this version of the
// file.
func (e Entry) folder() string { return e.Name + "-" + e.SHA256[:16] }

// names lists the names that can be pulled here, for messages.
func (f *Folder) names() string {
	var all []string
	for _, e := range f.table {
		if e.fits() && !slices.Contains(all, e.Name) {
			all = append(all, e.Name)
		}
	}
	return strings.Join(all, ", ")
}
