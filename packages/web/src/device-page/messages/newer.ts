import type { DeviceMessage } from '@caretaker/contract/messages.ts'

type Dated = Pick<DeviceMessage, 'messageId' | 'time'>

/**
 * Merges messages with newer ones, both newest first; duplicates appear once in their newest version. Readings with the
 * same time form one message, which may be extended later.
 */
export function withNewer<M extends Dated>(known: readonly M[], newer: readonly M[]): readonly M[] {
  if (!newer.length) return known
  const again = new Set(newer.map(({ messageId }) => messageId))
  const rest = known.filter(({ messageId }) => !again.has(messageId))
  const all: M[] = []
  let at = 0
  for (const one of rest) {
    // Times have one format, so they sort as text.
    while (at < newer.length && newer[at]!.time >= one.time) all.push(newer[at++]!)
    all.push(one)
  }
  return [...all, ...newer.slice(at)]
}
