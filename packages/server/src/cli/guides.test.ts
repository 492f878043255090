import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { Provider } from '../testing/sign-in.ts'
import { startProvider } from '../testing/sign-in.ts'
import { addDevice } from '../testing/two-tenants.ts'

const execute = promisify(execFile)
const guides = path.resolve(import.meta.dirname, '../../../../docs/guides')
const program = path.join(import.meta.dirname, 'main.ts')
const manager = 'priya@northgate.test'

let world: TestApp
let provider: Provider
before(async () => {
  world = await testApp()
  await world.addTenant('northgate')
  await world.addMember('northgate', manager, 'Manager')
  await addDevice(world, 'northgate', { product: 'EM' })
  await addDevice(world, 'northgate', { product: 'EM', status: 'FailedEquipment' })
  provider = await startProvider(world.database)
})
after(async () => {
  await provider.app.close()
  await world.close()
})

/** What a guide tells one to type, line by line. */
function commandsOf(guide: string): string[] {
  const text = readFileSync(path.join(guides, guide), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) => block!.trimEnd().split('\n'))
}

test('only the guides whose commands are run here have any', () => {
  const having = readdirSync(guides).filter((file) => file.endsWith('.md') && commandsOf(file).length > 0)
  assert.deepEqual(having.sort(), ['integrator.md', 'operator.md'])
})

test('the commands of the guide for operators do what it says, one after the other', async () => {
  const lines = commandsOf('operator.md')
  const commands = lines.filter((line) => line.startsWith('npm run caretaker -- '))
  // What is left starts the server, and says which database it is.
  assert.deepEqual(
    lines.filter((line) => !commands.includes(line)).map((line) => line.split('=')[0]),
    ['export DATABASE_URL', 'npm start'],
  )
  const env = { ...process.env, DATABASE_URL: world.database.url }
  const told: string[] = []
  for (const line of commands) {
    const typed = line.replace('npm run caretaker --', `"${process.execPath}" "${program}"`)
    told.push((await execute('bash', ['-euc', typed], { env })).stdout)
  }
  assert.match(told.join(''), /seaview\s+Seaview Homes/)
  assert.equal(told.join('').match(/\/account\/password\//g)?.length, 2)
  const { rows } = await world.database.owner.query(
    `select serial, (select suspended_at from tenant where id = 'seaview') as suspended from device where tenant_id = 'seaview'`,
  )
  assert.deepEqual(rows, [{ serial: 'EM1000123X', suspended: null }])
})

test('the commands of the guide for integrators run as they stand, in one shell', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-guide-'))
  try {
    const key = await makeKey(world, 'northgate', manager)
    const script = commandsOf('integrator.md').join('\n')
    const typed = script.replace('http://localhost:8080', provider.origin).replace("'your API key'", `'${key}'`)
    assert.ok(typed.includes(provider.origin) && typed.includes(key))
    const { stdout } = await execute('bash', ['-euc', typed], { cwd: folder, timeout: 60_000 })
    assert.match(stdout, /"isSuccessful":true.*"status":"queued"/s)
    assert.match(stdout, /^id: |^event: |^data: /m)
    const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
    assert.equal((JSON.parse(read('failed.json')) as { data: { total: number } }).data.total, 1)
    assert.equal((JSON.parse(read('lights.json')) as { data: { total: number } }).data.total, 2)
    assert.match(read('lights.csv'), /Serial.*Status\W+\n?.*EM1/s)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
