package throttle

// Lanes returns how many lanes a throttle keeps.
func Lanes(p *Throttle) (n int) {
	for _, q := range p.queues {
		n += len(q.lanes)
	}
	return n
}
