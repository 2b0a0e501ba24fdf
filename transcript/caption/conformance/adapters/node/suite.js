// Speaks the runner's protocol for a reader in JavaScript.
const { readFileSync } = require('node:fs')
const { createInterface } = require('node:readline')

// answer answers each path on standard input by read(text of the file, format).
exports.answer = (formats, read) => {
  const format = process.argv[2]
  if (!formats.includes(format)) process.exit(3)
  createInterface({ input: process.stdin }).on('line', (path) => {
    let result
    try {
      result = read(readFileSync(path, 'utf8'), format)
    } catch (e) {
      result = { error: String(e) }
    }
    console.log(JSON.stringify(result))
  })
}
