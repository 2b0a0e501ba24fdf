// webvtt.js, whose package is webvtt-parser
const { WebVTTParser } = require('webvtt-parser')
const entities = require('webvtt-parser/html-entities.json')
const { answer } = require('./suite')

// shown returns the text of a node without ruby annotations.
const shown = (node) => node.name === 'rt' ? '' : node.type === 'text' ? node.value : (node.children || []).map(shown).join('')

answer(['webvtt'], (file) => {
  const { cues, errors } = new WebVTTParser(entities).parse(file, 'subtitles/captions/descriptions')
  return { lost: errors.length, cues: cues.map((c) => ({ start: c.startTime, end: c.endTime, text: shown(c.tree) })) }
})
