import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'vitest'
import { textsOf } from './texts.ts'

const root = path.resolve(import.meta.dirname, '..')
const read = (...parts: string[]) => readFileSync(path.join(root, ...parts), 'utf8')

/** The words in the last column of the glossary. */
const unwanted = read('docs', 'glossary.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| --') && !line.startsWith('| word'))
  .flatMap((line) =>
    [
      ...line
        .split('|')
        .at(-2)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, word]) => word!),
  )

/**
 * The catalogues, which quote every text that a specification gives; they name the kinds of thermostats in lower case.
 */
const catalogues = ['core', 'devices', 'estate']
  .map((name) => read('spec', `${name}.jsonl`))
  .join('')
  .toLowerCase()
const isGiven = (text: string) =>
  (/ /.test(text) && catalogues.includes(text.toLowerCase())) ||
  // The name of a field and these words (core specification, section 5).
  /^\w+ is required!$/.test(text)

const folders = ['web', 'rules', 'contract', 'server'].map((name) => path.join(root, 'packages', name, 'src'))

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name)
    if (entry.isDirectory()) return ['migrations', 'testing', 'cli'].includes(entry.name) ? [] : sources(full)
    return /(?<!\.test)\.tsx?$/.test(entry.name) ? [full] : []
  })
}

/** Names that stand in addresses, calls and data, and in no sentence. */
const isName = (text: string) => /^[\w./:${}-]+$/.test(text) && !/^[A-Z][a-z]+$/.test(text)

function faultsIn(text: string): string[] {
  if (isGiven(text) || isName(text) || text.startsWith('openid ')) return []
  return unwanted.filter((word) => new RegExp(`(?<![\\w.'/-])${word.replaceAll('-', '\\-')}(?![\\w./(:-])`).test(text))
}

test('interface texts use the terms of the glossary, or are given by a document', () => {
  const found = folders.flatMap(sources).flatMap((file) => {
    const texts = textsOf(readFileSync(file, 'utf8'), file.endsWith('.tsx'))
    return texts.flatMap((text) => faultsIn(text).map((word) => `${path.relative(root, file)}: '${word}' in '${text}'`))
  })
  assert.deepEqual(found, [])
})

test('the check finds terms that the glossary rejects, and ignores texts that a document gives', () => {
  assert.ok(unwanted.length > 20)
  const page = `// email\n<p>Your email is wrong.</p>\nshow('Choose an access tag')\nimport x from './email.ts'\nif (email) 'email'`
  assert.deepEqual(
    textsOf(page, true).flatMap((text) => faultsIn(text)),
    ['access tag', 'email'],
  )
  assert.deepEqual(faultsIn('Failed to find associated BCM'), [])
  assert.deepEqual(faultsIn('Access Tag Updated Successfully'), [])
})
