import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, test } from 'vitest'
import { parse } from 'yaml'
import { sections, released } from './changelog.mjs'
import { root } from './child.mjs'
import { buildImage, changes, checksum, manifests, partsList } from './release.mjs'

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('the current version has a section in the changelog, after the unreleased changes, newest first', () => {
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

test('a changelog section has each kind once and lists every change once', () => {
  for (const { name, body } of sections(read('CHANGELOG.md'))) {
    const kinds = [...body.matchAll(/^### (.*)$/gm)].map(([, kind]) => kind!)
    assert.deepEqual(kinds, [...new Set(kinds)], name)
    // A line may repeat the beginning of a longer one: `An image … (deploy).` and `An image … (deploy); npm run …`.
    const entries = body
      .split(/^(?=- |### )/m)
      .filter((entry) => entry.startsWith('- '))
      .map((entry) => entry.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, ''))
      .toSorted()
    const again = entries.filter((entry, at) => entries[at + 1]?.startsWith(entry))
    assert.deepEqual(again, [], name)
  }
})

test('a release gives the unreleased changes a version and date, and needs at least one change', () => {
  const before = '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A thing.\n\n## [1.0.0] - 2026-01-01\n\n- Begun.\n'
  const after = released(before, '1.0.1', '2026-02-03')
  assert.deepEqual(sections(after), [
    { name: 'Unreleased', day: undefined, body: '' },
    { name: '1.0.1', day: '2026-02-03', body: '### Fixed\n\n- A thing.' },
    { name: '1.0.0', day: '2026-01-01', body: '- Begun.' },
  ])
  assert.throws(() => released(after, '1.0.2', '2026-02-04'), /nothing to release/)
  assert.throws(() => released(before, '1.0.0', '2026-02-04'), /already has 1\.0\.0/)
})

test('a release changes the version everywhere, and nothing else in the lock file', () => {
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

test('the list of parts contains the packages of an installation with licences, and no development packages', async () => {
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
  const others = list.components.filter(({ purl }) => !purl.startsWith('pkg:npm/'))
  const node = /^ARG NODE=(.*)$/m.exec(read('Dockerfile'))![1]!
  assert.deepEqual(
    others.map(({ purl }) => purl),
    [`pkg:docker/node@${node}-bookworm-slim`, `pkg:generic/node@${node}`, 'pkg:generic/debian@bookworm'],
  )
  const refs = new Set(list.components.map((part) => part['bom-ref']))
  for (const { dependsOn } of list.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
})

test('the image is built by the first working engine', async () => {
  const asked: string[] = []
  const only = (engines: string[]) => async (engine: string, args: string[]) => {
    asked.push(`${engine} ${args[0]}`)
    return { code: engines.includes(engine) ? 0 : 127, output: '' }
  }
  assert.equal(await buildImage('caretaker:1.2.3', '/tmp/image.tar', only(['buildah', 'docker'])), 'buildah')
  assert.deepEqual(asked, ['podman info', 'buildah info', 'buildah build', 'buildah push'])
  asked.length = 0
  assert.equal(await buildImage('caretaker:1.2.3', '/tmp/image.tar', only([])), undefined)
  assert.deepEqual(asked, ['podman info', 'buildah info', 'docker info'])
})

test('a release commits, tags, and creates an archive, a list of parts and their checksums', (t) => {
  const git = (cwd: string, ...args: string[]) => spawnSync('git', args, { cwd, encoding: 'utf8' })
  const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-release-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const clone = path.join(folder, 'clone')
  if (git(root, 'clone', '--quiet', '--no-tags', root, clone).status !== 0)
    return t.skip('there is no git history here')
  const as = ['-c', 'user.name=Tests', '-c', 'user.email=tests@caretaker.example']
  // Copies the working tree, so that uncommitted changes are tested too.
  for (const name of ['tools', 'packages', 'deploy', 'Dockerfile', 'CHANGELOG.md', 'package.json', 'package-lock.json'])
    cpSync(path.join(root, name), path.join(clone, name), {
      recursive: true,
      filter: (source) => !/\/(node_modules|dist|results)$/.test(source),
    })
  git(clone, 'add', '--all')
  assert.equal(git(clone, ...as, 'commit', '--quiet', '--allow-empty', '--message', 'As it is').status, 0)
  const release = (...args: string[]) => {
    const env = { ...process.env, GIT_AUTHOR_NAME: 'Tests', GIT_AUTHOR_EMAIL: 'tests@caretaker.example' }
    return spawnSync(process.execPath, ['tools/release.mjs', ...args], {
      ...{ cwd: clone, encoding: 'utf8' },
      env: {
        ...env,
        GIT_COMMITTER_NAME: 'Tests',
        GIT_COMMITTER_EMAIL: 'tests@caretaker.example',
        NODE_TEST_CONTEXT: '',
      },
    })
  }
  const dry = release('8.7.6', '--dry-run')
  assert.equal(dry.status, 0, dry.stderr)
  assert.match(dry.stdout, /would write CHANGELOG\.md/)
  assert.equal(git(clone, 'status', '--porcelain').stdout, '')
  const done = release('8.7.6', '--no-image')
  assert.equal(done.status, 0, done.stderr + done.stdout)
  assert.equal(git(clone, 'describe', '--tags').stdout.trim(), 'v8.7.6')
  assert.equal(git(clone, 'status', '--porcelain').stdout, '')
  assert.equal(JSON.parse(readFileSync(path.join(clone, 'package.json'), 'utf8')).version, '8.7.6')
  const made = path.join(clone, 'dist/release')
  assert.deepEqual(readdirSync(made).toSorted(), ['SHA256SUMS', 'caretaker-8.7.6.cdx.json', 'caretaker-8.7.6.tar.gz'])
  const sums = readFileSync(path.join(made, 'SHA256SUMS'), 'utf8').trim().split('\n')
  for (const line of sums) {
    const [sum, name] = line.split('  ') as [string, string]
    assert.equal(sum, checksum(readFileSync(path.join(made, name))), name)
  }
  const again = release('8.7.6', '--no-image')
  assert.notEqual(again.status, 0)
  assert.match(again.stdout + again.stderr, /8\.7\.6 already|nothing to release/)
})

test('each CI platform makes a release only with the script, after all tests pass, when someone gives the version', () => {
  type Job = { steps: { run?: string }[] }
  for (const forge of ['.github', '.forgejo']) {
    const { on, jobs } = parse(read(`${forge}/workflows/release.yml`)) as { on: object; jobs: Record<string, Job> }
    assert.deepEqual(Object.keys(on), ['workflow_dispatch'], forge)
    const runs = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))
    const [tests, script] = ['.ci/run', 'npm run release -- "$VERSION"'].map((what) =>
      runs.findIndex((run) => run.includes(what)),
    )
    assert.ok(tests! >= 0 && script! > tests!, forge)
  }
  const gitlab = parse(read('.gitlab-ci.yml')) as { release: { script: string[]; rules: object[] } }
  assert.ok(gitlab.release.script.some((line) => line.includes('npm run release -- "$VERSION"')))
  assert.deepEqual(gitlab.release.rules, [{ if: '$VERSION' }])
})

test('the forges publish where a release was built, and analyse the code and its dependencies on every change', () => {
  type Workflow = {
    on: object
    permissions: object
    jobs: Record<string, { steps: { uses?: string; run?: string }[] }>
  }
  const workflow = (file: string) => parse(read(file)) as Workflow
  const uses = ({ jobs }: Workflow) =>
    Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses: action }) => action?.split('@')[0] ?? []))
  const release = workflow('.github/workflows/release.yml')
  assert.ok(uses(release).includes('actions/attest-build-provenance'))
  assert.ok(uses(release).includes('actions/attest-sbom'))
  assert.deepEqual(release.permissions, { contents: 'write', 'id-token': 'write', attestations: 'write' })
  const audit = 'npm audit --package-lock-only --omit=dev --audit-level=high'
  for (const forge of ['.github', '.forgejo']) {
    const { on, jobs } = workflow(`${forge}/workflows/security.yml`)
    assert.deepEqual(Object.keys(on), ['push', 'pull_request', 'schedule'], forge)
    assert.ok(
      jobs.dependencies!.steps.some(({ run }) => run === audit),
      forge,
    )
  }
  assert.ok(uses(workflow('.github/workflows/security.yml')).includes('github/codeql-action/analyze'))
  const gitlab = parse(read('.gitlab-ci.yml')) as {
    include: object[]
    dependencies: { script: string[] }
    release: { variables: Record<string, unknown> }
  }
  assert.deepEqual(gitlab.include, [{ template: 'Jobs/SAST.gitlab-ci.yml' }])
  assert.deepEqual(gitlab.dependencies.script, [audit])
  assert.equal(gitlab.release.variables.RUNNER_GENERATE_ARTIFACTS_METADATA, 'true')
})

test('checksums are those of sha256sum', () => {
  assert.equal(checksum('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('every CI platform runs the tests with npm test, with the whole history and a supported Node', () => {
  type Job = { steps: { run?: string; with?: Record<string, unknown> }[]; container: string | { image: string } }
  for (const file of ['.github/workflows/ci.yml', '.forgejo/workflows/ci.yml']) {
    const { jobs } = parse(read(file)) as { jobs: { tests: Job } }
    const { steps, container } = jobs.tests
    const runs = steps.flatMap(({ run }) => run ?? [])
    assert.ok(runs.includes('npm ci') && runs.includes('npm test -- ${{ matrix.tests }} $CHANGED'), file)
    // The upgrade test with two versions needs the history.
    assert.equal(steps[0]?.with?.['fetch-depth'], 0, file)
    assert.match(typeof container === 'string' ? container : container.image, /^node:24-/)
  }
  const { tests } = parse(read('.gitlab-ci.yml')) as {
    tests: { script: string[]; image: string; variables: { GIT_DEPTH: number } }
  }
  assert.ok(tests.script.includes('npm ci') && tests.script.at(-1)!.startsWith('npm test -- $TESTS '))
  assert.equal(tests.variables.GIT_DEPTH, 0)
  assert.match(tests.image, /^node:24-/)
  assert.match(read('.ci/run'), /^exec npm test$/m)
})

test('issue forms are complete, and the same on every platform', () => {
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
