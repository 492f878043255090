export type CodePartName = 'comment' | 'text' | 'number' | 'keyword'

const keywords = [
  ...['async', 'await', 'break', 'case', 'catch', 'class', 'const', 'continue', 'default', 'delete', 'do', 'else'],
  ...['extends', 'false', 'finally', 'for', 'function', 'if', 'in', 'instanceof', 'let', 'new', 'null', 'of', 'return'],
  ...[
    'static',
    'super',
    'switch',
    'this',
    'throw',
    'true',
    'try',
    'typeof',
    'undefined',
    'var',
    'void',
    'while',
    'yield',
  ],
]
const kinds: Record<CodePartName, RegExp> = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
  // A string that is not closed ends with its line, so that the lines after it keep their colours while the user types.
  text: /'(?:\\.|[^'\\\n])*'?|"(?:\\.|[^"\\\n])*"?|`(?:\\[\s\S]|[^`\\])*`?/,
  number: /\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)n?\b/,
  keyword: new RegExp(`(?<![.$])\\b(?:${keywords.join('|')})\\b`),
}
const pattern = new RegExp(
  Object.entries(kinds)
    .map(([name, { source }]) => `(?<${name}>${source})`)
    .join('|'),
  'gi',
)

/** The parts of JavaScript source with a colour of their own, and the text between them. Together they are the source. */
export function codeParts(source: string): { name?: CodePartName; text: string }[] {
  const parts: { name?: CodePartName; text: string }[] = []
  let end = 0
  for (const { 0: text, index, groups } of source.matchAll(pattern)) {
    const name = (Object.keys(kinds) as CodePartName[]).find((one) => groups?.[one] !== undefined)
    // Names are case-sensitive: `NULL` is not a keyword.
    if (!name || (name === 'keyword' && text !== text.toLowerCase())) continue
    if (index > end) parts.push({ text: source.slice(end, index) })
    parts.push({ name, text })
    end = index + text.length
  }
  if (end < source.length) parts.push({ text: source.slice(end) })
  return parts
}
