import assert from 'node:assert/strict'
import { test } from 'vitest'
import { readDrawing } from './svg-thread.ts'

const drawing = (inner: string) =>
  new Blob([`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}<line></line></svg>`])
const resources = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

test('a drawing is read in a thread, which also finds its faults', async () => {
  const plain = drawing('<rect></rect>')
  assert.deepEqual(await readDrawing(plain), {
    ...{ drawing: await plain.text(), frame: { width: 9, height: 9 }, leftOut: [] },
  })
  assert.deepEqual(await readDrawing(new Blob(['hello'])), { fault: 'The file is not an SVG drawing.' })
})

test('the server responds to others while it reads a drawing', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await readDrawing(drawing('<rect/>'.repeat(90_000)))
  clearInterval(timer)
  assert.ok(turns > 20, `${turns} turns`)
})

test('a drawing that takes too long or too much memory is rejected with an explanation', async () => {
  const large = drawing('<rect x="1" y="2" width="3" height="4"/>'.repeat(90_000))
  for (const within of [
    { milliseconds: 1, resources },
    { milliseconds: 20_000, resources: { ...resources, maxOldGenerationSizeMb: 12 } },
  ]) {
    const found = await readDrawing(large, within)
    assert.match('fault' in found ? found.fault : '', /too long or too much memory/)
  }
})

test('the numbers of drawings read and waiting at once are limited, and the next one is rejected', async () => {
  const all = Array.from({ length: 11 }, () => readDrawing(drawing('<rect/>'), { milliseconds: 500, resources }))
  const ends = await Promise.allSettled(all)
  const refused = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []))
  assert.equal(refused.length, 1)
  assert.match(refused[0]!, /Other drawings are being read/)
})
