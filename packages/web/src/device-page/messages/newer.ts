import type { DeviceMessage } from '@caretaker/contract/messages.ts'

type Dated = Pick<DeviceMessage, 'messageId' | 'time'>

/**
 * Messages and what has come since, both newest first, as one list: what came again is there once, as it is now. Readings of
 * one time are one message, to which more may come.
 */
export function withNewer<M extends Dated>(known: readonly M[], newer: readonly M[]): readonly M[] {
  if (!newer.length) return known
  const again = new Set(newer.map(({ messageId }) => messageId))
  const rest = known.filter(({ messageId }) => !again.has(messageId))
  const all: M[] = []
  let at = 0
  for (const one of rest) {
    // Times are of one form, so that their order is that of their letters.
    while (at < newer.length && newer[at]!.time >= one.time) all.push(newer[at++]!)
    all.push(one)
  }
  return [...all, ...newer.slice(at)]
}
