"""pycaption"""

from pycaption import DFXPReader, SRTReader, WebVTTReader

from suite import answer

READERS = {"webvtt": WebVTTReader, "srt": SRTReader, "ttml": DFXPReader}


def read(path, format):
    with open(path, encoding="utf-8-sig") as f:
        found = READERS[format]().read(f.read())
    for language in found.get_languages():
        for c in found.get_captions(language):
            yield c.start / 1e6, c.end / 1e6, c.get_text(), None


answer(READERS, read)
