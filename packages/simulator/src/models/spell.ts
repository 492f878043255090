import { generator, uuid } from '../random.ts'
import type { Context, EventMessage } from './model.ts'

/** A condition that lasts for a while; its beginning and end are reported. */
export interface Spell {
  eventId: string
  /** ms since the epoch */
  start: number
}

type Kind = Pick<EventMessage, 'severity' | 'category' | 'description'>

/** The condition after a step, and the events to report. */
export function followed(
  before: Spell | undefined,
  isOn: boolean,
  { device, now }: Context,
  kind: Kind,
): { spell: Spell | undefined; events: EventMessage[] } {
  if (isOn === (before !== undefined)) return { spell: before, events: [] }
  if (before) return { spell: undefined, events: [{ ...before, end: now, ...kind }] }
  const spell = { eventId: uuid(generator(`${device.deviceId} ${kind.category} ${now}`)), start: now }
  return { spell, events: [{ ...spell, ...kind }] }
}
