import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { certificates } from './testing/certificates.ts'
import type { TestDatabase } from './testing/database.ts'
import { testDatabase } from './testing/database.ts'
import { programUnderTest } from './testing/program.ts'

const { settings, start, folder } = programUnderTest(new URL('./main.ts', import.meta.url))
const [certificate] = certificates
let discovered = 0
const provider = createServer(certificate, (_request, response) => {
  discovered++
  response.setHeader('content-type', 'application/json').end('{}')
})
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await once(provider.listen(0, 'localhost'), 'listening')
})
afterAll(async () => {
  provider.close()
  await database.drop()
})

test('with NODE_EXTRA_CA_CERTS a certificate of a private authority is accepted, without it refused', async () => {
  const authority = path.join(folder, 'ca.pem')
  writeFileSync(authority, certificate.cert)
  const env = {
    DATABASE_URL: database.url,
    OIDC_ISSUER: `https://localhost:${(provider.address() as AddressInfo).port}`,
    OIDC_AUDIENCE: 'https://portal.test/api',
  }
  const attempt = async (more: Record<string, string>) => {
    const server = await start(await settings({ ...env, ...more }), ['api'])
    assert.equal((await server.ended)[0], 1)
    return server.errorOutput()
  }
  assert.match(await attempt({}), /OIDC_ISSUER/)
  assert.equal(discovered, 0)
  // The provider of this test has no discovery document: the start fails for that reason instead.
  assert.match(await attempt({ NODE_EXTRA_CA_CERTS: authority }), /OIDC_ISSUER/)
  assert.ok(discovered > 0)
})
