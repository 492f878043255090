/**
 * Checks whether tests prove the requirements that they name. A test that runs only code that the product never reaches
 * proves nothing about the product, and one that only compares constants proves only that they were typed twice.
 *
 * The product consists of the names that its entry points reach: an export that only tests import is not part of it.
 * The demo and the simulator are excluded. Types reach nothing.
 */
import path from 'node:path'
import type { Source } from './floors.ts'
import { withoutComments, withoutStrings } from './floors.ts'

/** The entry points of the product; migrations are found by their folder. */
const entries =
  /^packages\/(server\/src\/(main|server|cli\/main)\.ts|server\/src\/migrations\/[^/]+\.ts|web\/src\/main\.tsx)$/
const outsideProduct = /^packages\/(simulator|e2e|demo|bench)\/|\/src\/testing\/|\.(test|spec)\.tsx?$/

export interface Doubt {
  id: string
  why: 'unused' | 'constants'
  /** The test files that name it, in order. */
  files: string[]
}

/** A statement of a module. */
interface Statement {
  /** The names that it declares; empty if it declares none. */
  names: string[]
  /** The words of its code, except comments, plain strings and pure type declarations. */
  words: Set<string>
  /** The source itself. */
  text: string
}

interface Module {
  statements: Statement[]
  /** Local name → file and name that it is imported from; `*` for a namespace import. */
  imports: Map<string, { file: string; name: string }>
  /** Files whose exports it re-exports with `*`. */
  starred: string[]
  /** Files that it loads as a whole: by import(), by a path, or for their side effects. */
  loads: string[]
}

const isTest = (file: string) => /\.test\.tsx?$/.test(file)

/**
 * The requirements that are named only by unit and server tests which prove nothing, because
 * - `unused`: the code of the repository that they use is not reached from the product's entry points, or
 * - `constants`: that code is only literals (text, number, list, table), so that nothing is run.
 * Tests that import nothing, such as tests of the running app, are accepted, and so is every browser test.
 */
export function doubts(sources: readonly Source[], ids: readonly string[]): Doubt[] {
  const modules = new Map(sources.map((source) => [source.file, moduleOf(source)]))
  const live = reached(modules)
  const named = new Map<string, { file: string; why: Doubt['why'] | undefined }[]>()
  const known = new Set(ids)
  for (const { file, text } of sources) {
    if (!/\.(test|spec)\.tsx?$/.test(file)) continue
    for (const { claims, words } of isTest(file) ? testsOf(text) : [{ claims: idsIn(text), words: undefined }]) {
      const why = words && doubtOf(subjectOf(words, file, modules), live, modules)
      for (const id of claims) if (known.has(id)) named.set(id, [...(named.get(id) ?? []), { file, why }])
    }
  }
  return [...named]
    .filter(([, tests]) => tests.every(({ why }) => why !== undefined))
    .map(([id, tests]) => ({
      id,
      why: tests.some(({ why }) => why === 'constants') ? ('constants' as const) : ('unused' as const),
      files: [...new Set(tests.map(({ file }) => file))].sort(),
    }))
    .sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
}

const idsIn = (text: string) => [...new Set(text.match(/\b(?:core|dev|est)-[\w.]+-\w+/g))]

/** A name declared in a module, as one key. */
const key = (file: string, name: string) => `${file}#${name}`

type Live = ReadonlySet<string>

function doubtOf(subject: readonly Found[], live: Live, modules: Modules): Doubt['why'] | undefined {
  if (!subject.length) return undefined
  if (!subject.some(({ file, name }) => live.has(key(file, name)))) return 'unused'
  return subject.every((found) => isConstant(found, modules)) ? 'constants' : undefined
}

/** A literal, or a set or map of literals: reading it runs no code. */
function isConstant({ file, name }: Found, modules: Modules): boolean {
  const declared = modules.get(file)?.statements.find(({ names }) => names.includes(name))
  return (
    declared !== undefined &&
    /^(?:export )?const \w+(?:\s*:[^=]+)?\s*=\s*(?:['"`{[/\d-]|new (?:Set|Map)\b)/.test(declared.text)
  )
}

type Modules = ReadonlyMap<string, Module>
interface Found {
  file: string
  name: string
}

/** Where a module's export is declared, following re-exports; undefined if it is not in the repository. */
function declarationOf(file: string, name: string, modules: Modules, seen = new Set<string>()): Found | undefined {
  const module = modules.get(file)
  if (!module || seen.has(file)) return undefined
  seen.add(file)
  if (module.statements.some(({ names }) => names.includes(name))) return { file, name }
  const handedOn = module.imports.get(name)
  if (handedOn) return declarationOf(handedOn.file, handedOn.name, modules, seen)
  for (const other of module.starred) {
    const found = declarationOf(other, name, modules, seen)
    if (found) return found
  }
  return undefined
}

/** Every name that the entry points reach. */
function reached(modules: Modules): Live {
  const live = new Set<string>()
  const loaded = new Set<string>()
  const waiting: Statement[] = []
  const homes = new Map<Statement, string>()

  const visit = (file: string, statement: Statement) => {
    homes.set(statement, file)
    waiting.push(statement)
  }
  const load = (file: string, whole: boolean) => {
    const module = modules.get(file)
    if (!module || outsideProduct.test(file)) return
    if (!loaded.has(file)) {
      loaded.add(file)
      for (const statement of module.statements) if (!statement.names.length) visit(file, statement)
      for (const other of module.loads) load(other, true)
      for (const { file: other } of module.imports.values()) load(other, false)
    }
    if (!whole) return
    for (const { names } of module.statements) for (const name of names) reach(file, name)
    for (const other of module.starred) load(other, true)
  }
  const reach = (file: string, name: string) => {
    if (outsideProduct.test(file)) return
    load(file, name === '*')
    const found = declarationOf(file, name, modules)
    if (!found || live.has(key(found.file, found.name))) return
    live.add(key(found.file, found.name))
    load(found.file, false)
    for (const statement of modules.get(found.file)!.statements)
      if (statement.names.includes(found.name)) visit(found.file, statement)
  }
  for (const file of modules.keys()) if (entries.test(file) && !isTest(file)) load(file, true)
  for (let statement = waiting.pop(); statement; statement = waiting.pop()) {
    const file = homes.get(statement)!
    const module = modules.get(file)!
    for (const word of statement.words) {
      const imported = module.imports.get(word)
      if (imported) reach(imported.file, imported.name)
      else if (module.statements.some(({ names }) => names.includes(word))) reach(file, word)
    }
  }
  return live
}

/** The product code that a test uses, directly or through declarations in its file; test helpers do not count. */
function subjectOf(words: ReadonlySet<string>, file: string, modules: Modules): Found[] {
  const { imports } = modules.get(file)!
  return [...words]
    .flatMap((word) => imports.get(word) ?? [])
    .filter((from) => !/\/src\/testing\//.test(from.file) && modules.has(from.file))
    .map(({ file: home, name }) => declarationOf(home, name, modules) ?? { file: home, name })
}

/**
 * Every test in a file: the ids named by the test or a group around it, and all words that it uses, including those of
 * the file's helpers.
 */
function testsOf(text: string): { claims: string[]; words: Set<string> }[] {
  const tests: { claims: string[]; words: Set<string> }[] = []
  const walk = (statements: readonly Statement[], outer: readonly Statement[], claimed: readonly string[]) => {
    const known = [...statements.filter(({ names }) => names.length), ...outer]
    for (const statement of statements) {
      if (statement.names.length) continue
      const [head = '', ...body] = statement.text.split('\n')
      if (head.startsWith('describe(')) {
        walk(statementsOf(body.slice(0, -1).join('\n').replaceAll(/^ {2}/gm, '')), known, [...claimed, ...idsIn(head)])
        continue
      }
      const words = new Set(statement.words)
      const used = new Set<Statement>()
      for (const word of words) {
        for (const one of known) {
          if (used.has(one) || !one.names.includes(word)) continue
          used.add(one)
          for (const more of one.words) words.add(more)
        }
      }
      const claims = [...claimed, ...idsIn(statement.text), ...[...used].flatMap((one) => idsIn(one.text))]
      if (claims.length) tests.push({ claims, words })
    }
  }
  walk(statementsOf(withoutComments(text)), [], [])
  return tests
}

/**
 * The statements of a formatted source: each begins at the margin with a character other than a space or a closing
 * bracket.
 */
function statementsOf(code: string): Statement[] {
  const parts: string[] = []
  for (const line of code.split('\n')) {
    if (/^[^\s)}\]]/.test(line)) parts.push(line)
    else if (parts.length) parts[parts.length - 1] += `\n${line}`
  }
  return parts.map((part) => part.trimEnd()).map((part) => ({ names: namesOf(part), words: wordsOf(part), text: part }))
}

function namesOf(statement: string): string[] {
  const declared =
    /^(?:export )?(?:default )?(?:async )?(?:const|let|function\*?|class|interface|type)\s+(?:(\w+)|[{[]([^=]*)[}\]]\s*=)/.exec(
      statement,
    )
  if (!declared) return []
  return declared[1] ? [declared[1]] : (declared[2]!.match(/\w+/g) ?? [])
}

/** Types and imports do not show which code is run. */
function wordsOf(statement: string): Set<string> {
  if (/^(?:export )?(?:type|interface|import)\b|^import\b|^export .* from '/.test(statement)) return new Set()
  return new Set(withoutStrings(statement).match(/[A-Za-z_$][\w$]*/g))
}

function moduleOf({ file, text }: Source): Module {
  const code = withoutComments(text)
  const imports: Module['imports'] = new Map()
  const starred: string[] = []
  const loads: string[] = []
  const from = (specifier: string) => targetOf(file, specifier)
  for (const [, verb, names = '', specifier = ''] of code.matchAll(
    /^(import|export) (?!type\b)([^'"`;=]*)'([^'\n]+)'/gm,
  )) {
    const target = from(specifier)
    if (names === '') loads.push(target)
    if (verb === 'export' && names.startsWith('* from')) starred.push(target)
    const whole = /\* as (\w+)/.exec(names)?.[1]
    if (whole) imports.set(whole, { file: target, name: '*' })
    for (const part of /\{([^}]*)\}/.exec(names)?.[1]?.split(',') ?? []) {
      const [name = '', local = name] = part.trim().split(/\s+as\s+/)
      if (name && !name.startsWith('type ')) imports.set(local, { file: target, name })
    }
  }
  for (const [, specifier = ''] of code.matchAll(/\b(?:import|URL)\(\s*['"`]([^'"`]+)['"`]/g))
    loads.push(from(specifier))
  return { statements: statementsOf(code), imports, starred, loads }
}

function targetOf(file: string, specifier: string): string {
  const [, workspace, rest] = /^@caretaker\/([^/]+)\/(.*)$/.exec(specifier) ?? []
  if (workspace) return `packages/${workspace}/src/${rest}`
  return specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier
}
