// Runs where the browser makes sound: hands the sound to the page in pieces of a quarter of a
// second, as 16-bit samples of one channel at 16 kHz, each with its loudest sample. Any message
// ends it: the last piece, which may be short, has the mark last.

import { Resampler } from "./record-resample.js";

const rate = 16_000, length = rate / 4; // samples

registerProcessor("record", class extends AudioWorkletProcessor {
  #resampler = new Resampler(sampleRate, rate); #piece = new Int16Array(length); #filled = 0; #peak = 0; #ended = false;

  constructor() {
    super();
    this.port.onmessage = () => {
      this.#ended = true;
      this.#hand(true);
    };
  }

  process([channels]) {
    if (this.#ended) return false;
    if (channels.length) this.#resampler.push(channels[0], (sample) => this.#add(sample));
    return true;
  }

  #add(sample) {
    this.#peak = Math.max(this.#peak, Math.abs(sample));
    this.#piece[this.#filled++] = Math.max(-1, Math.min(sample, 1)) * 0x7fff;
    if (this.#filled === length) this.#hand(false);
  }

  #hand(last) {
    const { buffer } = this.#piece.slice(0, this.#filled);
    this.port.postMessage({ bytes: buffer, peak: this.#peak, last }, [buffer]);
    this.#filled = this.#peak = 0;
  }
});
