import { Marked } from './marked.tsx'
import classes from './messages.module.css'

/** The parsed JSON of a text, if it is JSON. */
export function jsonOf(text: string): { json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*|true|false|null)/g

/** Formatted JSON with syntax colours. */
export function Json({ value, find = '' }: { value: unknown; find?: string }) {
  const text = JSON.stringify(value, null, 2) ?? ''
  const pieces: { text: string; kind?: 'name' | 'text' | 'value' }[] = []
  let end = 0
  for (const { 0: whole, 1: quoted, 2: colon, index } of text.matchAll(token)) {
    pieces.push({ text: text.slice(end, index) })
    if (quoted) pieces.push({ text: quoted, kind: colon ? 'name' : 'text' }, { text: colon ?? '' })
    else pieces.push({ text: whole, kind: 'value' })
    end = index + whole.length
  }
  pieces.push({ text: text.slice(end) })
  return pieces.map((piece, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- pieces of one text, which never change places
    <span key={at} className={piece.kind && classes[piece.kind]}>
      <Marked text={piece.text} find={find} />
    </span>
  ))
}
