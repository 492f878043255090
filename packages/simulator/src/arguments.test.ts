import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { WrongInput, parseArguments, readFleet } from './arguments.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'))
afterAll(() => rmSync(folder, { recursive: true }))

const wrong = (pattern: RegExp) => (error: unknown) =>
  error instanceof WrongInput && pattern.test(error.message) && !error.message.includes('\n')

test('fleet and address are read, and speed and seed have defaults', () => {
  assert.deepEqual(parseArguments(['--fleet', 'f.json', '--url', 'mqtt://127.0.0.1:1883']), {
    fleet: 'f.json',
    url: 'mqtt://127.0.0.1:1883',
    speed: 1,
    seed: 'caretaker',
  })
})

test('every wrong argument is reported in one line that names it', () => {
  const url = ['--url', 'mqtt://127.0.0.1']
  assert.throws(() => parseArguments([]), wrong(/--fleet is missing/))
  assert.throws(() => parseArguments(['--fleet', 'f']), wrong(/--url is missing/))
  assert.throws(() => parseArguments(['--fleet', 'f', '--url', '127.0.0.1:1883']), wrong(/--url must look like/))
  assert.throws(() => parseArguments(['--fleet', 'f', '--url', 'http://127.0.0.1']), wrong(/--url must look like/))
  assert.throws(
    () => parseArguments(['--fleet', 'f', ...url, '--web', 'mqtt://127.0.0.1']),
    wrong(/--web must look like/),
  )
  for (const speed of ['0', '-1', 'fast', '1e9'])
    assert.throws(() => parseArguments(['--fleet', 'f', ...url, `--speed=${speed}`]), wrong(/--speed must be/))
  assert.throws(() => parseArguments(['--fleet', 'f', ...url, '--colour', 'red']), wrong(/--colour/))
})

test('a fleet file that is missing, not JSON or invalid is reported in one line without passwords', () => {
  const file = (content: string) => {
    const name = path.join(folder, 'fleet.json')
    writeFileSync(name, content)
    return name
  }
  assert.throws(() => readFleet(path.join(folder, 'none.json')), wrong(/there is none/))
  assert.throws(() => readFleet(folder), wrong(/EISDIR/))
  assert.throws(
    () => readFleet(file('{"password": "secret", oops')),
    (error) => wrong(/not JSON/)(error) && !(error as Error).message.includes('secret'),
  )
  assert.throws(() => readFleet(file('{"devices": [{"serial": 1}]}')), wrong(/devices\.0\.\w+: .*and \d+ more/))
})
