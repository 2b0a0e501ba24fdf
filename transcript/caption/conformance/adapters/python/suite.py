"""Speaks the runner's protocol for a reader in Python."""

import json
import sys


def answer(formats, read):
    """Answers each path on standard input by read(path, format), which yields (start, end, text, speaker or None)."""
    if sys.argv[1] not in formats:
        sys.exit(3)
    for line in sys.stdin:
        try:
            cues = []
            for start, end, text, speaker in read(line.rstrip("\n"), sys.argv[1]):
                cue = {"start": start, "end": end, "text": text}
                cues.append(cue if speaker is None else cue | {"speaker": speaker})
            result = {"cues": cues}
        except Exception as e:
            result = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(result), flush=True)
