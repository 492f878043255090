import assert from 'node:assert/strict'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { sections, released } from './changelog.mjs'
import { root } from './child.mjs'
import { changes, checksum, manifests, partsList } from './release.mjs'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('the version of the packages has a section in the changelog, after what is unreleased, the newest first', () => {
  const [unreleased, newest, ...others] = sections(read('CHANGELOG.md'))
  assert.equal(unreleased!.name, 'Unreleased')
  assert.equal(newest!.name, version)
  for (const one of [newest!, ...others]) {
    assert.match(one.name, /^\d+\.\d+\.\d+$/)
    assert.ok(one.day && one.body, one.name)
  }
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
  const kinds = [...read('CHANGELOG.md').matchAll(/^### (.*)$/gm)].map(([, kind]) => kind!)
  assert.deepEqual(
    kinds.filter((kind) => !known.includes(kind)),
    [],
  )
  for (const manifest of manifests()) assert.equal(JSON.parse(read(manifest)).version, version, manifest)
})

test('a release gives what is unreleased its version and day, and needs something to say', () => {
  const before = '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A thing.\n\n## [1.0.0] - 2026-01-01\n\n- Begun.\n'
  const after = released(before, '1.0.1', '2026-02-03')
  assert.deepEqual(sections(after), [
    { name: 'Unreleased', day: undefined, body: '' },
    { name: '1.0.1', day: '2026-02-03', body: '### Fixed\n\n- A thing.' },
    { name: '1.0.0', day: '2026-01-01', body: '- Begun.' },
  ])
  assert.throws(() => released(after, '1.0.2', '2026-02-04'), /nothing to release/)
  assert.throws(() => released(before, '1.0.0', '2026-02-04'), /has 1\.0\.0 already/)
})

test('a release changes the version everywhere, and nothing else of the lock', () => {
  const found = changes('8.7.6', '2030-01-02')
  for (const name of manifests()) {
    const manifest = JSON.parse(found.get(name)!) as { version: string; dependencies?: Record<string, string> }
    assert.equal(manifest.version, '8.7.6')
    for (const [other, wanted] of Object.entries(manifest.dependencies ?? {}))
      if (other.startsWith('@caretaker/')) assert.equal(wanted, '8.7.6')
  }
  const lines = (text: string) => text.split('\n')
  const [was, is] = [lines(read('package-lock.json')), lines(found.get('package-lock.json')!)]
  assert.equal(is.length, was.length)
  for (const [at, line] of is.entries()) if (line !== was[at]) assert.match(line, /8\.7\.6/)
  const chart = parse(found.get('deploy/helm/caretaker/Chart.yaml')!) as { version: string; appVersion: string }
  assert.deepEqual([chart.version, chart.appVersion], ['8.7.6', '8.7.6'])
  assert.match(found.get('CHANGELOG.md')!, /^## \[8\.7\.6\] - 2030-01-02$/m)
})

test('the list of parts names what an installation has, with licences, and nothing that only development needs', async () => {
  const list = JSON.parse(await partsList()) as {
    bomFormat: string
    components: { 'bom-ref': string; name: string; version: string; purl: string; licenses?: unknown[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  assert.equal(list.bomFormat, 'CycloneDX')
  const names = list.components.map(({ name }) => name)
  const { dependencies } = JSON.parse(read('packages/server/package.json')) as { dependencies: Record<string, string> }
  const needed = Object.keys(dependencies).filter((name) => !name.startsWith('@caretaker/'))
  for (const name of ['react', ...needed]) assert.ok(names.includes(name), name)
  for (const name of ['typescript', 'oxlint', 'vite', '@types/pg']) assert.ok(!names.includes(name), name)
  assert.ok(list.components.every(({ purl }) => purl.startsWith('pkg:npm/')))
  const refs = new Set(list.components.map((part) => part['bom-ref']))
  for (const { dependsOn } of list.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
})

test('checksums are those of sha256sum', () => {
  assert.equal(checksum('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('every forge runs .ci/run and nothing else, with a Node that the house knows', () => {
  type Job = { steps: { run?: string }[]; container: string | { image: string } }
  for (const file of ['.github/workflows/ci.yml', '.forgejo/workflows/ci.yml']) {
    const { jobs } = parse(read(file)) as { jobs: Record<string, Job> }
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    assert.deepEqual(runs, ['.ci/run'], file)
    for (const { container } of Object.values(jobs))
      assert.match(typeof container === 'string' ? container : container.image, /^node:24-/)
  }
  const gitlab = parse(read('.gitlab-ci.yml')) as { all: { script: string[]; image: string } }
  assert.deepEqual(gitlab.all.script, ['.ci/run'])
  assert.match(gitlab.all.image, /^node:24-/)
  assert.ok(existsSync(path.join(root, '.ci/run')))
})

test('issue forms are whole, and the same on every forge', () => {
  const folder = path.join(root, '.github/ISSUE_TEMPLATE')
  for (const name of readdirSync(folder)) {
    assert.equal(read(`.forgejo/issue_template/${name}`), read(`.github/ISSUE_TEMPLATE/${name}`))
    if (name === 'config.yml') continue
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}`)) as {
      name: string
      description: string
      body: { type: string; id?: string; attributes: { label?: string; value?: string } }[]
    }
    assert.ok(form.name && form.description)
    for (const { type, id, attributes } of form.body)
      if (type === 'markdown') assert.ok(attributes.value)
      else assert.ok(id && attributes.label, `${name}: ${type}`)
  }
  for (const file of ['.forgejo/pull_request_template.md', '.gitlab/merge_request_templates/Default.md'])
    assert.equal(read(file), read('.github/pull_request_template.md'))
})
