"""ffmpeg, which writes the text without markup into a clean SubRip file"""

import re
import subprocess

from suite import answer

DEMUXERS = {"webvtt": "webvtt", "srt": "srt", "ass": "ass", "sbv": "subviewer"}
CUE = re.compile(r"^\d+\n(\S+) --> (\S+)\n(.*?)\n(?=\n\d+\n\S+ --> |\n*\Z)", re.M | re.S)


def seconds(time):
    hours, minutes, rest = time.replace(",", ".").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def read(path, format):
    command = ["ffmpeg", "-v", "error", "-f", DEMUXERS[format], "-i", path, "-c:s", "text", "-f", "srt", "-"]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode or done.stderr:
        raise ValueError(done.stderr.decode(errors="replace").strip())
    for start, end, text in CUE.findall(done.stdout.decode(errors="replace")):
        yield seconds(start), seconds(end), text, None


answer(DEMUXERS, read)
