import type { FastifyInstance } from 'fastify'
import { getDeviceDebug, getDeviceMessages } from '@caretaker/contract/messages.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { clockText, dayAt, endOfDay, startOfDay } from '@caretaker/rules/calendar/days.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { serveTenant } from '../../http/serve.ts'
import { zoneOf } from '../../lists/read.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { findDevice } from '../devices/store.ts'
import { readDebug } from './debug.ts'
import { commandNamesOf, readMessages, spokenForBy } from './store.ts'
import type { StoredMessage } from './store.ts'
import { answeredIn, told } from './told.ts'

export function messageRoutes(app: FastifyInstance): void {
  serveTenant(app, getDeviceMessages, async ({ tx, actor, body }) => {
    const { deviceId, date, before, after, limit } = body
    await findToDebug(tx, actor, deviceId)
    const zone = await zoneOf(tx)
    const day = typeof date === 'string' ? date : dayAt(date.getTime(), zone)
    const from = new Date(Math.max(startOfDay(day, zone), after ? after.getTime() + 1 : 0))
    const to = new Date(Math.min(endOfDay(day, zone) + 1, before?.getTime() ?? Infinity))
    const page = firstPage(await readMessages(tx, { deviceId, from, to, limit: limit + 1 }), limit)
    const commands = await commandNamesOf(tx, deviceId, answeredIn(page))
    const circumstances = {
      commands,
      through: await spokenForBy(tx, deviceId),
      time: (at: number) => clockText(at, zone),
    }
    return success(page.map((message) => told(message, circumstances)))
  })

  serveTenant(app, getDeviceDebug, async ({ tx, actor, body: { deviceId } }) => {
    await findToDebug(tx, actor, deviceId)
    const zone = await zoneOf(tx)
    const today = new Date(startOfDay(dayAt(Date.now(), zone), zone))
    return success(await readDebug(tx, deviceId, today))
  })
}

async function findToDebug(tx: TenantTx, actor: Actor, deviceId: string): Promise<void> {
  const device = await findDevice(tx, actor, deviceId)
  if (!can(actor, 'debug device', device)) throw refuse('forbidden')
}

/**
 * The newest messages, at most so many of them. All of one instant stand on one page, or the next, which is asked for by
 * time, would leave some out.
 */
function firstPage(messages: readonly StoredMessage[], limit: number): StoredMessage[] {
  const sorted = messages.toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.id < b.id ? -1 : 1))
  const next = sorted[limit]?.at.getTime()
  if (next === undefined) return sorted
  const whole = sorted.filter(({ at }) => at.getTime() > next)
  return whole.length ? whole : sorted.slice(0, limit)
}
