/**
 * Maximum entities per drawing, and maximum characters of all of them after expansion. Illustrator declares a dozen.
 */
const [mostEntities, mostCharacters] = [1000, 100_000]
/** Longest document type declaration, in characters. */
const longestDoctype = 200_000

export type Entities =
  | { entities: Map<string, string>; withElements: Set<string> }
  | { fault: 'external' | 'endless' | 'unreadable' }

const quoted = String.raw`"[^"]*"|'[^']*'`
const declaration = new RegExp(
  String.raw`<!ENTITY\s+(%\s+)?([^\s"'%&<>]+)\s+(?:(SYSTEM|PUBLIC)\b|(${quoted}))|<!ENTITY\b`,
  'g',
)

/**
 * The entities declared in the document type of an XML text, fully expanded. External and endlessly growing entities
 * are errors (XML 1.0, 4.2).
 */
export function entitiesOf(doctype: string): Entities {
  const raw = new Map<string, string>()
  if (doctype.length > longestDoctype) return { fault: 'endless' }
  const [start, end] = [doctype.indexOf('['), doctype.lastIndexOf(']')]
  const inner = start < end ? withoutComments(doctype.slice(start + 1, end)) : ''
  for (const [, isParameter, name, external, value] of inner.matchAll(declaration)) {
    if (external) return { fault: 'external' }
    if (isParameter || name === undefined || value === undefined) return { fault: 'unreadable' }
    // The first declaration of a name takes precedence.
    if (!raw.has(name)) raw.set(name, value.slice(1, -1))
    if (raw.size > mostEntities) return { fault: 'endless' }
  }
  const entities = new Map<string, string>()
  const withElements = new Set<string>()
  let characters = 0
  const expanded = (name: string, within: readonly string[]): string | undefined => {
    const known = entities.get(name)
    if (known !== undefined) return known
    const value = raw.get(name)
    if (value === undefined || within.includes(name) || within.length > 20) return undefined
    let isGood = true
    const whole = value.replaceAll(/&(#x[\da-f]{1,6}|#\d{1,7}|[^\s;&#]+);/gi, (_, inside: string) => {
      // Stops at the first failing name: expanding its other references would take exponential time.
      if (!isGood) return ''
      const found = inside.startsWith('#')
        ? characterOf(inside)
        : (standard[inside] ?? expanded(inside, [...within, name]))
      if (found === undefined || (characters += found.length) > mostCharacters) isGood = false
      return isGood ? found! : ''
    })
    if (!isGood) return undefined
    // Includes nested entities.
    if (value.includes('<') || /<[a-z!?/]/i.test(whole)) withElements.add(name)
    entities.set(name, whole)
    return whole
  }
  for (const [name, value] of raw) {
    if ((characters += value.length) > mostCharacters) return { fault: 'endless' }
    if (expanded(name, []) === undefined) return { fault: 'endless' }
  }
  return { entities, withElements }
}

/** An unterminated comment or processing instruction extends to the end of the text. */
function withoutComments(text: string): string {
  const kept: string[] = []
  let at = 0
  for (const { 0: opening, index } of text.matchAll(/<!--|<\?/g)) {
    if (index < at) continue
    kept.push(text.slice(at, index))
    const closing = opening === '<?' ? '?>' : '-->'
    const end = text.indexOf(closing, index + opening.length)
    if (end === -1) return kept.join(' ')
    at = end + closing.length
  }
  return [...kept, text.slice(at)].join(' ')
}

const standard: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function characterOf(reference: string): string | undefined {
  const code = /^#x/i.test(reference) ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1))
  // Only characters that XML allows (2.2).
  const isKnown =
    code === 9 ||
    code === 10 ||
    code === 13 ||
    (code >= 32 && code <= 0x10_ff_ff && !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff)
  return isKnown ? String.fromCodePoint(code) : undefined
}
