"""srt"""

import srt

from suite import answer


def read(path, _):
    with open(path, encoding="utf-8-sig") as f:
        for s in srt.parse(f.read()):
            yield s.start.total_seconds(), s.end.total_seconds(), s.content, None


answer(["srt"], read)
