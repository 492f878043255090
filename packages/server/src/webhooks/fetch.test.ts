import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { openFetch } from './fetch.ts'
import { openReach } from './reach.ts'

const server = createServer((request, response) => {
  response.writeHead(Number(request.url!.slice(1))).end()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

test('a status that no Response can have is an error of the call', async () => {
  const fetched = openFetch(openReach(['127.0.0.1']))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const status of [600, 999]) await assert.rejects(fetched(`${origin}/${status}`), /does not exist/)
  for (const status of [200, 204, 304, 404, 599]) assert.equal((await fetched(`${origin}/${status}`)).status, status)
})
