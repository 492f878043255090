import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, test } from 'vitest'
import { routes } from '@caretaker/contract/routes.ts'
import { makeKey } from '../testing/api-key.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import type { Provider } from '../testing/sign-in.ts'
import { makeAccount, signInAs, startProvider } from '../testing/sign-in.ts'
import { addDevice } from '../testing/furnish/devices.ts'
import { ensureTestTools } from '../../../../tools/install.mjs'

const manager = { email: 'priya@northgate.test', password: 'a long password' }
/** The user who creates the API key for other software. */
const integrator = 'integrator@northgate.test'
const execute = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../../../..')

/** The parts of Redocly that this test uses. */
interface Redocly {
  createConfig(config: { extends: string[] }): Promise<object>
  lintFromString(document: {
    source: string
    absoluteRef: string
    config: object
  }): Promise<{ severity: string; ruleId: string; message: string; location: { pointer?: string }[] }[]>
}

let world: TestApp
let provider: Provider
let device: string
/** The folder of the packages that check the document. */
let packages: string
beforeAll(async () => {
  packages = await ensureTestTools('openapi')
  world = await testApp()
  await world.addTenant('northgate')
  await world.addMember('northgate', manager.email, 'Manager')
  device = await addDevice(world, 'northgate', { product: 'EM' })
  await makeAccount(world.database, manager.email, manager.password)
  provider = await startProvider(world.database)
})
afterAll(async () => {
  await provider.app.close()
  await world.close()
})

function expectNone(faults: readonly string[]): void {
  const advice = 'If examples do not match their schema, record them again: CONTRIBUTING.md, Run and test.'
  assert.equal(faults.length, 0, [advice, ...faults].join('\n'))
}

const documentAt = async (origin: string) => (await fetch(`${origin}/api/openapi.json`)).text()

test("the document follows Redocly's recommended rules, at any server address", async () => {
  const redocly = pathToFileURL(path.join(packages, '@redocly/openapi-core/lib/index.js'))
  const { createConfig, lintFromString } = (await import(redocly.href)) as Redocly
  const config = await createConfig({ extends: ['recommended'] })
  const faults = async (source: string) =>
    (await lintFromString({ source, absoluteRef: 'openapi.json', config })).map(
      ({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} at ${location[0]?.pointer}`,
    )
  expectNone(await faults(await documentAt(provider.origin)))
  const public_ = await testApp({ CARETAKER_ORIGIN: 'https://portal.test' }, world.database)
  try {
    const { body } = await public_.app.inject({ url: '/api/openapi.json' })
    assert.deepEqual(JSON.parse(body).servers, [{ url: 'https://portal.test' }])
    expectNone(await faults(body))
    const silent = JSON.parse(body)
    delete silent.servers
    assert.match((await faults(JSON.stringify(silent))).join(), /no-empty-servers/)
  } finally {
    await public_.app.close()
  }
})

/** The parts of Spectral that this test uses. */
interface Spectral {
  Spectral: new () => {
    setRuleset(ruleset: object): void
    run(document: object): Promise<{ code: string | number; message: string; path: (string | number)[] }[]>
  }
}

test("the document follows Spectral's rules for OpenAPI", async () => {
  const load = async (file: string) =>
    (await import(pathToFileURL(path.join(packages, '@stoplight', file)).href)) as { default: unknown }
  const { Spectral } = (await load('spectral-core/dist/index.js')).default as Spectral
  const { oas } = (await load('spectral-rulesets/dist/index.js')).default as { oas: object }
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [oas] })
  const faults = async (document: object) =>
    (await spectral.run(document)).map(({ code, message, path: place }) => `${code}: ${message} at ${place.join('.')}`)
  const document = JSON.parse(await documentAt(provider.origin)) as { tags: object[]; paths: object }
  expectNone(await faults(document))
  const [first] = Object.entries(document.paths)
  const broken = { ...document, tags: [], paths: Object.fromEntries([first!]) }
  assert.match((await faults(broken)).join('\n'), /operation-tag-defined/)
})

interface Ajv {
  compile(schema: object): { (document: unknown): boolean; errors?: unknown[] | null }
}

test('the document of the messages is valid AsyncAPI 3', async () => {
  const { Ajv } = (await import(pathToFileURL(path.join(packages, '@redocly/ajv/dist/ajv.js')).href)) as {
    Ajv: new (options: object) => Ajv
  }
  const schema = readFileSync(path.join(packages, '@asyncapi/specs/schemas/3.0.0.json'), 'utf8')
  // The schema contains its own meta-schema.
  const options = { strict: false, allErrors: true, meta: false, validateSchema: false, validateFormats: false }
  const validate = new Ajv(options).compile(JSON.parse(schema) as object)
  const response = await fetch(`${provider.origin}/api/asyncapi.json`)
  const document = (await response.json()) as { channels: object }
  assert.ok(validate(document), JSON.stringify(validate.errors))
  assert.ok(!validate({ ...document, channels: { telemetry: { address: 7 } } }))
})

/** A program written with the client: fetch the session, list lights, test one, and read a refusal. */
const story = `
import * as caretaker from './client.ts'

export async function story(baseUrl: string, token: string): Promise<unknown> {
  Object.assign(caretaker.defaults, { baseUrl, headers: { authorization: \`Bearer \${token}\` } })
  const session = await caretaker.getSession()
  if (session.status !== 200) throw new Error(\`no session: \${session.status}\`)
  const tenant = session.data.tenants[0]!.id
  const page = await caretaker.fetchViewData({ tenant, listing: 'EmergencyLights' })
  if (page.status !== 200) throw new Error(page.data.message)
  const { deviceId, deviceSerial } = page.data.data!.rows[0]!
  const tested = await caretaker.runT0Test({ tenant, deviceId })
  if (tested.status !== 200) throw new Error(tested.data.message)
  const users = await caretaker.listUsers(tenant)
  if (users.status !== 200) throw new Error(users.data.message)
  const elsewhere = await caretaker.listUsers('south')
  const wrong = await caretaker.getEmered({ tenant, deviceId: 'no id' })
  const fields = wrong.status === 400 ? wrong.data.validationErrors.map(({ field }) => field) : []
  const queued = tested.data.data?.status
  return { tenant, deviceId, deviceSerial, queued, users: users.data.results.length, elsewhere: elsewhere.status, fields }
}
`

test('a client from a third-party generator compiles, signs in, lists devices and runs actions', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-client-'))
  try {
    symlinkSync(packages, path.join(folder, 'node_modules'), 'junction')
    writeFileSync(path.join(folder, 'openapi.json'), await documentAt(provider.origin))
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(path.join(folder, 'story.ts'), story)
    const run = async (...command: string[]) => (await execute(process.execPath, command, { cwd: folder })).stdout
    await run(path.join(packages, 'oazapfts/dist/cli.js'), 'openapi.json', 'client.ts')
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--lib', 'es2024,dom']
    const modules = ['--module', 'nodenext', '--target', 'es2024', '--types', '']
    const types = (...files: string[]) =>
      run(path.join(root, 'node_modules/typescript/bin/tsc'), ...options, ...modules, ...files)
    assert.equal(await types('story.ts'), '')
    // Types that are too loose would accept this as well.
    writeFileSync(path.join(folder, 'wrong.ts'), story.replace("'EmergencyLights'", "'Kettles'"))
    await assert.rejects(types('wrong.ts'), /'Kettles'|Command failed/)

    const { tokens } = await signInAs(provider.origin, manager)
    const { story: runStory } = (await import(pathToFileURL(path.join(folder, 'story.ts')).href)) as {
      story: (origin: string, token: string) => Promise<Record<string, unknown>>
    }
    const { deviceSerial, ...rest } = await runStory(provider.origin, tokens.access_token)
    assert.match(String(deviceSerial), /^EM1/)
    assert.deepEqual(rest, {
      tenant: 'northgate',
      deviceId: device,
      queued: 'queued',
      users: 1,
      elsewhere: 404,
      fields: ['deviceId'],
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the page names every call except internal ones, runs no script and loads nothing from elsewhere', async () => {
  const answer = await fetch(`${provider.origin}/api/docs`)
  assert.match(answer.headers.get('content-security-policy')!, /script-src 'self'/)
  const html = await answer.text()
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!))
  for (const [name, route] of Object.entries(routes)) assert.equal(ids.has(name), !route.internal, name)
  for (const [, target] of html.matchAll(/ href="#([^"]+)"/g)) assert.ok(ids.has(target!), target)
  // The page's statement about calls without a key is correct: calls about users need one.
  assert.match(html, /Calls about users need a key with the right to administer users\./)
  const { paths } = JSON.parse(await documentAt(provider.origin)) as {
    paths: Record<string, Record<string, { security: object[] }>>
  }
  const users = Object.values(routes).filter(({ may, internal }) => may === 'administer users' && !internal)
  assert.ok(users.length)
  for (const { path: place, method } of users)
    assert.ok(
      paths[place]![method.toLowerCase()]!.security.some((one) => 'apiKey' in one),
      place,
    )
  const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]+)"/g)].map(
    ([, address]) => address!,
  )
  assert.deepEqual(loaded, ['/mark.svg', '/api/docs/page.css', '/api/docs/page.js'])
  assert.ok(!/<script(?![^>]* src=)|\son\w+=/.test(html))
  for (const [address, type] of [
    ['page.css', 'text/css'],
    ['page.js', 'text/javascript'],
  ]) {
    const file = await fetch(`${provider.origin}/api/docs/${address}`)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, `${type}; charset=utf-8`])
  }
})

/** The code in a block of the page, as copied by a reader. */
async function codeOnPage(id: string): Promise<string> {
  const html = await (await fetch(`${provider.origin}/api/docs`)).text()
  const code = new RegExp(`id="${id}".*?<code>(.*?)</code>`, 's').exec(html)![1]!
  const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' }
  return code.replaceAll(/&(?:lt|gt|quot|amp);/g, (entity) => characters[entity]!)
}

test('the first steps on the page run unchanged, in the shell and in TypeScript, in ten lines each', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-begin-'))
  try {
    await world.addMember('northgate', integrator, 'Manager')
    const key = await makeKey(world, 'northgate', integrator)
    const shell = await codeOnPage('begin-curl')
    const script = shell.replace("'your API key'", `'${key}'`)
    assert.notEqual(script, shell)
    const { stdout } = await execute('bash', ['-euc', script], { cwd: folder })
    const answers = stdout.replaceAll('}{', '}\n{').split('\n').filter(Boolean)
    const [tested, commands] = answers.map((line) => JSON.parse(line) as { isSuccessful: boolean; data: object })
    assert.ok(tested!.isSuccessful && commands!.isSuccessful)
    assert.match(JSON.stringify(commands!.data), new RegExp((tested!.data as { commandId: string }).commandId))

    const typescript = await codeOnPage('begin-typescript')
    const runWith = (bearer: string) => {
      writeFileSync(path.join(folder, 'begin.mts'), typescript.replace('your API key', bearer))
      return execute(process.execPath, ['begin.mts'], { cwd: folder })
    }
    const listed = await runWith(key)
    assert.match(listed.stdout, /^EM1\w+ \w+$/m)
    await assert.rejects(runWith('wrong'), /FetchViewData: 401 Unauthorized/)
    for (const code of [shell, typescript]) assert.ok(code.split('\n').length <= 10)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
