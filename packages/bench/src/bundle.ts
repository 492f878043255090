import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rounded } from './figures.ts'

const dist = fileURLToPath(new URL('../../web/dist', import.meta.url))

/** What a browser loads before a listing works may be as large: kB of 1,000 bytes, gzip, and files. */
export const limits = { kB: 295, files: 30 }

export const isBuilt = () => existsSync(path.join(dist, 'index.html'))

const assets = path.join(dist, 'assets')
const textOf = (file: string) => readFileSync(path.join(assets, file), 'utf8')

/** The files of script, each with those that it imports at once. */
export function scriptFiles(): Map<string, string[]> {
  const files = readdirSync(assets).filter((file) => file.endsWith('.js'))
  const importsOf = (file: string) =>
    Array.from(textOf(file).matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g), ([, imported]) => imported!)
  return new Map(files.map((file) => [file, importsOf(file)]))
}

/**
 * The script that a browser must load before a listing works: what index.html names, and the code of the listing page, with
 * all that these import at once; gzip, in kB of 1,000 bytes.
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

export async function run(): Promise<void> {
  const script = listingScript()
  console.log(JSON.stringify(script, null, 2))
  const { total, files } = script
  console.log(
    `bundle: script to a working listing ${total} kB gzip in ${files.length} files (must be at most ${limits.kB} in ${limits.files})`,
  )
  if (total > limits.kB || files.length > limits.files) process.exitCode = 1
}
