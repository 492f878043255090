/**
 * `npm run prose`: lists banned words of the writing style, in all scopes or in one (`-- comments`), with their files. `--
 * --lower` writes today's counts into tools/prose.json if they are lower.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isMain, root } from './child.mjs'
import { sourcesBelow, withoutComments, withoutStrings } from './floors.ts'
import type { Source } from './floors.ts'
import { textsOf } from './texts.ts'

/** A banned pattern, and the term to write instead. */
interface Banned {
  pattern: RegExp
  write: string
}

const prose: readonly Banned[] = [
  { pattern: /\b(?:told|tells?|telling)\b/gi, write: 'notify, report, send, show' },
  { pattern: /\b(?:says?|said|saying)\b/gi, write: 'report, state, show, contain' },
  { pattern: /\bsomebody\b/gi, write: 'someone, a user, a manager' },
  { pattern: /\bwho(?:m)?ever\b/gi, write: 'anyone who, the person who' },
  { pattern: /\banew\b/gi, write: 'again' },
  { pattern: /\bbesides\b/gi, write: 'also, in addition' },
  { pattern: /\b(?:is|was|are|were|stays?) so\b(?! that)/gi, write: 'active, set, true' },
  { pattern: /\b(?:stairs|upstairs|wings?|the house|walls?)\b/gi, write: 'layer, module, tenant isolation' },
  { pattern: /\bnews\b/gi, write: 'change, event' },
  { pattern: /\bletterbox(?:es)?\b/gi, write: 'account e-mail' },
  { pattern: /\bripe\b/gi, write: 'due, overdue' },
  { pattern: /\breckon(?:s|ed|ing|ings)?\b/gi, write: 'calculate, count' },
  { pattern: /\bsettl(?:es?|ed|ing)\b/gi, write: 'recompute, update' },
  { pattern: /\bhomeless\b/gi, write: 'rejected, unknown' },
  { pattern: /\b(?:whence|doings|doers?)\b/gi, write: 'source, action, initiator' },
  { pattern: /\bbears?\b|\bborne\b/gi, write: 'has, contains' },
  { pattern: /\bhow (?:it|he|she|each|that one) fare[sd]?\b|\bfares\b/gi, write: 'status, result' },
  { pattern: /\b(?:stands?|stood)\b/gi, write: 'is, is stored, is listed' },
  { pattern: /\b(?:go|goes|went|gone|going) on\b/gi, write: 'continue' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, write: 'fix' },
  { pattern: /\bin hand\b/gi, write: 'lease, lock' },
  { pattern: /\bwhat (?:came|comes|became|becomes) of\b/gi, write: 'result' },
  { pattern: /\b(?:strikes?|struck) out\b/gi, write: 'delete' },
  { pattern: /\bone's own\b/gi, write: 'your own' },
  {
    pattern: /\b1 (?:days|hours|minutes|months|weeks|devices|lights|alerts|properties|rows|users)\b/gi,
    write: 'the singular',
  },
  { pattern: /\b[a-z]{3,}\(s\)/gi, write: 'the right plural' },
]

const names: readonly Banned[] = [
  { pattern: /^(?:told|tells?|telling)$/gi, write: 'notify, enqueue, report' },
  { pattern: /^(?:says?|said)$/gi, write: 'report, state' },
  { pattern: /^(?:somebody|whoever|anew|besides|so)$/gi, write: 'a noun' },
  { pattern: /^(?:house|stairs|upstairs|wings?|walls?)$/gi, write: 'layer, module' },
  {
    pattern: /^(?:news|letterbox|ripe|ripen|kin|wholes|truths|tidy|unheard|onward|doings|whence|homeless)$/gi,
    write: 'the standard term',
  },
  { pattern: /^(?:settle[sd]?|settling|reckon(?:s|ed|ing)?)$/gi, write: 'recompute, update' },
]

/** Where a banned word is allowed, with the reason: quoted texts, and words with another meaning. */
export interface Allowed {
  file: string
  text: string
  reason: string
}

export interface Finding {
  file: string
  word: string
  write: string
  text: string
}

interface Piece {
  file: string
  text: string
}

const isTest = (file: string) => /\.test\.tsx?$|\.spec\.ts$/.test(file)
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

export function documents(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const file = folder === '.' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) return folder === '.' ? [] : below(file)
      return entry.name.endsWith('.md') ? [file] : []
    })
  return ['.', 'docs', 'deploy', '.github', '.gitlab'].flatMap(below)
}

/**
 * The running text of a document, as paragraphs, list items, headings and table cells, without code, addresses and
 * pictures.
 */
export function paragraphsOf(markdown: string): string[] {
  const text = markdown
    .replaceAll(/^ *```[^]*?^ *```$/gm, '\n')
    .replaceAll(/^ {4}\S.*$/gm, '')
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/`[^`]*`/g, 'CODE')
    .replaceAll(/https?:\/\/\S+/g, 'CODE')
  const blocks = text.split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)|\n(?=#)|(?<=^#[^\n]*)\n|\n(?=\|)/m)
  return blocks
    .flatMap((block) => (block.trim().startsWith('|') ? block.split(/(?<!\\)\|/) : [block]))
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .filter((block) => /[a-z]/i.test(block))
}

/** The sentences of a paragraph. A semicolon also ends a sentence; abbreviations and version numbers do not. */
export const sentencesOf = (paragraph: string) =>
  paragraph.split(/(?<=;)\s+|(?<=[.!?:]["')]?)\s+(?=["'(]?[A-ZÀ-Ý*])/).filter((sentence) => /[a-z]/i.test(sentence))

/** How many words a reader has to keep in mind: names in code style are read at a glance. */
export const wordsIn = (sentence: string) =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word) && !word.includes('CODE')).length

/** The comments of a source, without the marks around them. */
function commentsOf(text: string): string[] {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return [...text.matchAll(token)].map(([match]) => match).filter((match) => /^\/[/*]/.test(match))
}

const titlesOf = (text: string) =>
  [
    ...text.matchAll(
      /\b(?:test|it|describe)(?:\.\w+)?\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g,
    ),
  ].map(([, one, two, three]) => one ?? two ?? three!)

/** The words of a name in camel case, snake case or with hyphens. */
const wordsOfName = (name: string) => name.split(/(?<=[a-z\d])(?=[A-Z])|[_-]/).map((word) => word.toLowerCase())

/** The names that a source declares, and the name of its file. */
function namesOf({ file, text }: Source): string[] {
  const code = withoutStrings(withoutComments(text))
  const declared = code.matchAll(
    /\b(?:const|let|function|class|interface|type|enum)\s+(\w+)|\b(\w+)\??:|[{,(]\s*(\w+)(?=\s*[,)}])/g,
  )
  const all = [...declared].map(([, one, two, three]) => one ?? two ?? three!)
  return [...all, path.posix.basename(file).split('.')[0]!]
}

/** The words in a source's names, except names that are allowed as a whole. */
function nameWordsOf(source: Source): string[] {
  const allowed = new Set(settings().names.map(({ name }) => name))
  return namesOf(source)
    .filter((name) => !allowed.has(name))
    .flatMap(wordsOfName)
}

/** The allowed names that no source declares any more, or that contain no banned word. */
export function unneededNames(): string[] {
  const declared = new Set(code().flatMap(namesOf))
  return settings()
    .names.map(({ name }) => name)
    .filter((name) => !declared.has(name) || !wordsOfName(name).some((word) => bannedIn(word, names).length))
}

const folders = ['rules', 'contract', 'server', 'web', 'simulator', 'demo', 'bench', 'e2e'].map(
  (name) => `packages/${name}`,
)
const isCode = ({ file }: Source) => !file.includes('/migrations/')

/** Where words are searched. A scope with `most` is being cleaned up: its count may only fall. */
const scopes: Record<string, { pieces: () => Piece[]; banned: readonly Banned[] }> = {
  documents: {
    pieces: () => documents().flatMap((file) => paragraphsOf(read(file)).map((text) => ({ file, text }))),
    banned: prose,
  },
  'interface texts': {
    pieces: () =>
      code()
        .filter(({ file }) => /^packages\/(?:web|rules|contract|server)\/src\//.test(file) && !isTest(file))
        .filter(({ file }) => !file.includes('/testing/'))
        .flatMap(({ file, text }) => textsOf(text, file.endsWith('.tsx')).map((each) => ({ file, text: each }))),
    banned: prose,
  },
  comments: {
    pieces: () => code().flatMap(({ file, text }) => commentsOf(text).map((each) => ({ file, text: each }))),
    banned: prose,
  },
  identifiers: {
    pieces: () => code().flatMap((source) => nameWordsOf(source).map((text) => ({ file: source.file, text }))),
    banned: names,
  },
  'test titles': {
    pieces: () =>
      code()
        .filter(({ file }) => isTest(file))
        .flatMap(({ file, text }) => titlesOf(text).map((each) => ({ file, text: each }))),
    banned: prose,
  },
}

let sources: Source[] | undefined
const code = () => (sources ??= [...folders, 'tools'].flatMap(sourcesBelow).filter(isCode))

export const scopeNames = Object.keys(scopes)

const found = new Map<string, Finding[]>()

/** Every banned word of a scope. */
export function findingsIn(scope: string): Finding[] {
  const { pieces, banned } = scopes[scope]!
  const known = found.get(scope)
  if (known) return known
  const findings = pieces().flatMap(({ file, text }) => bannedIn(text, banned).map((one) => ({ file, text, ...one })))
  found.set(scope, findings)
  return findings
}

export function bannedIn(text: string, banned: readonly Banned[] = prose): { word: string; write: string }[] {
  return banned.flatMap(({ pattern, write }) => [...text.matchAll(pattern)].map(([word]) => ({ word, write })))
}

interface Settings {
  /** The maximum number of words in a sentence of a document. */
  longestSentence: number
  /** The maximum number of banned words in each scope that is being cleaned up. */
  most: Record<string, number>
  allowed: Allowed[]
  /** Names that are allowed in every file despite a banned word: database columns, options of libraries, pictures. */
  names: { name: string; reason: string }[]
}

const settingsFile = path.join(root, 'tools', 'prose.json')
export const settings = () => JSON.parse(readFileSync(settingsFile, 'utf8')) as Settings

export const isAllowed = (allowed: readonly Allowed[]) => (finding: Finding) =>
  allowed.some(
    ({ file, text }) =>
      file === finding.file && finding.text.includes(text) && text.toLowerCase().includes(finding.word.toLowerCase()),
  )

if (isMain(import.meta.url)) {
  const [option] = process.argv.slice(2)
  const now = settings()
  for (const scope of scopeNames) {
    const found = findingsIn(scope).filter((finding) => !isAllowed(now.allowed)(finding))
    if (option === scope || option === undefined)
      for (const { file, word, write, text } of found)
        console.log(`${file}: '${word}' (write: ${write}) in ${text.replaceAll(/\s+/g, ' ').slice(0, 160)}`)
    console.log(`${scope}: ${found.length} banned words, at most ${now.most[scope] ?? 0}`)
    if (option === '--lower' && scope in now.most) now.most[scope] = Math.min(found.length, now.most[scope]!)
  }
  if (option === '--lower') writeFileSync(settingsFile, `${JSON.stringify(now, null, 2)}\n`)
}
