"""webvtt-py"""

import webvtt

from suite import answer

READ = {"webvtt": webvtt.read, "srt": webvtt.from_srt, "sbv": webvtt.from_sbv}


def seconds(time):
    hours, minutes, rest = time.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def read(path, format):
    for c in READ[format](path):
        yield seconds(c.start), seconds(c.end), c.text, (c.voice or "") if format == "webvtt" else None


answer(READ, read)
