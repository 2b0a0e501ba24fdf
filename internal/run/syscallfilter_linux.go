package run

import (
	"fmt"
	"slices"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// SyscallOptions permit additional calls. The zero value is the strictest.
type SyscallOptions struct {
	// OwnPIDs lets a thread start a process in a new user namespace together with a new PID
	// namespace. No other way to make namespaces is permitted.
	OwnPIDs bool
}

// SyscallFilter returns a program that refuses a thread, and everything that it starts, system calls that
// a media program does not need and that Landlock does not cover. Architectures of Go other than amd64
// and arm64 are an error.
//
// The filter lists the refused calls. A list of permitted calls would break a program at the
// first call that a new release of the program makes. Every call that is newer than the list
// gets ENOSYS, as on an older kernel: programs then use another call. Calls of another
// architecture, such as 32-bit calls on a 64-bit kernel, have other numbers, which the list
// does not know: they end the program.
func SyscallFilter(goarch string, o SyscallOptions) ([]bpf.Instruction, error) {
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
				continue // arm64 lacks the older variants of some calls
			}
			program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(number), SkipFalse: uint8(len(rule.verdict))})
			program = append(program, rule.verdict...)
		}
	}
	return append(program, allow), nil
}

// The fields of a call that a filter reads, as offsets in bytes of struct seccomp_data.
const (
	offsetNumber    = 0
	offsetArch      = 4
	offsetArguments = 16
)

func load(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }

// loadArgument loads the lower half of an argument. Both architectures are little-endian, and
// all checked arguments have 32 bits: the kernel ignores the upper half.
func loadArgument(n uint32) bpf.Instruction { return load(offsetArguments + 8*n) }

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

// refuse makes a call return an error without effect.
func refuse(with unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(with)}
}

// rule decides about some system calls. The verdict ends with an answer.
type rule struct {
	calls   []string
	verdict []bpf.Instruction
}

// unless continues if the bits of mask in an argument equal one of values, and refuses the call
// otherwise.
func unless(argument, mask uint32, values []uint32, with unix.Errno) []bpf.Instruction {
	check := []bpf.Instruction{loadArgument(argument), bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: mask}}
	for i, value := range values {
		check = append(check, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipTrue: uint8(len(values) - i)})
	}
	return append(check, refuse(with))
}

// all is the mask for a whole argument.
const all = 0xffffffff

// allowAfter permits a call that has passed all checks.
func allowAfter(checks ...[]bpf.Instruction) []bpf.Instruction {
	return append(slices.Concat(checks...), allow)
}
