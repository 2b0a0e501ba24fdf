package engine

import "github.com/transcriptkit/transcriptkit/transcript"

// cures are in plain words, because the callers of a service read them too.
var cures = map[transcript.Code]string{
	transcript.IPBlocked:     "The operator can send its requests through a proxy with another address, or let it visit the platform less often.",
	transcript.LoginRequired: "Upload the recording instead. The operator can also give the service the cookies of an account.",
	transcript.POTokenRequired: "Platforms ask this of addresses that they distrust: the operator can install the latest release of yt-dlp, " +
		"add a provider of tokens, or send requests through a proxy with another address.",
}

// Cure returns what a caller or an operator can do about an engine's error with this
// code, in whole sentences. It is empty if that depends on more than the code. Messages
// of errors with these codes end with the cure, unless the refusal does not come from
// the platform.
func Cure(code transcript.Code) string { return cures[code] }

// CureNetwork tells the operator how to find out why the machine of the service cannot
// reach a host.
const CureNetwork = "The operator can run transcriptd doctor --network, which tells what is wrong with the network."

// CureDiarizer tells the operator how to let the service tell speakers apart.
const CureDiarizer = "The operator can install a diarizer: see docs/operate/recognizers.md."

// CureUnconfined tells the operator how to confine programs to the egress guard. It
// continues a sentence, after "is not confined: ".
const CureUnconfined = "run the service on Linux 6.7 or newer with Landlock switched on (landlock in /sys/kernel/security/lsm; " +
	"a container's seccomp profile must let its system calls pass)"

// CureUnfiltered tells the operator how to enable the filter of system calls for
// programs. It continues a sentence, after a colon.
const CureUnfiltered = "run the service on Linux for amd64 or arm64 with CONFIG_SECCOMP_FILTER " +
	"(a container's seccomp profile must let the system call seccomp pass)"

// CureRoot tells the operator how to run the service as a user other than root.
const CureRoot = "run the service as a user of its own (User= in a unit of systemd, USER in a container's file)"
