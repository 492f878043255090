import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, test } from 'vitest'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { Caller, Estate } from './estate.ts'
import { Callers } from './listing-turns.ts'

/** Responds according to the body of the call; a page named 'moving' has different rows every time. */
let answers = 0
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => (body += String(chunk)))
  request.on('end', () => {
    const { page } = JSON.parse(body) as { page: string }
    const ids = page === 'moving' ? [`row ${answers++}`] : ['a', 'b']
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ data: { total: 7, rows: ids.map((deviceId) => ({ deviceId })) } }))
  })
})
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => server.close())

const estate = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } as Estate
const caller = { authorization: async () => 'Bearer token' } as Caller
const first = { name: 'page 1', body: { page: 'first' } }

async function ask(page: string, isMoving = false, expected?: { total: number; ids: string[] }) {
  const callers = new Callers({ estate, callers: 3, turns: 40, isMoving })
  try {
    const way = { name: `page ${page}`, body: { page }, ...(expected && { expected }) }
    return { ...(await callers.ask(fetchViewData, caller, way, first)), differing: callers.differing }
  } finally {
    await callers.close()
  }
}

test('several callers take turns, and each later page is compared with the first page of its own turn', async () => {
  const { figure, firsts } = await ask('later', false, { total: 7, ids: ['a', 'b'] })
  assert.equal(firsts.length, 40)
  assert.ok(figure.p50 > 0 && figure.p95! >= figure.p50 && figure.ratio! > 0)
})

test('rows that differ from plain SQL or from the first response fail the benchmark', async () => {
  await assert.rejects(ask('later', false, { total: 8, ids: ['a', 'b'] }), /page later: 7 rows in all, 8 by plain SQL/)
  await assert.rejects(ask('later', false, { total: 7, ids: ['b', 'a'] }), /page later: other rows than by plain SQL/)
  await assert.rejects(ask('moving'), /page moving: \d+ answers have other rows than the first/)
  assert.ok((await ask('moving', true)).differing > 40)
})
