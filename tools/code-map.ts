/** `npm run code-map`: writes docs/code-map.md, which maps each page to its web file, calls, server modules and tables. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isMain, root } from './child.mjs'
import { importsOf, sourcesBelow, withoutComments } from './floors.ts'
import type { Source } from './floors.ts'

interface Page {
  file: string
  /** Paths below the client's own path, as in the router. */
  paths: string[]
  calls: string[]
}

/** A group of server files: a feature, or another folder of the server. */
interface Module {
  folder: string
  calls: string[]
  tables: string[]
}

export interface CodeMap {
  pages: Page[]
  modules: Module[]
}

const web = 'packages/web/src'
const server = 'packages/server/src'
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.includes('/testing/')

/** Files that belong to every page. */
const around = ['ui', 'shell', 'icons'].map((folder) => `${web}/${folder}/`)

export function codeMap(): CodeMap {
  const webFiles = new Map(sourcesBelow(web).map((source) => [source.file, withoutComments(source.text)]))
  const serverFiles = sourcesBelow(server)
    .filter(({ file }) => !isTest(file) && !file.startsWith(`${server}/migrations/`))
    .map(({ file, text }) => ({ file, text: withoutComments(text) }))
  const calls = declaredCalls()
  const pages = [...pagesOf(webFiles.get(`${web}/router.tsx`)!)].map(([file, paths]) => ({
    file,
    paths: paths.toSorted(),
    calls: callsBehind(file, webFiles).filter((name) => calls.has(name)),
  }))
  const isCommon = (call: string) => pages.filter((page) => page.calls.includes(call)).length > pages.length / 2
  return {
    pages: pages
      .map((page) => ({ ...page, calls: page.calls.filter((call) => !isCommon(call)) }))
      .toSorted((one, other) => compare(one.paths[0]!, other.paths[0]!)),
    modules: modulesOf(serverFiles, calls),
  }
}

const compare = (one: string, other: string) => Number(one > other) - Number(one < other)

/** The names of all calls of the contract. */
function declaredCalls(): Set<string> {
  const texts = sourcesBelow('packages/contract/src/calls').map(({ text }) => text)
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/^export const (\w+) = \{\s*method:/gm)].map(([, name]) => name!)),
  )
}

/** The router's paths for each page file; routes that only redirect have no page. */
function pagesOf(router: string): Map<string, string[]> {
  const loaders = new Map(
    [...router.matchAll(/^const (\w+) = \(\) => import\('\.\/([^']+)'\)/gm)].map(([, name, file]) => [name!, file!]),
  )
  const found = new Map<string, string[]>()
  const add = (place: string, file: string) =>
    found.set(`${web}/${file}`, [...(found.get(`${web}/${file}`) ?? []), place])
  for (const statement of router.split(/\n(?=const |export )/)) {
    const file =
      /import\('\.\/(features|shell|actions)([^']+)'\)/.exec(statement)?.slice(1).join('') ??
      loaders.get(/lazyRouteComponent\((\w+),/.exec(statement)?.[1] ?? '')
    if (!file) continue
    const helper = /^const (\w+) = <const Path/.exec(statement)?.[1]
    const paths = helper
      ? [...router.matchAll(new RegExp(`\\b${helper}\\('([^']+)'`, 'g'))]
      : [...statement.matchAll(/\bpath: '([^']+)'/g)]
    for (const [, place] of paths) add(place!, file)
  }
  return found
}

/** The calls that a file, and the modules that it loads, import from the contract. */
function callsBehind(start: string, files: ReadonlyMap<string, string>): string[] {
  const seen = new Set([start])
  const calls = new Set<string>()
  for (const file of seen) {
    const code = files.get(file)
    if (code === undefined) continue
    for (const [, names] of code.matchAll(/import \{([^}]*)\} from '@caretaker\/contract\/calls\//g))
      for (const name of names!.split(',')) if (name.trim()) calls.add(name.trim().split(' as ')[0]!)
    for (const specifier of importsOf(code)) {
      if (!specifier.startsWith('.')) continue
      const target = path.posix.join(path.posix.dirname(file), specifier)
      if (!around.some((folder) => target.startsWith(folder))) seen.add(target)
    }
  }
  return [...calls].toSorted()
}

const folderOf = (file: string) => {
  const [first, second] = path.posix.relative(server, file).split('/')
  return first === 'features' ? `features/${second}` : first!
}

/** The server modules that serve calls, with these calls and the tables that their statements name. */
function modulesOf(files: readonly Source[], declared: ReadonlySet<string>): Module[] {
  const tables = tableNames()
  const modules = new Map<string, { calls: Set<string>; tables: Set<string> }>()
  const textOf = new Map(files.map(({ file, text }) => [file, text]))
  for (const { file, text } of files) {
    const folder = folderOf(file)
    const module = modules.get(folder) ?? { calls: new Set(), tables: new Set() }
    modules.set(folder, module)
    for (const name of servedBy(text)) if (declared.has(name)) module.calls.add(name)
    for (const name of tablesIn(text, tables)) module.tables.add(name)
  }
  const modulesWithSql = new Set([...modules].filter(([, { tables }]) => tables.size > 0).map(([folder]) => folder))
  // If a module has no statements of its own, the statements of the files that it imports are used.
  for (const { file, text } of files) {
    const module = modules.get(folderOf(file))!
    if (module.calls.size === 0 || modulesWithSql.has(folderOf(file))) continue
    for (const specifier of importsOf(text)) {
      const imported = textOf.get(path.posix.join(path.posix.dirname(file), specifier))
      for (const name of tablesIn(imported ?? '', tables)) module.tables.add(name)
    }
  }
  return [...modules]
    .filter(([, { calls }]) => calls.size > 0)
    .map(([folder, { calls, tables }]) => ({ folder, calls: [...calls].toSorted(), tables: [...tables].toSorted() }))
    .toSorted((one, other) => compare(one.folder, other.folder))
}

/**
 * The calls whose routes a file registers by passing them to a function together with the app, or by collecting them in
 * an object.
 */
function servedBy(text: string): string[] {
  const imported = [...text.matchAll(/import \{([^}]*)\} from '@caretaker\/contract\/(?!calls\/)[\w-]+\.ts'/g)]
    .flatMap(([, names]) => names!.split(','))
    .map((name) => name.trim())
  const direct = imported.filter(
    (name) =>
      /^[a-z]\w+$/.test(name) &&
      new RegExp(`\\((?:app|server),\\s*${name}\\b|[{[,:]\\s*${name}\\s*[,}\\]]`).test(
        text.replaceAll(/^import [^;]*? from '[^']+'$/gm, ''),
      ),
  )
  const spaces = text.matchAll(/import \* as (\w+) from '@caretaker\/contract\/(?!calls\/)[\w-]+\.ts'/g)
  const spaced = [...spaces].flatMap(([, space]) =>
    [...text.matchAll(new RegExp(`\\((?:app|server),\\s*${space}\\.(\\w+)\\b`, 'g'))].map(([, name]) => name!),
  )
  return [...direct, ...spaced]
}

/** The tables named in the statements of a text, in SQL or in Kysely calls. */
function tablesIn(text: string, tables: ReadonlySet<string>): string[] {
  const names = text.matchAll(
    /\b(?:from|join|into|update)\s+(?:only\s+)?([\w.]+)|\b(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\(\s*'([\w.]+)/g,
  )
  return [...names].map(([, ofSql, ofKysely]) => ofSql ?? ofKysely!).filter((name) => tables.has(name))
}

/** Every table of the product; the identity provider's tables are preceded by their schema. */
function tableNames(): Set<string> {
  const migrations = Object.values(
    JSON.parse(readFileSync(path.join(root, 'packages/server/src/migrations/tables.json'), 'utf8')) as Record<
      string,
      { tables?: Record<string, string> }
    >,
  )
  return new Set(
    migrations.flatMap(({ tables = {} }) => Object.keys(tables)).map((name) => name.replace(/^public\./, '')),
  )
}

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

export function codeMapText({ pages, modules }: CodeMap): string {
  const moduleOf = new Map(modules.flatMap(({ folder, calls }) => calls.map((call) => [call, folder])))
  const rows = pages.map(({ paths, file, calls }) => {
    const byModule = Map.groupBy(calls, (call) => moduleOf.get(call) ?? '')
    const served = [...byModule].toSorted(([one], [other]) => compare(one, other))
    const cell = served.map(([folder, names]) => `${folder.replace('features/', '')}: ${code(names)}`).join('; ')
    return `| ${code(paths)} | [${path.posix.basename(file)}](../${file}) | ${cell} |`
  })
  return `# Code map

Generated by \`npm run code-map\`; \`tools/code-map.test.ts\` checks that it is up to date. Follow a page to its web file, to the calls
that its file and the modules behind it send, to the server module that serves each call, and to the tables of that module.

## Pages

Paths are below \`/{tenant}/\`. A call is declared in \`packages/contract/src/calls\` under this name. Calls behind more than half of the
pages, such as those of the session, are left out.

| pages | web file | calls, by server module |
| --- | --- | --- |
${rows.join('\n')}

## Server modules

Folders are below \`packages/server/src\`. A module's calls are in its \`routes.ts\`, its SQL mostly in \`store.ts\`.

| module | calls | tables |
| --- | --- | --- |
${modules.map(({ folder, calls, tables }) => `| [${folder}](../${server}/${folder}) | ${code(calls)} | ${code(tables)} |`).join('\n')}
`
}

export const codeMapFile = path.join(root, 'docs', 'code-map.md')

if (isMain(import.meta.url)) {
  writeFileSync(codeMapFile, codeMapText(codeMap()))
  console.log(`Wrote docs/code-map.md (${readdirSync(path.join(root, web, 'features')).length} features).`)
}
