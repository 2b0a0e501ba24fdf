// Package seccomp refuses a thread, and all that it starts, the system calls that a
// program for media has no use for and that Landlock does not see.
//
// The filter lists what is refused. A list of what is allowed would end a program at
// the first call that a new release of it makes. Every call that is newer than the
// list is answered ENOSYS, as an older kernel answers it: programs then do without.
// Calls of another architecture, such as those of 32 bits on a kernel of 64, have
// other numbers, which the list does not know: they end the program.
package seccomp

import (
	"fmt"
	"slices"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Options say what a filter lets pass beyond the rest. The zero value is the strictest.
type Options struct {
	// OwnPIDs lets a thread start a process in a new user namespace together with a new
	// PID namespace. Nothing else is allowed to make namespaces.
	OwnPIDs bool
}

// Filter returns the program for an architecture of Go: amd64 or arm64. Others have
// none, which is an error.
func Filter(goarch string, o Options) ([]bpf.Instruction, error) {
	if goarch != "amd64" && goarch != "arm64" {
		return nil, fmt.Errorf("seccomp: there is no filter for %s", goarch)
	}
	system, err := arch.GetInfo(goarch)
	if err != nil {
		return nil, fmt.Errorf("seccomp: %w", err)
	}
	newest := 0
	for number := range system.SyscallNumbers {
		newest = max(newest, number)
	}
	program := []bpf.Instruction{
		load(offsetArch),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(system.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		load(offsetNumber),
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: uint32(newest), SkipTrue: 1}, // the numbers of x32 are larger, too
		refuse(unix.ENOSYS),
	}
	for _, rule := range rules(o) {
		for _, name := range rule.calls {
			number, ok := system.SyscallNames[name]
			if !ok {
				continue // arm64 has only the newer one of several calls
			}
			program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(number), SkipFalse: uint8(len(rule.verdict))})
			program = append(program, rule.verdict...)
		}
	}
	return append(program, allow), nil
}

// What a filter reads of a call, as offsets in bytes: struct seccomp_data.
const (
	offsetNumber    = 0
	offsetArch      = 4
	offsetArguments = 16
)

func load(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }

// loadArgument loads the lower half of an argument. Both architectures are little-endian,
// and all arguments that the rules look at have 32 bits: the kernel ignores the rest.
func loadArgument(n uint32) bpf.Instruction { return load(offsetArguments + 8*n) }

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

// refuse answers a call with an error and does nothing.
func refuse(with unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(with)}
}

// rule says what becomes of some system calls. The verdict ends with an answer.
type rule struct {
	calls   []string
	verdict []bpf.Instruction
}

// unless goes on where the bits of mask in an argument are one of values, and refuses
// the call otherwise.
func unless(argument, mask uint32, values []uint32, with unix.Errno) []bpf.Instruction {
	check := []bpf.Instruction{loadArgument(argument), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask}}
	for i, value := range values {
		check = append(check, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(values) - i)})
	}
	return append(check, refuse(with))
}

// all is a mask for the whole argument.
const all = 0xffffffff

// allowAfter allows a call that has passed all checks.
func allowAfter(checks ...[]bpf.Instruction) []bpf.Instruction {
	return append(slices.Concat(checks...), allow)
}
