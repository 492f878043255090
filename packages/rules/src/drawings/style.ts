import type { LeftOutKind } from './left-out.ts'

type Report = (kind: LeftOutKind, example?: string) => void

/** Functions whose arguments cannot refer to another file. */
const functions = new Set(
  `rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark var calc min max clamp
   matrix translate translatex translatey scale scalex scaley rotate skewx skewy
   circle ellipse polygon inset path not is where lang nth-child nth-of-type`.split(/\s+/),
)

/** A reference to a part of the same drawing. */
export const ownReference = /url\(\s*(["']?)#([^"'()\\<>\s]*)\1\s*\)/gi

/** Removed without a message: properties for editors or browser themes, which draw nothing. */
const undrawn = /^(?:color-scheme|cursor|pointer-events|user-select|-webkit-.*|-moz-(?!binding).*|-ms-.*)$/
const moving = /^(?:animation|transition)(?:-|$)/

const string = String.raw`"(?:[^"\\\n\r\f]|\\[^\n\r\f])*"|'(?:[^'\\\n\r\f]|\\[^\n\r\f])*'`
/** An escaped punctuation mark; never a letter, which could form the name of a function. */
const escapedMark = String.raw`\\[ -/:-@[-\x60{-~]`
const safeValue = new RegExp(String.raw`^(?:[\p{L}\p{M}\p{N}\s_#%.,+*/!()-]|${escapedMark}|${string})*$`, 'u')
const safeSelector = new RegExp(String.raw`^(?:[\p{L}\p{M}\p{N}\s_#.,:*>+~|^$=()[\]-]|\\[^\n\r\f]|${string})+$`, 'iu')
/** Longest value or selector, in characters: the regular expressions would overflow the stack on millions. */
const longestText = 100_000
const safeCondition = /^[\w\s(),:.%-]*$/

/** A function name, matched only from its first character: otherwise long names take quadratic time. */
const call = /(?<![^\s,()+*/!])([^\s,()+*/!]+)\s*\(/g

/** Whether the value of a declaration or attribute loads nothing. */
export function isPlainValue(value: string): boolean {
  if (value.length > longestText) return false
  const rest = value.replaceAll(ownReference, ' ')
  if (!safeValue.test(rest)) return false
  const bare = rest.replaceAll(new RegExp(string, 'g'), ' ')
  return [...bare.matchAll(call)].every(([, name]) => functions.has(name!.toLowerCase()))
}

/**
 * A sanitised style sheet: rules and declarations that refer to another file or cannot be parsed are removed, the rest
 * is kept. The output follows a stricter grammar than CSS, so that all browsers read it the same way.
 */
export function plainSheet(css: string, report: Report, depth = 0): string {
  const out: string[] = []
  for (const { prelude, block } of rulesIn(css)) {
    if (prelude.startsWith('@')) {
      const [, name = '', condition = ''] = /^@([\w-]*)([^]*)$/.exec(prelude)!
      const rule = name.toLowerCase()
      if (rule === 'font-face') report('font', /font-family\s*:\s*["']?([^"';}]+)/i.exec(block ?? '')?.[1])
      else if (rule === 'import') report('reference', /["'(]([^"'()]+)/.exec(condition)?.[1])
      else if (rule.endsWith('keyframes')) report('animation')
      else if (['media', 'supports', 'layer'].includes(rule) && block !== undefined && depth < 3) {
        if (safeCondition.test(condition))
          out.push(`@${rule} ${condition.trim()}{${plainSheet(block, report, depth + 1)}}`)
        else report('style', prelude)
      } else if (!['charset', 'namespace', 'page'].includes(rule)) report('style', prelude)
      continue
    }
    if (block === undefined) {
      if (prelude) report('style', prelude)
      continue
    }
    if (prelude.length > longestText || !safeSelector.test(prelude)) {
      report('style', prelude)
      continue
    }
    out.push(`${prelude}{${plainDeclarations(block, report)}}`)
  }
  return out.join('')
}

/** Sanitised declarations of a rule or a `style` attribute. */
export function plainDeclarations(text: string, report: Report): string {
  const kept: string[] = []
  for (let at = 0; at < text.length;) {
    const part = readTo(text, at, ';{')
    at = part.end + 1
    if (text[part.end] === '{') {
      // Nested rules do not occur in drawings.
      at = readTo(text, at, '}').end + 1
      report('style', part.text)
      continue
    }
    const declaration = part.text.trim()
    if (!declaration) continue
    const colon = declaration.indexOf(':')
    const [name, value] = [declaration.slice(0, colon).trim().toLowerCase(), declaration.slice(colon + 1).trim()]
    if (colon === -1 || !/^-{0,2}[a-z_][\w-]*$/.test(name)) report('style', declaration)
    else if (name === 'filter' || name === 'backdrop-filter') {
      // Filters defined in the drawing are counted at their definition.
      if (!/^(?:url\(\s*["']?#.*|none)$/i.test(value)) report('effect')
    } else if (moving.test(name)) report('animation')
    else if (undrawn.test(name)) continue
    else if (name === 'behavior' || name === '-moz-binding' || !isPlainValue(value)) report('style', declaration)
    else kept.push(`${name}:${value}`)
  }
  return kept.join(';')
}

interface Rule {
  prelude: string
  /** Undefined for a statement that ends with a semicolon. */
  block: string | undefined
}

function* rulesIn(css: string): Generator<Rule> {
  for (let at = 0; at < css.length;) {
    const head = readTo(css, at, '{;')
    // HTML comment marks around a sheet have no meaning.
    const prelude = head.text.replaceAll(/<!--|-->/g, ' ').trim()
    at = head.end + 1
    if (css[head.end] === '{') {
      const body = readTo(css, at, '}')
      at = body.end + 1
      yield { prelude, block: body.text }
    } else if (prelude) yield { prelude, block: undefined }
  }
}

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/**
 * The text up to the first of the given marks outside strings, comments and brackets, without comments (CSS Syntax,
 * 4.3).
 */
function readTo(css: string, from: number, marks: string): { text: string; end: number } {
  const open: string[] = []
  const kept: string[] = []
  let [start, at] = [from, from]
  while (at < css.length) {
    const mark = css[at]!
    if (mark === '/' && css[at + 1] === '*') {
      kept.push(css.slice(start, at))
      const end = css.indexOf('*/', at + 2)
      start = at = end === -1 ? css.length : end + 2
      continue
    }
    if (!open.length && marks.includes(mark)) break
    let length = 1
    if (mark === '\\') length = 2
    else if (mark === '"' || mark === "'") length = stringAt(css, at)
    else if (
      mark === '(' &&
      /(?:^|[^\w-])url$/i.test(css.slice(Math.max(from, at - 4), at)) &&
      !/^\(\s*["']/.test(css.slice(at, at + 20))
    ) {
      // The address in an unquoted url() may contain any character.
      const end = css.indexOf(')', at)
      length = (end === -1 ? css.length : end + 1) - at
    } else if (pairs[mark]) open.push(pairs[mark])
    else if (mark === open.at(-1)) open.pop()
    at += length
  }
  return { text: [...kept, css.slice(start, at)].join(''), end: at }
}

/** The length of a string including its quotes; an unclosed string ends at the line end. */
function stringAt(css: string, from: number): number {
  const quote = css[from]!
  for (let at = from + 1; at < css.length; at++) {
    if (css[at] === '\\') at++
    else if (css[at] === quote) return at + 1 - from
    else if (css[at] === '\n') return at - from
  }
  return css.length - from
}
