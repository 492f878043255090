import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'vitest'
import { root } from './child.mjs'
import { sections } from './changelog.mjs'
import {
  bannedIn,
  documents,
  findingsIn,
  isAllowed,
  paragraphsOf,
  scopeNames,
  sentencesOf,
  settings,
  unneededNames,
  wordsIn,
} from './prose.ts'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const { allowed, longestSentence, most, names } = settings()
const shown = ({ file, word, write, text }: { file: string; word: string; write: string; text: string }) =>
  `${file}: '${word}' (write: ${write}) in '${text.replaceAll(/\s+/g, ' ').slice(0, 120)}'`

test('documents have no banned word', () => {
  const found = findingsIn('documents').filter((finding) => !isAllowed(allowed)(finding))
  assert.deepEqual(found.map(shown), [])
})

for (const scope of scopeNames.filter((name) => name in most))
  test(`the number of banned words in ${scope} does not grow`, () => {
    const found = findingsIn(scope).filter((finding) => !isAllowed(allowed)(finding))
    assert.ok(
      found.length <= most[scope]!,
      `${found.length} banned words in ${scope}, at most ${most[scope]} are permitted; npm run prose -- '${scope}' lists them`,
    )
  })

test('every exception has a reason and is needed', () => {
  const findings = [...new Set(allowed.map(({ file }) => file))].flatMap((file) =>
    scopeNames.flatMap((scope) => findingsIn(scope).filter((finding) => finding.file === file)),
  )
  const unneeded = allowed.filter((one) => one.reason.length < 10 || !findings.some(isAllowed([one])))
  assert.deepEqual(unneeded, [])
  assert.deepEqual(
    names.filter(({ reason }) => reason.length < 10).map(({ name }) => name),
    [],
  )
  assert.deepEqual(unneededNames(), [])
})

test('no sentence of a document is too long', () => {
  const long = documents().flatMap((file) =>
    paragraphsOf(read(file))
      .flatMap(sentencesOf)
      .filter((sentence) => wordsIn(sentence) > longestSentence)
      .map((sentence) => `${file}: ${wordsIn(sentence)} words in '${sentence}'`),
  )
  assert.deepEqual(long, [])
})

test('the changelog is short: at most 60 lines of unreleased changes, of 20 words each', () => {
  const [unreleased] = sections(read('CHANGELOG.md'))
  const lines = unreleased!.body.split('\n').filter((line) => line.trim())
  assert.ok(lines.length <= 60, `${lines.length} lines`)
  const changes = lines.filter((line) => !line.startsWith('#'))
  assert.deepEqual(
    changes.filter((line) => !line.startsWith('- ') || line.split(/\s+/).length - 1 > 20),
    [],
  )
})

test('ARCHITECTURE.md has at most 1,800 words, and a diagram for the packages, a call, a reading, a command and an alert', () => {
  const text = read('ARCHITECTURE.md')
  assert.ok(text.split(/\s+/).length <= 1800)
  assert.equal(text.match(/^```mermaid\nflowchart/gm)?.length, 1)
  assert.equal(text.match(/^```mermaid\nsequenceDiagram/gm)?.length, 4)
})

test('the check finds banned words and long sentences, and skips code, addresses and pictures', () => {
  const text =
    '# What is told\n\nThe mail is told to whoever asks.\nUse `told` [here](told.md).\n\n```sh\ntold\n```\n\n| a | somebody |\n| --- | --- |\n- 1 days\n- a device(s)'
  const words = paragraphsOf(text).flatMap((paragraph) => bannedIn(paragraph).map(({ word }) => word))
  assert.deepEqual(words, ['told', 'told', 'whoever', 'somebody', '1 days', 'device(s)'])
  assert.deepEqual(sentencesOf('One fact. Version 1.2.3 of it; another `CODE`: A third.').map(wordsIn), [2, 4, 1, 2])
})
