import { isUtf8 } from 'node:buffer'
import type { Parser } from 'mqtt-packet'

/** What MQTT forbids in a text (3.1.1 and 5, section 1.5): the receiver must close the connection. */
export const badTexts = ['not UTF-8', 'U+0000'] as const
export type BadText = (typeof badTexts)[number]

/** The members of mqtt-packet's parser that read texts; its types do not declare them. */
interface Reading {
  _list: { slice(from: number, to: number): Buffer }
  _pos: number
  _parseString(): string | null
  _emitError(error: Error): void
}

/**
 * Makes a parser reject texts that MQTT forbids: client and user names, topics, filters, properties. By default it
 * reads invalid UTF-8 as U+FFFD, so that two different names would become equal. The packet ends in a parser error.
 */
export function refuseBadTexts(parser: Parser, onBadText: (reason: BadText) => void): void {
  const reading = parser as unknown as Reading
  const parse = reading._parseString.bind(reading)
  reading._parseString = () => {
    const start = reading._pos + 2
    const text = parse()
    if (text === null) return null
    const reason = badText(text, () => reading._list.slice(start, reading._pos))
    if (!reason) return text
    onBadText(reason)
    reading._emitError(new Error(`a text is refused: ${reason}`))
    return null
  }
}

function badText(text: string, bytes: () => Buffer): BadText | undefined {
  if (text.includes('\0')) return 'U+0000'
  // A decoder replaces invalid bytes with this character, but it may also have been sent.
  return text.includes('\uFFFD') && !isUtf8(bytes()) ? 'not UTF-8' : undefined
}
