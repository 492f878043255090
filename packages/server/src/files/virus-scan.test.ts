import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { startVirusScanner } from '../testing/virus-scanner.ts'
import { findVirus } from './virus-scan.ts'

async function scanner(answer?: string) {
  const clamd = await startVirusScanner(answer)
  onTestFinished(clamd.stop)
  return clamd
}

test('a virus is found by its name, in a content of any size, and a clean content passes', async () => {
  const clamd = await scanner()
  const much = 'x'.repeat(300_000)
  assert.equal(await findVirus(clamd, new Blob([much])), undefined)
  assert.equal(await findVirus(clamd, new Blob([much, 'EICAR', much])), 'Eicar-Signature')
})

test('without a verdict the content does not pass', async () => {
  for (const answer of ['INSTREAM size limit exceeded. ERROR\0', 'stream: \0', 'OK', ''])
    await assert.rejects(findVirus(await scanner(answer), new Blob(['clean'])), /no verdict/)
  await assert.rejects(findVirus({ host: '127.0.0.1', port: 9 }, new Blob(['clean'])), /ECONNREFUSED/)
})
