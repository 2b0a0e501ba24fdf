// subtitle
const { parseSync } = require('subtitle')
const { answer } = require('./suite')

answer(['webvtt', 'srt'], (file) => ({
  cues: parseSync(file).filter((n) => n.type === 'cue').map(({ data }) => ({
    start: data.start / 1000, end: data.end / 1000, text: data.text,
  })),
}))
