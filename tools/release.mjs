// `npm run release -- VERSION`: writes the version into the packages, the chart and the changelog, commits and tags it, and
// creates the files to publish in `dist/release`: the tagged sources, the list of parts (CycloneDX) and the checksums of both.
// `npm run release -- VERSION --dry-run` prints what it would do and changes nothing.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isMain, refuse, root, run } from './child.mjs'
import { released, sections } from './changelog.mjs'

/** Names the last migration of the version. */
const migrationsTest = 'tools/migrations.test.ts'
/** Files with the version, in addition to the changelog. */
const chart = 'deploy/helm/caretaker/Chart.yaml'
const compose = 'deploy/compose.yaml'

const file = (name) => path.join(root, name)
const read = (name) => readFileSync(file(name), 'utf8')

/** The package.json files of the root and all packages. */
export const manifests = () => [
  'package.json',
  ...readdirSync(file('packages')).map((name) => `packages/${name}/package.json`),
]

/**
 * Every file that a release changes, with its new text.
 * @param {string} version
 * @param {string} day
 * @returns {Map<string, string>}
 */
export function changes(version, day) {
  const { version: before } = JSON.parse(read('package.json'))
  const found = new Map()
  // The version of a package, and the version that other packages of the repository require.
  const inManifest = (text) =>
    text
      .replaceAll(`"version": "${before}"`, `"version": "${version}"`)
      .replaceAll(/("@caretaker\/\w+": ")[^"]+/g, `$1${version}`)
  for (const name of manifests()) found.set(name, inManifest(read(name)))
  found.set('package-lock.json', inLock(read('package-lock.json'), version))
  found.set(
    chart,
    read(chart).replaceAll(/^(version|appVersion): .*$/gm, (_, key) => `${key}: ${version}`),
  )
  found.set(compose, read(compose).replace(/(CARETAKER_VERSION:-)[^}]+/, `$1${version}`))
  const newest = Object.keys(JSON.parse(read('packages/server/src/migrations/lock.json')))
    .filter((name) => /^\d/.test(name))
    .at(-1)
  found.set(migrationsTest, read(migrationsTest).replace(/(newestOfVersion = ')[^']+/, `$1${newest}`))
  found.set('CHANGELOG.md', released(read('CHANGELOG.md'), version, day))
  return found
}

/** The lock file names the repository's packages by their folders; the rest of it stays unchanged. */
function inLock(text, version) {
  const lock = JSON.parse(text)
  lock.version = version
  for (const [place, one] of Object.entries(lock.packages)) {
    if (place !== '' && !/^packages\/\w+$/.test(place)) continue
    one.version = version
    for (const kind of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(one[kind] ?? {})) if (name.startsWith('@caretaker/')) one[kind][name] = version
  }
  return `${JSON.stringify(lock, null, 2)}\n`
}

export const checksum = (content) => createHash('sha256').update(content).digest('hex')

/**
 * The parts of an installation without development packages, as CycloneDX. npm is asked for all packages: with development
 * packages omitted, it also leaves out packages that one workspace needs at run time and another only for tests.
 * @returns {Promise<string>}
 */
export async function partsList() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const { code, output } = await run('npm', args, { capture: true, shell: process.platform === 'win32' })
  const begin = output.indexOf('{')
  if (code !== 0 || begin < 0) refuse(`npm sbom failed: ${output.trim()}`)
  const list = JSON.parse(output.slice(begin, output.lastIndexOf('}') + 1))
  const isForDevelopment = ({ properties = [] }) =>
    properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true')
  list.components = list.components.filter((part) => !isForDevelopment(part))
  const kept = new Set([list.metadata.component, ...list.components].map((part) => part['bom-ref']))
  list.dependencies = list.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
  list.components.push(...imageParts(read('Dockerfile')))
  return `${JSON.stringify(list, null, 2)}\n`
}

/**
 * The parts of the image other than packages: Node and Debian, as the Dockerfile names them.
 * @param {string} dockerfile
 */
export function imageParts(dockerfile) {
  const version = /^ARG NODE=(\S+)$/m.exec(dockerfile)?.[1]
  const base = /^FROM node:\$\{NODE\}-((\w+)[\w-]*)(?:@\S+)?$/m.exec(dockerfile)
  if (!version || !base) return refuse('The Dockerfile names no Node version or no Debian base image.')
  const [, variant, debian] = base
  const part = (type, name, of, purl) => ({ type, name, version: of, purl, 'bom-ref': purl })
  return [
    part('container', 'node', `${version}-${variant}`, `pkg:docker/node@${version}-${variant}`),
    part('platform', 'Node.js', version, `pkg:generic/node@${version}`),
    part('operating-system', 'debian', debian, `pkg:generic/debian@${debian}`),
  ]
}

/**
 * For each container engine: how to check that it works, to build an image, and to export it into a file that every engine can
 * load.
 */
const engines = {
  podman: (tag, file) => [
    ['info'],
    ['build', '--format', 'docker', '--tag', tag, '.'],
    ['save', '--format', 'docker-archive', '--output', file, tag],
  ],
  buildah: (tag, file) => [
    ['info'],
    ['build', '--format', 'docker', '--tag', tag, '.'],
    ['push', tag, `docker-archive:${file}:${tag}`],
  ],
  docker: (tag, file) => [['info'], ['build', '--tag', tag, '.'], ['save', '--output', file, tag]],
}

/**
 * Builds the image with the first engine that works. Returns its name, or undefined if there is none.
 * @param {string} tag
 * @param {string} file
 * @param {(engine: string, args: string[], options: object) => Promise<{ code: number, output: string }>} [order]
 * @returns {Promise<string | undefined>}
 */
export async function buildImage(tag, file, order = run) {
  for (const [engine, orders] of Object.entries(engines)) {
    const [works, ...build] = orders(tag, file)
    if ((await order(engine, works, { capture: true })).code !== 0) continue
    for (const args of build) {
      const { code, output } = await order(engine, args, { capture: true })
      if (code !== 0) refuse(`${engine} ${args[0]} failed: ${output.trim().split('\n').slice(-20).join('\n')}`)
    }
    return engine
  }
  return undefined
}

async function git(...args) {
  const { code, output } = await run('git', args, { capture: true })
  if (code !== 0) refuse(`git ${args.join(' ')} failed: ${output.trim()}`)
  return output.trim()
}

async function main() {
  const [version, ...flags] = process.argv.slice(2)
  if (!/^\d+\.\d+\.\d+$/.test(version ?? ''))
    refuse('Enter the version: npm run release -- 1.2.3 [--dry-run] [--no-image]')
  const dryRun = flags.includes('--dry-run')
  const written = (() => {
    try {
      return changes(version, new Date().toISOString().slice(0, 10))
    } catch (error) {
      return refuse(error.message)
    }
  })()
  const tag = `v${version}`
  if (dryRun) {
    for (const [name, text] of written) if (text !== read(name)) console.log(`would write ${name}`)
    console.log(`would commit and tag ${tag} with this text:\n\n${sections(written.get('CHANGELOG.md'))[1].body}`)
    return
  }
  if (await git('status', '--porcelain')) refuse('There are uncommitted changes. Commit them first.')
  if (await git('tag', '--list', tag)) refuse(`The tag ${tag} already exists.`)
  for (const [name, text] of written) writeFileSync(file(name), text)
  await git('commit', '--all', '--message', `chore(release): ${version}`)
  await git('tag', '--annotate', tag, '--message', `Caretaker ${version}`)

  const folder = file('dist/release')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const name = `caretaker-${version}`
  await git('archive', '--format=tar.gz', `--prefix=${name}/`, `--output=${path.join(folder, `${name}.tar.gz`)}`, tag)
  writeFileSync(path.join(folder, `${name}.cdx.json`), await partsList())
  const image = path.join(folder, `${name}.image.tar`)
  const engine = flags.includes('--no-image') ? undefined : await buildImage(`caretaker:${version}`, image)
  const sums = readdirSync(folder).map((one) => `${checksum(readFileSync(path.join(folder, one)))}  ${one}`)
  writeFileSync(path.join(folder, 'SHA256SUMS'), `${sums.join('\n')}\n`)
  console.log(`${tag} is tagged, and dist/release holds what belongs to it. What is left to do:
  git push --follow-tags
  ${engine ? `${engine} push caretaker:${version} REGISTRY/caretaker:${version}` : `docker build --tag caretaker:${version} .`}
  cd dist/release && sha256sum --check SHA256SUMS`)
}

if (isMain(import.meta.url)) await main()
