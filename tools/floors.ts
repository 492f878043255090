/** Checks the import rules: rules ← contract ← server, web, simulator, client; server ← demo ← bench. */
import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { root } from './child.mjs'

export interface Source {
  /** The path relative to the repository's root, with slashes. */
  file: string
  text: string
}

/** Every TypeScript source below a folder of the repository. */
export function sourcesBelow(folder: string): Source[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = `${folder}/${entry.name}`
    if (['node_modules', 'dist'].includes(entry.name)) return []
    if (entry.isDirectory()) return sourcesBelow(file)
    return /\.tsx?$/.test(entry.name) ? [{ file, text: readFileSync(path.join(root, file), 'utf8') }] : []
  })
}

const packages = ['rules', 'contract', 'server', 'web', 'simulator', 'client', 'demo', 'bench', 'e2e'] as const
type Package = (typeof packages)[number]

const mayImport: Record<Package, readonly Package[]> = {
  rules: [],
  contract: ['rules'],
  server: ['rules', 'contract'],
  web: ['rules', 'contract'],
  simulator: ['rules', 'contract'],
  client: ['rules', 'contract'],
  demo: ['rules', 'contract', 'server'],
  bench: ['rules', 'contract', 'server', 'demo', 'client'],
  // Browser tests may import the names of the demo's fixed data, but no code that writes the data.
  e2e: ['rules', 'contract', 'demo'],
}

/** The lower layers list their allowed external imports; other packages may use the dependencies in their package.json. */
const outside: Partial<Record<Package, RegExp>> = { rules: /^$/, contract: /^zod(\/|$)/ }
const outsideInTests = /^(fast-check|vitest|node:assert(\/strict)?)$/

const mayReadEnvironment = [
  /^tools\//,
  /^packages\/e2e\//,
  /^packages\/server\/src\/config\.ts$/,
  /^packages\/bench\//,
  /^packages\/client\/src\/main\.ts$/,
  /^packages\/server\/src\/testing\//,
  /^packages\/simulator\/src\/main\.ts$/,
]

/** A test, or a helper of the web's component tests; the built pages include neither. */
const isTest = (file: string) => /\.test\.tsx?$/.test(file) || file.startsWith('packages/web/src/testing/')
const packageOf = (file: string) => packages.find((name) => file.startsWith(`packages/${name}/`))

/** Every violation of the import rules, as `file: what is wrong`. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap(({ file, text }) => {
    const code = withoutComments(text)
    const imported = importsOf(code)
    const found = [
      ...imported.flatMap((specifier) => importBreaches(file, specifier)),
      ...textBreaches(file, code),
      ...shapeBreaches(file, code),
    ]
    return found.map((breach) => `${file}: ${breach}`)
  })
}

/** The module names that a source imports, re-exports or loads, types included. */
export function importsOf(code: string): string[] {
  const patterns = [
    /(?<![\w$.])(?:import|export)\s(?:[^'"`;=]*?\sfrom\s*|\s*)['"]([^'"]+)['"]/g,
    /(?<![\w$.])(?:import|export)\s*[{*][^'"`;=]*?from\s*['"]([^'"]+)['"]/g,
    /(?<![\w$.'"])import['"]([^'"]+)['"]/g,
    /(?<![\w$.])(?:import|require)\s*\(\s*['"`]([^'"`]+)['"`]/g,
  ]
  return [...new Set(patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1]!)))]
}

/** The imports and re-exports of a source, except types: the names between the braces, or a `*`, and the module. */
function valueImportsOf(code: string): { names: string[]; specifier: string }[] {
  const pattern = /(?<![\w$.])(?:import|export)\s*(?!type\b)([*{][^'"`;=]*?)\s*from\s*['"]([^'"]+)['"]/g
  return [...code.matchAll(pattern)].flatMap(([, clause, specifier]) => {
    const named = /^\{([^}]*)\}$/.exec(clause!)?.[1]?.split(',') ?? ['*']
    const names = named.map((one) => one.trim().split(/\s+as\s+/)[0]!).filter((one) => one && !one.startsWith('type '))
    return names.length ? [{ names, specifier: specifier! }] : []
  })
}

/** Modules of the contract that do not load zod, so that every page may import them. */
const withoutZod = /^(?:calls\/[\w-]+|call|route|error-texts)\.ts$/

/** Imports that would make a page without a form load zod, because they load a call together with its shapes. */
function shapeBreaches(file: string, code: string): string[] {
  const inContract = /^packages\/contract\/src\/(.*)$/.exec(file)?.[1]
  if (inContract !== undefined && withoutZod.test(inContract))
    return valueImportsOf(code).flatMap(({ specifier }) => {
      const target = path.posix.join(path.posix.dirname(inContract), specifier)
      const may = specifier.startsWith('@caretaker/rules/') || (specifier.startsWith('.') && withoutZod.test(target))
      return may ? [] : [`pages import this module, and it would load zod: import no value of ${specifier}`]
    })
  if (!file.startsWith('packages/web/src/') || isTest(file)) return []
  return valueImportsOf(code).flatMap(({ names, specifier }) => {
    const module = /^@caretaker\/contract\/(.*)$/.exec(specifier)?.[1]
    // The functions of scalars.ts create shapes for forms.
    if (module === undefined || withoutZod.test(module) || module === 'scalars.ts') return []
    const wrong = names.filter((name) => !/^[A-Z]/.test(name))
    return wrong.map((name) => `pages import shapes alone from ${specifier}: take ${name} from contract/calls`)
  })
}

function importBreaches(file: string, specifier: string): string[] {
  const from = packageOf(file)
  if (!from) return []
  const workspace = /^@caretaker\/([^/]+)/.exec(specifier)?.[1]
  if (workspace !== undefined) {
    if (knowsNoSubject(file) && /^@caretaker\/(?:rules\/devices\/|contract\/devices\.ts)/.test(specifier))
      return [`lists of the web know no subject: ${specifier}`]
    const onlyFixtures = from === 'e2e' && workspace === 'demo' && specifier !== '@caretaker/demo/fixtures.ts'
    const may = mayImport[from].some((name) => name === workspace) && !onlyFixtures
    return may ? [] : [`${from} must not import ${specifier}`]
  }
  if (!specifier.startsWith('.')) {
    const allowed = outside[from]
    if (!allowed || allowed.test(specifier) || (isTest(file) && outsideInTests.test(specifier))) return []
    return [`${from} must not import the package ${specifier}`]
  }
  const target = path.posix.join(path.posix.dirname(file), specifier)
  if (packageOf(target) === from) return from === 'web' ? webBreaches(file, target) : []
  // Tests use the repository's tools to find their browser and to install what only they need.
  if ((from === 'e2e' || isTest(file) || file.endsWith('.config.ts')) && target.startsWith('tools/')) return []
  return [`${specifier} leaves the package: import another floor by its name`]
}

/** The listing engine. Its tests may use an existing list. */
const knowsNoSubject = (file: string) => file.startsWith('packages/web/src/lists/') && !isTest(file)

const webRoom = (file: string) =>
  /^packages\/web\/src\/(?:(features)\/([^/]+)|(ui|api|lists|actions|shell))\//.exec(file)

function webBreaches(file: string, target: string): string[] {
  const [here, there] = [webRoom(file), webRoom(target)]
  if (!here || !there) return []
  if (here[1] && there[1] && here[2] !== there[2]) return [`feature ${here[2]} must not import feature ${there[2]}`]
  const importedFolder = there[1] ?? there[3]
  if (here[3] === 'ui' && importedFolder !== 'ui') return [`ui must not import ${importedFolder}`]
  // Device actions are shared by features; they are above the calls and below the pages.
  if (here[3] === 'actions' && !['ui', 'api', 'actions'].includes(importedFolder!))
    return [`actions must not import ${importedFolder}`]
  // The listing engine is below the subjects that configure it.
  if (here[3] === 'lists' && !['ui', 'api', 'lists'].includes(importedFolder!))
    return [`lists must not import ${importedFolder}`]
  if (here[3] === 'api' && (importedFolder === 'actions' || importedFolder === 'lists'))
    return [`api must not import ${importedFolder}`]
  return []
}

const impure =
  /\b(?:Date\.now|Math\.random|new Date\(\s*\)|performance\.now|setTimeout|setInterval|fetch\(|(?:await|async|Promise)\b|process\.|console\.)/

function textBreaches(file: string, code: string): string[] {
  const found: string[] = []
  // Passing variables on to a child process under their own names is not reading a setting.
  const own = code.replace(/\b(\w+): process\.env\.\1\b/g, '')
  const readsEnvironment = /process\.env\s*(?:\?\.|\.|\[)/.test(own) || /=\s*process\.env\b/.test(own)
  if (readsEnvironment && !mayReadEnvironment.some((place) => place.test(file))) {
    found.push('the environment is read in packages/server/src/config.ts alone')
  }
  if (/^packages\/(web\/src|server\/src\/features)\//.test(file) && /(?:['"`]|\$\{[^{}]*\})\/api\//.test(code)) {
    found.push('path strings live in contract alone: use the route')
  }
  const opensTransaction = file.startsWith('packages/server/') && /\.transaction\(\)/.test(code)
  if (opensTransaction && !isTest(file) && file !== 'packages/server/src/postgres/tenant.ts')
    found.push('a transaction is opened by inTenant, asPerson or inTransaction of postgres/tenant.ts alone')
  if (file.startsWith('packages/rules/') && !isTest(file)) {
    const word = impure.exec(withoutStrings(code))?.[0]
    if (word) found.push(`rules know no clock, no chance and no waiting: ${word}`)
  }
  return found
}

/**
 * The source with its comments blanked. Plain strings end at the end of the line, so that an apostrophe in page text affects
 * only that line.
 */
export function withoutComments(text: string): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(token, (match) => (match.startsWith('/*') || match.startsWith('//') ? ' ' : match))
}

export const withoutStrings = (code: string) => code.replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
