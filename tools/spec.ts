/**
 * `npm run spec`: the requirements of spec/*.jsonl that the last test results prove. A requirement is proven if a passed test
 * names it and no failed one does, failed if a failed test names it, otherwise unproven. Warns of tests that prove nothing
 * (tools/claims.ts).
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { isMain, root } from './child.mjs'
import type { Doubt } from './claims.ts'
import { doubts } from './claims.ts'
import { sourcesBelow } from './floors.ts'
import { readResults } from './results.mjs'

export interface Requirement {
  id: string
  section: string
  check: string
  text: string
}

export interface Catalogue {
  document: string
  requirements: readonly Requirement[]
}

export interface Outcome {
  title: string
  status: string
}

export type State = 'proven' | 'failed' | 'unproven'

/** The ids that a test names: the words in brackets at the end of its title or of a surrounding group's title. */
export function idsOf(title: string): string[] {
  return title.split(' › ').flatMap((part) => {
    const groups = /(?:\s*\[[^[\]]*\])+$/.exec(part.trimEnd())?.[0] ?? ''
    return groups.split(/[\s,[\]]+/).filter((word) => /^[a-z]+-[\w.]+-\w+$/.test(word))
  })
}

/** The state of every id that a test names, whether or not it is in a catalogue. */
export function statesOf(outcomes: readonly Outcome[]): Map<string, State> {
  const states = new Map<string, State>()
  for (const { title, status } of outcomes) {
    for (const id of idsOf(title)) {
      if (status === 'failed') states.set(id, 'failed')
      else if (status === 'passed' && states.get(id) !== 'failed') states.set(id, 'proven')
      else if (!states.has(id)) states.set(id, 'unproven')
    }
  }
  return states
}

export function unknownIds(catalogues: readonly Catalogue[], states: ReadonlyMap<string, State>): string[] {
  const known = new Set(catalogues.flatMap(({ requirements }) => requirements.map(({ id }) => id)))
  return [...states.keys()].filter((id) => !known.has(id)).sort()
}

export interface Row {
  name: string
  proven: number
  failed: number
  unproven: number
  total: number
}

export function count(name: string, requirements: readonly Requirement[], states: ReadonlyMap<string, State>): Row {
  const having = (state: State) => requirements.filter(({ id }) => (states.get(id) ?? 'unproven') === state).length
  return {
    name,
    proven: having('proven'),
    failed: having('failed'),
    unproven: having('unproven'),
    total: requirements.length,
  }
}

/** One row per section, in the order of the catalogue. */
export function sectionRows({ requirements }: Catalogue, states: ReadonlyMap<string, State>): Row[] {
  const sections = Map.groupBy(requirements, ({ section }) => section)
  return [...sections].map(([section, members]) => count(section, members, states))
}

function readCatalogues(): Catalogue[] {
  const folder = path.join(root, 'spec')
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.jsonl')) : []
  return files.sort().map((name) => ({
    document: name.replace('.jsonl', ''),
    requirements: readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim())
      .map((line) => JSON.parse(line) as Requirement),
  }))
}

const lastStates = () => statesOf([...readResults('unit'), ...readResults('e2e')])

function table(heading: string, rows: readonly Row[]): string {
  const width = Math.max(heading.length, ...rows.map(({ name }) => name.length))
  const line = (name: string, ...cells: (string | number)[]) =>
    `${name.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(8)).join('  ')}`
  const body = rows.map((row) => line(row.name, row.proven, row.failed, row.unproven, row.total))
  return [line(heading, 'proven', 'failed', 'unproven', 'total'), ...body].join('\n')
}

const reasons: Record<Doubt['why'], string> = {
  unused: 'Named only by tests of code that the product does not use',
  constants: 'Named only by tests of constants',
}

const allDoubts = (catalogues: readonly Catalogue[]) =>
  doubts(
    sourcesBelow('packages'),
    catalogues.flatMap(({ requirements }) => requirements.map(({ id }) => id)),
  )

function warnings(catalogues: readonly Catalogue[], states: ReadonlyMap<string, State>): string[] {
  const unknown = unknownIds(catalogues, states)
  const found = allDoubts(catalogues)
  const named = Object.entries({
    'Named in tests but in no catalogue': unknown,
    [reasons.unused]: found.filter(({ why }) => why === 'unused').map(({ id }) => id),
    [reasons.constants]: found.filter(({ why }) => why === 'constants').map(({ id }) => id),
  })
  return named.filter(([, ids]) => ids.length).map(([heading, ids]) => `${heading}: ${ids.join(', ')}`)
}

/** Every claim that proves nothing, with the test files that make it. */
function doubtful(): string {
  return allDoubts(readCatalogues())
    .map(({ id, why, files }) => `${why.padEnd(9)}  ${id}  ${files.join(', ')}`)
    .join('\n')
}

/** One line per document, for the end of a test run. */
export function summary(): string {
  const catalogues = readCatalogues()
  const states = lastStates()
  const rows = catalogues.map(({ document, requirements }) => count(document, requirements, states))
  return [table('requirements', rows), ...warnings(catalogues, states)].join('\n')
}

function report(): string {
  const catalogues = readCatalogues()
  const states = lastStates()
  const tables = catalogues.map((catalogue) =>
    table(catalogue.document, [...sectionRows(catalogue, states), count('all', catalogue.requirements, states)]),
  )
  return [...tables, ...warnings(catalogues, states)].join('\n\n')
}

function list(wanted: (requirement: Requirement, state: State) => boolean): string {
  const states = lastStates()
  return readCatalogues()
    .flatMap(({ requirements }) => requirements)
    .map((requirement) => ({ requirement, state: states.get(requirement.id) ?? ('unproven' as const) }))
    .filter(({ requirement, state }) => wanted(requirement, state))
    .map(
      ({ requirement, state }) => `${state.padEnd(8)}  ${requirement.id}  (${requirement.check}) ${requirement.text}`,
    )
    .join('\n')
}

/**
 * Whether the id belongs to the section or one inside it: `core-2` includes `core-2-1` and `core-2.4-1`, but not `core-20-1`.
 */
export const below = (prefix: string, id: string) =>
  id === prefix || [`${prefix}-`, `${prefix}.`].some((start) => id.startsWith(start))

if (isMain(import.meta.url)) {
  const { values } = parseArgs({
    options: { ids: { type: 'string' }, unproven: { type: 'boolean' }, doubtful: { type: 'boolean' } },
  })
  if (values.doubtful) console.log(doubtful())
  else if (values.ids === undefined && !values.unproven) console.log(report())
  else {
    const { ids } = values
    console.log(
      list(({ id }, state) => (ids === undefined || below(ids, id)) && (!values.unproven || state === 'unproven')),
    )
  }
}
