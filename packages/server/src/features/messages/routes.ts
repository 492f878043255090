import type { FastifyInstance } from 'fastify'
import { followDeviceMessages, getDeviceDebug, getDeviceMessages, mostMessages } from '@caretaker/contract/messages.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { clockText, dayAt, endOfDay, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { detailSubjects } from '@caretaker/rules/changes/changes.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { FoundChange } from '../../changes/feed.ts'
import { positionOf, timeOf } from '../../changes/feed.ts'
import { serveTenant } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'
import { readDebug } from './debug.ts'
import { commandNamesOf, readMessages, readNewMessages, moduleSendingFor } from './store.ts'
import type { StoredMessage } from './store.ts'
import { answeredIn, asMessage } from './message-answer.ts'

export function messageRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceMessages, async ({ tx, actor, body }) => {
    const { deviceId, date, before, after, limit } = body
    await findToDebug(tx, actor, deviceId)
    const zone = await zoneOf(tx)
    const day = typeof date === 'string' ? date : dayAt(date.getTime(), zone)
    const from = new Date(Math.max(startOfDay(day, zone), after ? after.getTime() + 1 : 0))
    const to = new Date(Math.min(endOfDay(day, zone) + 1, before?.getTime() ?? Infinity))
    const page = firstPage(await readMessages(tx, { deviceId, from, to, limit: limit + 1 }), limit)
    return success(await inWords(tx, deviceId, page, zone))
  })

  serveTenant(app, followDeviceMessages, async ({ tx, actor, body: { deviceId, date, position } }) => {
    await findToDebug(tx, actor, deviceId)
    if (position === undefined)
      return success({ messages: [], isIncomplete: false, position: positionOf(await app.feed.now(tx)) })
    const zone = await zoneOf(tx)
    const day = { from: new Date(startOfDay(date, zone)), to: new Date(endOfDay(date, zone) + 1) }
    const scope = { subjects: [], details: { subjects: detailSubjects, of: [deviceId] }, spanOf: deviceId }
    const { rows, everything, now } = await app.feed.since(tx, { position }, scope)
    const since = timeOf(position) - overlap
    const found = everything
      ? []
      : await readNewMessages(tx, { deviceId, ...day, limit: mostMessages + 1 }, since, rows)
    const page = firstPage(found, mostMessages)
    return success({
      messages: await inWords(tx, deviceId, page, zone),
      isIncomplete: everything || page.length < found.length || rows.some(isUndated),
      position: positionOf(now),
    })
  })

  serveTenant(app, getDeviceDebug, async ({ tx, actor, body: { deviceId } }) => {
    await findToDebug(tx, actor, deviceId)
    const zone = await zoneOf(tx)
    const today = new Date(startOfDay(dayAt(Date.now(), zone), zone))
    return success(await readDebug(tx, deviceId, today))
  })
}

/**
 * How far back new messages are looked for, in ms: a batch is stored a little after its messages arrive, and the
 * clocks of hosts differ.
 */
const overlap = 60_000

/** Readings of so many devices at once that the feed does not contain their times. */
const isUndated = ({ subject, first }: FoundChange) => subject === 'device readings' && first === null

async function inWords(tx: TenantTx, deviceId: string, messages: readonly StoredMessage[], zone: string) {
  const commands = await commandNamesOf(tx, deviceId, answeredIn(messages))
  const through = await moduleSendingFor(tx, deviceId)
  const circumstances = { commands, through, time: (at: number) => clockText(at, zone) }
  return messages.map((message) => asMessage(message, circumstances))
}

async function findToDebug(tx: TenantTx, actor: Actor, deviceId: string): Promise<void> {
  const device = await findDevice(tx, actor, deviceId)
  if (!can(actor, 'debug device', device)) throw refuse('forbidden')
}

/**
 * The newest messages up to a limit. All messages of one instant are on one page, because the next page is read by
 * time and would skip some.
 */
function firstPage(messages: readonly StoredMessage[], limit: number): StoredMessage[] {
  const sorted = messages.toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1))
  const next = sorted[limit]?.at.getTime()
  if (next === undefined) return sorted
  const whole = sorted.filter(({ at }) => at.getTime() > next)
  return whole.length ? whole : sorted.slice(0, limit)
}
