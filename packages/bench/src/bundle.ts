import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rounded } from './figures.ts'
import { inBrowser } from './in-browser.ts'

const dist = fileURLToPath(new URL('../../web/dist', import.meta.url))

/**
 * The limits of the fast check in `bundle.test.ts`, which counts the static imports of a listing: kB of 1,000 bytes, gzip, and
 * files. A browser loads more (styles, fonts, dynamic imports, calls): `npm run bench -- bundle` measures that.
 */
export const limits = { kB: 295, files: 30 }
/** The limit for the files that a browser loads until a listing shows its rows, without API responses, which depend on the data. */
const loadedLimits = { kB: { brotli: 365, gzip: 412 }, files: 35 }

export const isBuilt = () => existsSync(path.join(dist, 'index.html'))

const assets = path.join(dist, 'assets')
const textOf = (file: string) => readFileSync(path.join(assets, file), 'utf8')

/** The script files, each with its static imports. */
export function scriptFiles(): Map<string, string[]> {
  const files = readdirSync(assets).filter((file) => file.endsWith('.js'))
  const importsOf = (file: string) =>
    Array.from(textOf(file).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g), ([, imported]) => imported!)
  return new Map(files.map((file) => [file, importsOf(file)]))
}

/**
 * The script that a listing imports statically: the entries in index.html and the listing page with all of their imports; gzip, in
 * kB of 1,000 bytes.
 */
export function listingScript(): { total: number; files: { file: string; kB: number }[] } {
  const scripts = scriptFiles()
  const html = readFileSync(path.join(dist, 'index.html'), 'utf8')
  const entries = [...scripts.keys()].filter((file) => html.includes(file))
  const page = [...scripts.keys()].find((file) => file.startsWith('listing-pages-'))
  if (!entries.length || !page)
    throw new Error('The web pages are not built, or the listing page has no code of its own')

  const needed = new Set([...entries, page])
  for (const file of needed) for (const imported of scripts.get(file) ?? []) needed.add(imported)
  const files = [...needed].map((file) => ({
    file,
    kB: rounded(gzipSync(textOf(file), { level: 9 }).length / 1000),
  }))
  return { total: rounded(files.reduce((sum, { kB }) => sum + kB, 0)), files: files.sort((a, b) => b.kB - a.kB) }
}

type Encoding = keyof typeof loadedLimits.kB
interface Loaded {
  kind: string
  address: string
  bytes: number
}

/**
 * Measures what a browser with an empty cache and a signed-in user loads until a listing shows its rows, with brotli and with gzip.
 */
export async function run(): Promise<void> {
  const loaded = await inBrowser<Record<Encoding, Loaded[]>>('bundle')
  const kB = (some: readonly Loaded[]) => rounded(some.reduce((sum, { bytes }) => sum + bytes, 0) / 1000)
  for (const encoding of ['brotli', 'gzip'] as const) {
    const [answers, files] = [true, false].map((isAnswer) =>
      loaded[encoding].filter(({ kind }) => (kind === 'api') === isAnswer),
    ) as [Loaded[], Loaded[]]
    const kinds = Object.entries(Object.groupBy(loaded[encoding], ({ kind }) => kind)).map(([kind, some = []]) => [
      kind,
      { count: some.length, kB: kB(some) },
    ])
    const largest = loaded[encoding].toSorted((one, other) => other.bytes - one.bytes)
    console.log(JSON.stringify({ encoding, kinds: Object.fromEntries(kinds), largest }, null, 2))
    console.log(
      `bundle: ${encoding}: ${files.length} files with ${kB(files)} kB until a listing shows its rows (must be at most ${loadedLimits.kB[encoding]} kB in ${loadedLimits.files}), and ${answers.length} answers with ${kB(answers)} kB`,
    )
    if (kB(files) > loadedLimits.kB[encoding] || files.length > loadedLimits.files) process.exitCode = 1
  }
}
