import type { SensorMessage } from '@caretaker/contract/connections.ts'

/** The result of a value. */
export type Outcome = 'stored' | 'rejected' | 'unused'

/** Bytes that belong together, and the paths of the values that were read from them. */
export interface Piece {
  start: number
  bytes: string
  paths: string[]
  outcome: Outcome | undefined
}

/** The result for the value at a path. A value kept as a state or an event is also stored. */
export function outcomeOf({ rejected, unused, result }: SensorMessage, path: string): Outcome | undefined {
  if (rejected.some((one) => one.path === path)) return 'rejected'
  if (unused.some((one) => one.path === path)) return 'unused'
  return result === 'Stored' || result === 'Partial' ? 'stored' : undefined
}

const hexPairs = (hex: string) => (hex.match(/../g) ?? []).map((pair) => pair.toUpperCase())
const bytesALine = 8

/** The payload in pieces: the decoder's segments and what is between them; if it has none, lines of equal length. */
export function piecesOf(message: SensorMessage): Piece[] {
  const bytes = hexPairs(message.bytes ?? '')
  const piece = (start: number, end: number, paths: string[]): Piece => ({
    ...{ start, paths, bytes: bytes.slice(start, end).join(' ') },
    outcome: worstOf(paths.map((path) => outcomeOf(message, path))),
  })
  if (!message.segments?.length)
    return Array.from({ length: Math.ceil(bytes.length / bytesALine) }, (_, line) =>
      piece(line * bytesALine, (line + 1) * bytesALine, []),
    )
  const pieces: Piece[] = []
  let at = 0
  for (const { start, end, paths } of message.segments.toSorted((a, b) => a.start - b.start)) {
    if (start > at) pieces.push(piece(at, start, []))
    if (end > at) pieces.push(piece(Math.max(at, start), end, paths))
    at = Math.max(at, end)
  }
  if (at < bytes.length) pieces.push(piece(at, bytes.length, []))
  return pieces
}

function worstOf(outcomes: readonly (Outcome | undefined)[]): Outcome | undefined {
  for (const one of ['rejected', 'stored', 'unused'] as const) if (outcomes.includes(one)) return one
  return undefined
}

/** '5 values stored, 1 rejected, 4 not used'. */
export function summaryOf({ readings, rejected, unused }: SensorMessage): string {
  const stored = `${readings.length} ${readings.length === 1 ? 'value' : 'values'} stored`
  return [stored, rejected.length && `${rejected.length} rejected`, unused.length && `${unused.length} not used`]
    .filter(Boolean)
    .join(', ')
}
