package main

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user of the images, and the folder in which this user may write: the volume.
const (
	imageUser = 65532
	state     = "var/lib/transcriptd"
)

// apiImage returns the image of the role api for a target: the program, the certificates of the
// web, the names of its users, and no shell. The role api starts no other program.
func (c *checkout) apiImage(t target, transcriptd program) (v1.Image, error) {
	id := strconv.Itoa(imageUser)
	system, err := newLayer([]file{
		{path: "etc/passwd", mode: plainMode, data: []byte("root:x:0:0:root:/:/none\ntranscriptd:x:" + id + ":" + id + ":transcriptd:/" + state + ":/none\n")},
		{path: "etc/group", mode: plainMode, data: []byte("root:x:0:\ntranscriptd:x:" + id + ":\n")},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: plainMode, data: certificates()},
		{path: state, mode: fs.ModeDir | 0o700, owner: imageUser},
	}, c.time)
	if err != nil {
		return nil, err
	}
	own, err := newLayer([]file{{path: "usr/bin/transcriptd", mode: programMode, data: transcriptd.data}}, c.time)
	if err != nil {
		return nil, err
	}
	return c.image(t, transcriptd, imageParts{
		title: name + "-api", cmd: []string{"serve", "--role", "api"}, env: []string{"PATH=/usr/bin"},
		layers: []imageLayer{{system, "certificates and users"}, {own, "transcriptd"}},
	})
}

// imageParts are what one image has and the other has not.
type imageParts struct {
	title  string
	cmd    []string
	env    []string
	layers []imageLayer
}

type imageLayer struct {
	v1.Layer
	about string
}

// image returns an image that runs the service as its own user.
func (c *checkout) image(t target, transcriptd program, parts imageParts) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, layer := range parts.layers {
		added := mutate.Addendum{Layer: layer.Layer, History: v1.History{Created: v1.Time{Time: c.time}, CreatedBy: layer.about}}
		var err error
		if image, err = mutate.Append(image, added); err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = t.os, t.arch, v1.Time{Time: c.time}
	id := strconv.Itoa(imageUser)
	config.Config = v1.Config{
		User: id + ":" + id, WorkingDir: "/" + state, Volumes: map[string]struct{}{"/" + state: {}},
		Entrypoint: []string{"/usr/bin/transcriptd"}, Cmd: parts.cmd,
		Env: append(parts.env,
			"HOME=/"+state, "TMPDIR=/"+state, // the only place that can be written to
			"TRANSCRIPTD_LISTEN=:8080"),
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/usr/bin/transcriptd", "healthcheck"}, Interval: 30 * time.Second, Timeout: 10 * time.Second, StartPeriod: time.Minute,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":    parts.title,
			"org.opencontainers.image.source":   "https://" + transcriptd.info.Main.Path,
			"org.opencontainers.image.version":  transcriptd.info.Main.Version,
			"org.opencontainers.image.revision": c.commit,
			"org.opencontainers.image.licenses": license,
		},
	}
	return mutate.ConfigFile(image, config)
}

// certificates returns the roots that Mozilla trusts, as go.sum pins them: those of the building
// machine would differ from machine to machine.
func certificates() []byte {
	var all bytes.Buffer
	for root := range bundle.Roots() {
		_ = pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer does not fail
	}
	return all.Bytes()
}

func newLayer(files []file, at time.Time) (v1.Layer, error) {
	var packed bytes.Buffer
	if err := writeTar(&packed, files, at); err != nil {
		return nil, err
	}
	return packedLayer(packed.Bytes())
}

// packedLayer returns the layer of a tar file.
func packedLayer(packed []byte) (v1.Layer, error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression))
}

// layoutOf returns images for several targets as an OCI layout in a tar file. A program that loads the
// file gives the image this name, such as localhost/transcriptkit/api:v0.1.0. The host localhost says
// that no registry has the image.
func layoutOf(images []v1.Image, named string, at time.Time) ([]byte, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, image := range images {
		config, err := image.ConfigFile()
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: config.Platform()}})
	}
	dir, err := os.MkdirTemp("", "release-layout-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // it does no harm if the temporary folder stays
	written, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	_, tag, _ := strings.Cut(named, ":")
	annotations := map[string]string{"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": named}
	if err := written.AppendIndex(index, layout.WithAnnotations(annotations)); err != nil {
		return nil, err
	}
	var files []file
	err = fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		files = append(files, file{path: name, mode: plainMode, data: data})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the layout: %w", err)
	}
	var packed bytes.Buffer
	err = writeTar(&packed, files, at)
	return packed.Bytes(), err
}
