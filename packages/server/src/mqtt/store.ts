import { sql } from 'kysely'
import type { Announcer } from '../changes/announce.ts'
import type { UpChannel } from '@caretaker/contract/mqtt/topics.ts'
import { ingestReplies } from '../features/commands/ingest.ts'
import type { ChangedFields, LinkChange } from '../features/devices/ingest.ts'
import { ingestEvents, ingestLinks, ingestStates } from '../features/devices/ingest.ts'
import { watchBatteries } from '../features/lighting/low-batteries.ts'
import { ingestTests } from '../features/lighting/ingest.ts'
import type { TakenMessage } from '../features/messages/store.ts'
import { keepMessages } from '../features/messages/store.ts'
import type { ReadingSetAside } from '../features/telemetry/counts.ts'
import { ingestTelemetry, seriesCache } from '../features/telemetry/ingest.ts'
import { makeDue } from '../postgres/due.ts'
import type { Db } from '../postgres/pool.ts'
import type { TenantTx } from '../postgres/tenant.ts'
import { enter, inTransaction } from '../postgres/tenant.ts'
import type { BadMessage } from './bad-messages.ts'
import { badMessage, storeBadMessages, storeRefusals } from './bad-messages.ts'
import type { Fault } from '@caretaker/rules/devices/messages.ts'
import type { Payloads } from './payloads.ts'
import type { Incoming } from '../incoming.ts'
import type { Refusals } from './tally.ts'

/** A parsed message that waits to be stored. */
export interface Pending<C extends UpChannel = UpChannel> {
  channel: C
  tenant: string
  message: Incoming<Payloads[C]>
  /** The raw payload, shown if the message cannot be stored. */
  raw: Buffer
  done(): void
}

/** A bad message, kept for developers. */
export interface Rejected {
  channel: 'bad'
  tenant: string
  message: BadMessage | undefined
  done(): void
}

export type Reported = { [C in Exclude<UpChannel, 'telemetry'>]: Pending<C> }[Exclude<UpChannel, 'telemetry'>]

/** Who is notified, after the commit, of tenants with changes and of readings that were rejected. */
interface Listeners extends Pick<Announcer, 'announce'> {
  setAside(found: SetAside[]): void
}

/** Readings of a device that were rejected while being stored, as a payload, with the reason. */
export interface SetAside {
  device: { tenant: string; deviceId: string }
  payload: Buffer
  faults: Fault[]
}

/** A contact or connection event of a device. */
export interface DeviceContact {
  deviceId: string
  tenant: string
  /** In ms since the epoch. */
  at: number
  event?: LinkEvent
}

/** `left`: disconnected cleanly; `dropped`: without DISCONNECT; `cut`: ended by the server. */
export type LinkEvent = 'connected' | 'left' | 'dropped' | 'cut'

/**
 * Writes batches of device messages, each in one transaction that visits the tenants in order. The functions resolve
 * with the messages that the features rejected. Device rows are locked before they are changed, always in the same
 * order, so that batches of several processes cannot deadlock.
 */
export function openStore(db: Db, { announce, setAside }: Listeners) {
  const series = seriesCache()
  const watch = watchBatteries()
  /** Announces frequent changes after the commit, several batches at once. */
  const announced = async <T extends { tenant: string }>(
    items: T[],
    work: (tx: TenantTx, items: T[]) => Promise<T[]>,
  ) => {
    const unplaced = await visit(db, items, work)
    announce(new Set(items.map((item) => item.tenant)))
    return unplaced
  }
  return {
    forget: (deviceId: string): void => series.forget(deviceId),

    telemetry: async (items: Pending<'telemetry'>[]): Promise<Pending<'telemetry'>[]> => {
      const found: SetAside[] = []
      const unplaced = await announced(items, (tx, pending) =>
        through(pending, async (messages) => {
          const judged = await ingestTelemetry(tx, messages, series)
          found.push(...setAsideOf(tx.tenant, judged.setAside))
          await watch(tx, messages)
          return judged.unknown
        }),
      )
      if (found.length) setAside(found)
      return unplaced
    },

    reports: (items: (Reported | Rejected)[]): Promise<(Reported | Rejected)[]> => visit(db, items, storeReports),

    links: (contacts: DeviceContact[]): Promise<DeviceContact[]> =>
      announced(contacts, async (tx, of) => {
        await ingestLinks(tx, foldLinks(of), new Date())
        return []
      }),

    refusals: async (refusals: Refusals[]): Promise<void> => {
      await announced(refusals, async (tx, of) => {
        await storeRefusals(tx, of)
        return []
      })
    },
  }
}

async function visit<T extends { tenant: string }>(
  db: Db,
  items: T[],
  work: (tx: TenantTx, items: T[]) => Promise<T[]>,
): Promise<T[]> {
  const byTenant = [...Map.groupBy(items, (item) => item.tenant)].sort(([a], [b]) => (a < b ? -1 : 1))
  return inTransaction(db, async (transaction) => {
    const unplaced: T[] = []
    for (const [tenant, of] of byTenant) unplaced.push(...(await work(await enter(transaction, tenant), of)))
    return unplaced
  })
}

/** Passes messages to a feature and returns the items of those it rejected. */
async function through<T extends { message: unknown }>(
  items: T[],
  ingest: (messages: T['message'][]) => Promise<T['message'][]>,
): Promise<T[]> {
  if (!items.length) return []
  const returned = new Set(await ingest(items.map((item) => item.message)))
  return returned.size ? items.filter((item) => returned.has(item.message)) : []
}

function setAsideOf(tenant: string, readings: readonly ReadingSetAside[]): SetAside[] {
  return [...Map.groupBy(readings, ({ deviceId }) => deviceId)].map(([deviceId, of]) => ({
    device: { tenant, deviceId },
    payload: Buffer.from(JSON.stringify(of.map(({ metric, at, value }) => ({ ts: at, values: { [metric]: value } })))),
    faults: of.map(({ metric, value, at, reason }, place) => {
      const field = `${place}.values.${metric}`
      return { reason, field, detail: `${field}: ${value} at ${new Date(at).toISOString()}` }
    }),
  }))
}

async function storeReports(tx: TenantTx, items: (Reported | Rejected)[]): Promise<(Reported | Rejected)[]> {
  const of = <C extends (Reported | Rejected)['channel']>(channel: C) =>
    items.filter((item): item is Extract<Reported | Rejected, { channel: C }> => item.channel === channel)
  const changing = [...of('state'), ...of('events'), ...of('tests')].map((item) => item.message.deviceId)
  // States lock their devices in the same order as they are read; other locks must not be taken in between.
  if (of('events').length || of('tests').length) await lockDevices(tx, changing)
  if (of('events').length) await makeDue(tx, 'forget events')
  const was = new Map<unknown, ChangedFields>()
  const contradicting = new Set<unknown>()
  const unplaced = [
    ...(await through(of('state'), (messages) =>
      ingestStates(tx, messages, (message, fields) => was.set(message, fields)),
    )),
    ...(await through(of('events'), (messages) => ingestEvents(tx, messages))),
    ...(await through(of('tests'), async (messages) => {
      const not = await ingestTests(tx, messages)
      for (const message of not.contradicting) contradicting.add(message)
      return not.notAllowed
    })),
    ...(await through(of('replies'), (messages) => ingestReplies(tx, messages))),
  ]
  const refused = of('tests').filter(({ message }) => contradicting.has(message))
  await storeContradictions(tx, refused)
  const out = new Set<Reported | Rejected>([...unplaced, ...refused])
  await keepMessages(
    tx,
    items.flatMap((item) => (item.channel === 'bad' || out.has(item) ? [] : [taken(item, was.get(item.message))])),
  )
  const bad = of('bad').flatMap((item) => item.message ?? [])
  if (bad.length) await storeBadMessages(tx, bad)
  return unplaced
}

const otherContent: Fault = {
  reason: 'other content',
  detail: 'the test is stored with other content',
  field: 'eventId',
}

/** Records messages that contradict a stored test on the pages of their devices. */
async function storeContradictions(tx: TenantTx, items: readonly Pending<'tests'>[]): Promise<void> {
  if (!items.length) return
  await storeBadMessages(
    tx,
    items.map(({ message, raw }) => badMessage(message.deviceId, 'tests', raw, message.receivedAt, [otherContent])),
  )
  const refusals = [...Map.groupBy(items, ({ message }) => message.deviceId)].map(([deviceId, of]): Refusals => {
    const times = of.map(({ message }) => +message.receivedAt)
    const { reason, field } = otherContent
    return {
      tenant: tx.tenant,
      deviceId,
      reason,
      field,
      count: of.length,
      first: Math.min(...times),
      last: Math.max(...times),
    }
  })
  await storeRefusals(tx, refusals)
}

const taken = ({ channel, message, raw }: Reported, was: ChangedFields | undefined): TakenMessage => ({
  ...{ channel, raw, was, deviceId: message.deviceId, at: message.receivedAt },
})

async function lockDevices(tx: TenantTx, deviceIds: string[]): Promise<void> {
  await tx
    .selectFrom('device')
    .select('id')
    .where('tenant_id', '=', tx.tenant)
    .where(sql<boolean>`id = any(${deviceIds}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Merges events into one change per device, in order. */
function foldLinks(contacts: DeviceContact[]): LinkChange[] {
  const changes = new Map<string, LinkChange>()
  for (const { deviceId, at, event } of contacts) {
    const change = changes.get(deviceId) ?? { deviceId, heardAt: null, drops: [] }
    changes.set(deviceId, change)
    if (event !== 'dropped' && event !== 'cut') change.heardAt = new Date(at)
    if (event === 'dropped') change.drops.push(new Date(at))
    if (event) change.connected = event === 'connected'
    if (event === 'connected') change.connectedAt = new Date(at)
  }
  return [...changes.values()]
}
