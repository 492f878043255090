/** Shorter texts occur by chance. */
const shortestText = 4

/**
 * The lines (from 1) that raised a warning or an error: those that the reason names, and those with a text that the
 * reason contains.
 */
export function markedLines(source: string, reasons: readonly string[]): Set<number> {
  const marked = new Set<number>()
  const lines = source.split('\n')
  for (const reason of reasons) {
    const named = Number(/\bline (\d+)/i.exec(reason)?.[1])
    if (named >= 1 && named <= lines.length) marked.add(named)
  }
  for (const [at, line] of lines.entries())
    for (const [, , text = ''] of line.matchAll(/(['"`])(.*?)\1/g)) {
      const plain = text.split('${')[0]!.trim()
      if (plain.length >= shortestText && reasons.some((reason) => reason.includes(plain))) marked.add(at + 1)
    }
  return marked
}
