import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { root } from './child.mjs'
import { ensureTestTools, isInstalled, refuseWithoutCarrier } from './install.mjs'
import { skipBecause } from '@caretaker/server/testing/skipping.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'caretaker-install-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
mkdirSync(path.join(folder, 'node_modules'))

const wanted = {
  '': { name: 'caretaker', version: '0.1.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/for-another-platform': { version: '1.0.0', optional: true },
  'node_modules/@caretaker/rules': { resolved: 'packages/rules', link: true },
}

function installed(present: Record<string, object> | undefined): boolean {
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: wanted }))
  const record = path.join(folder, 'node_modules', '.package-lock.json')
  if (present) writeFileSync(record, JSON.stringify({ packages: present }))
  else rmSync(record, { force: true })
  return isInstalled(folder)
}

const { '': _root, 'node_modules/for-another-platform': _other, ...complete } = wanted

test('packages count as installed when all but the optional ones have their exact versions', () => {
  assert.equal(installed(complete), true)
  assert.equal(installed({ ...complete, 'node_modules/for-another-platform': { version: '1.0.0' } }), true)
})

test('packages do not count as installed after an update, with one missing or too many, or after an interrupted installation', () => {
  assert.equal(installed({ ...complete, 'node_modules/a': { version: '1.0.1', integrity: 'sha512-b' } }), false)
  assert.equal(installed({ 'node_modules/@caretaker/rules': complete['node_modules/@caretaker/rules'] }), false)
  assert.equal(installed({ ...complete, 'node_modules/left-over': { version: '2.0.0' } }), false)
  assert.equal(installed(undefined), false)
})

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const manifest = JSON.parse(read('tools/node/package.json')) as { optionalDependencies: Record<string, string> }

test('one exact version of Node is bundled for all platforms with checksums, and the release uses it', () => {
  const carried = manifest.optionalDependencies
  const [version, ...others] = new Set(Object.values(carried))
  assert.match(version!, /^\d+\.\d+\.\d+$/)
  assert.deepEqual(others, [])
  const lock = JSON.parse(read('tools/node/package-lock.json')) as { packages: Record<string, { integrity?: string }> }
  const { '': own, ...locked } = lock.packages
  assert.deepEqual(
    Object.keys(locked).sort(),
    Object.keys(carried)
      .map((name) => `node_modules/${name}`)
      .sort(),
  )
  for (const [name, { integrity }] of Object.entries(locked)) assert.match(integrity!, /^sha512-/, name)
  assert.match(read('.github/workflows/release.yml'), new RegExp(`node-version: ${version!.replaceAll('.', '\\.')} `))
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: object }
  assert.deepEqual(
    Object.keys(packages).filter((name) => name in locked),
    [],
    'who has a newer Node downloads none',
  )
})

test('if no bundled Node runs, the message advises to install one', () => {
  const refusal = (platform: string, report: { glibcVersionRuntime?: string }) => {
    const lines: string[] = []
    refuseWithoutCarrier(platform, report, (line: string) => lines.push(line))
    return lines.join('\n')
  }
  const glibc = { glibcVersionRuntime: '2.36' }
  for (const platform of ['linux-x64', 'linux-arm64']) assert.equal(refusal(platform, glibc), '')
  for (const platform of ['darwin-x64', 'darwin-arm64', 'win32-x64']) assert.equal(refusal(platform, {}), '')
  assert.match(refusal('linux-x64', {}), /needs glibc, which this system lacks.*Install Node 24 or newer/)
  assert.match(refusal('linux-ia32', glibc), /no bundled Node for linux-ia32.*Install Node 24 or newer/)
})

/** A Node on this machine that is older than 24, outside the repository. */
const older = (process.env.PATH ?? '')
  .split(path.delimiter)
  .map((place) => path.join(place, 'node'))
  .find((file) => /^v2[0-3]\./.test(spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout ?? ''))

test('without a network, an older Node ends with instructions', skipBecause(!older && 'no older Node here'), () => {
  const copy = path.join(folder, 'copy')
  for (const name of readdirSync(path.join(root, 'tools')).filter((name) => name.endsWith('.mjs')))
    cpSync(path.join(root, 'tools', name), path.join(copy, 'tools', name))
  for (const name of ['package.json', 'package-lock.json'])
    cpSync(path.join(root, 'tools/node', name), path.join(copy, 'tools/node', name))
  mkdirSync(path.join(copy, 'node_modules'))
  for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
    writeFileSync(path.join(copy, file), JSON.stringify({ packages: {} }))
  const { npm_execpath: _, ...outer } = process.env
  const env = {
    ...outer,
    PATH: `${path.dirname(older!)}${path.delimiter}${process.env.PATH}`,
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_cache: path.join(folder, 'cache'),
    npm_config_fetch_retries: '0',
  }
  const { status, stderr, stdout } = spawnSync(older!, ['tools/run.mjs', 'some.ts'], {
    cwd: copy,
    env,
    encoding: 'utf8',
  })
  assert.equal(status, 1, stderr)
  assert.match(
    stderr,
    /npm could not install a newer Node \(package node-\S+\): is the npm registry reachable .* Install Node 24 or newer/,
  )
  assert.equal(stdout, '', 'nothing of it is output of the command')
})

test('packages that few tests need are installed once, even for two simultaneous requests', async () => {
  const [one, other] = await Promise.all([ensureTestTools('openapi'), ensureTestTools('openapi')])
  assert.equal(one, other)
  assert.ok(isInstalled(path.dirname(one)))
  assert.deepEqual(readdirSync(path.dirname(one)).sort(), ['node_modules', 'package-lock.json', 'package.json'])
})
