// Turns sound of any sample rate into sound of another rate. A low-pass filter removes the tones
// that the other rate cannot hold.

const crossings = 32; // of the filter on each side of its middle
const passes = 0.92; // of the highest tone that both rates hold

// Resampler turns one stream of samples.
export class Resampler {
  #step; #phases; #taps; #filters; #phase = 0; #held;

  constructor(from, to) {
    const common = divisor(from, to);
    this.#step = from / common;
    this.#phases = to / common;
    const cutoff = passes * Math.min(1, to / from), half = Math.ceil(crossings / cutoff);
    this.#taps = 2 * half;
    this.#filters = Array.from({ length: this.#phases }, (_, phase) => filter(half, cutoff, phase / this.#phases));
    this.#held = new Float32Array(half - 1); // the silence before the first sample
  }

  // push takes the next samples, and calls give with each sample of the other rate.
  push(samples, give) {
    const all = new Float32Array(this.#held.length + samples.length);
    all.set(this.#held);
    all.set(samples, this.#held.length);
    let at = 0;
    while (at + this.#taps <= all.length) {
      const by = this.#filters[this.#phase];
      let sum = 0;
      for (let n = 0; n < by.length; n++) sum += by[n] * all[at + n];
      give(sum);
      this.#phase += this.#step;
      at += Math.floor(this.#phase / this.#phases);
      this.#phase %= this.#phases;
    }
    this.#held = all.subarray(at);
  }
}

// filter returns a low-pass filter whose middle is a part of a sample after its tap number half - 1.
// It has the form of a sinc in a Blackman window.
function filter(half, cutoff, shift) {
  const taps = Float32Array.from({ length: 2 * half }, (_, n) => {
    const x = n - half + 1 - shift, angle = Math.PI * x / half;
    return (x === 0 ? 1 : Math.sin(Math.PI * cutoff * x) / (Math.PI * cutoff * x)) * (0.42 + 0.5 * Math.cos(angle) + 0.08 * Math.cos(2 * angle));
  });
  const sum = taps.reduce((a, b) => a + b);
  return taps.map((tap) => tap / sum);
}

function divisor(a, b) { return b ? divisor(b, a % b) : a; }
