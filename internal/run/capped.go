package run

// maxKept limits the kept output: 1 MiB.
const maxKept = 1 << 20

// capped keeps the first maxKept bytes and silently drops the rest, so that a program with much
// output is neither stopped nor stored.
type capped struct{ data []byte }

// Write never fails.
func (c *capped) Write(p []byte) (int, error) {
	c.data = append(c.data, p[:min(len(p), maxKept-len(c.data))]...)
	return len(p), nil
}
