import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, test } from 'vitest'

const program = fileURLToPath(new URL('main.ts', import.meta.url))
const folder = mkdtempSync(path.join(tmpdir(), 'simulator-'))
afterAll(() => rmSync(folder, { recursive: true }))

const fleet = path.join(folder, 'fleet.json')
const deviceId = '10000000-0000-4000-8000-000000000000'
writeFileSync(
  fleet,
  JSON.stringify({
    devices: [
      {
        deviceId,
        serial: 'MG1',
        product: 'MG',
        username: deviceId,
        password: 'key',
        reportingInterval: 60,
        parentId: null,
        model: 'gateway',
        traits: {},
      },
    ],
  }),
)

function start(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  return { child, output: () => output, ended: once(child, 'close') as Promise<[number | null]> }
}

/** A port without a listener. */
const nowhere = ['--fleet', fleet, '--url', 'mqtt://127.0.0.1:9']

test('wrong input is reported in one clear line and fails', async () => {
  const { output, ended } = start('--fleet', path.join(folder, 'none.json'), '--url', 'mqtt://127.0.0.1:9')
  assert.deepEqual(await ended, [1, null])
  assert.match(output(), /^simulator: cannot read the fleet file .*none\.json: there is none\n$/)
})

test('without a broker it keeps trying, logs this, and stops cleanly on a signal', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, output, ended } = start(...nowhere)
    while (!output().includes('no connection')) await once(child.stdout, 'data')
    assert.match(output(), /1 devices on 1 connections[\s\S]*MG1 has no connection to .*ECONNREFUSED/)
    child.kill(signal)
    assert.deepEqual(await ended, [0, null])
  }
})

test('it exits when its standard input ends', async () => {
  const { child, output, ended } = start(...nowhere)
  while (!output().includes('1 devices')) await once(child.stdout, 'data')
  child.stdin.end()
  assert.deepEqual(await ended, [0, null])
})

test('it exits when its parent process is gone', async () => {
  // A shell that starts it without a pipe and is then killed. Both write to the same output, which ends when both have
  // exited.
  const command = `"$0" "$@" < /dev/null & wait`
  const shell = spawn('sh', ['-c', command, process.execPath, program, ...nowhere], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const outputEnded = once(shell.stdout, 'close')
  const [line] = (await once(shell.stdout.setEncoding('utf8'), 'data')) as [string]
  assert.match(line, /1 devices/)
  shell.stdout.resume()
  shell.kill('SIGKILL')
  await outputEnded
})
