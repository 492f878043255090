import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Pace } from '@caretaker/rules/alerts/engine.ts'
import type { Change } from '@caretaker/rules/changes/changes.ts'
import type { Feed } from '../../changes/feed.ts'
import { openFeed, positionOf } from '../../changes/feed.ts'
import { somethingChanged } from '../../changes/changed.ts'
import type { Context } from '../../context.ts'
import { openBulletin } from '../../postgres/bulletin.ts'
import { doDue, makeDue, updateDue } from '../../postgres/due.ts'
import { uuids } from '../../postgres/each.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import { advance } from './advance.ts'
import { concernedBy, definitionsOf, evaluate } from './evaluate.ts'
import { candidatesOf } from './histories.ts'
import { homesByClock, nextHour } from './home-facts.ts'
import type { Kind } from './kinds.ts'
import { kindNames } from './kinds.ts'
import { observe } from './observe.ts'
import { takeOverHomes } from './take-over.ts'

type Needs = Pick<Context, 'config' | 'db' | 'log'>

/** How often a tenant is evaluated even without a change, in ms: an announcement may have been lost. */
const atLeastEvery = 60_000
/** Devices or properties per transaction when all of them are evaluated. */
const atOnce = 5000

const scope = { subjects: ['device', 'device tests', 'device records', 'property'] as const }

/**
 * Brings the alerts of a tenant up to date in rounds. Each round is one transaction: it reads the changes since the
 * last one, stores what became known, evaluates every rule, and advances some of the due alerts. If the process is
 * killed, nothing is lost or done twice; changes do not wait behind a long queue of due alerts. Returns how many
 * e-mails were queued.
 */
export async function watchTenant({ config, db }: Needs, feed: Feed, tenant: string, given?: number): Promise<number> {
  // Later due times are left for the next run, so that no tenant keeps the others waiting.
  const until = given ?? Date.now()
  let posted = 0
  for (let asking: Asking | undefined; ;) {
    const now = given ?? Date.now()
    const round = await inTenant(db, tenant, (tx) => runRound(tx, config, feed, { now, until, asking }))
    if (round === 'nothing there') return posted
    if (round === 'too much') {
      await lookAtAll({ config, db }, feed, tenant, now)
      continue
    }
    posted += round.posted
    asking = round.asking
    if (!round.hasMore) return posted
  }
}

async function isEmpty(tx: TenantTx): Promise<boolean> {
  const { rows } = await sql`
    (select id from device where tenant_id = ${tx.tenant} limit 1)
    union all (select id from property where tenant_id = ${tx.tenant} limit 1)`.execute(tx)
  return rows.length === 0
}

interface Round {
  posted: number
  asking: Asking | undefined
  /** Whether more work is left although nothing has changed. */
  hasMore: boolean
}

async function runRound(
  tx: TenantTx,
  config: Needs['config'],
  feed: Feed,
  { now, until, asking }: { now: number; until: number; asking: Asking | undefined },
): Promise<Round | 'too much' | 'nothing there'> {
  const progress = await holdProgress(tx, now)
  if (!progress) return 'nothing there'
  if (progress.homes_since === null) {
    await takeOverHomes(tx, now)
    await setProgress(tx, { position: null, homes_since: new Date(now) })
    return 'too much'
  }
  // Another process found that everything has to be evaluated.
  if (progress.position === null) return 'too much'
  const { rows, now: moment, everything } = await feed.since(tx, { position: progress.position }, scope)
  if (everything || rows.some(({ ids }) => ids === null)) {
    await setProgress(tx, { position: null })
    return 'too much'
  }
  // Sorted: neighbours in an index are read and written together.
  const inOrder = (ids: readonly string[]) => [...new Set(ids)].toSorted()
  const devices = inOrder(changedIn(rows, 'devices'))
  const moved = await look(tx, config, { kind: 'device', ids: devices }, progress, now)
  const homes = [
    ...changedIn(rows, 'homes'),
    ...(await homesOfDevices(tx, moved)),
    ...(await homesByClock(tx, +progress.done_until, now)),
  ]
  await look(tx, config, { kind: 'home', ids: inOrder(homes) }, progress, now)
  await setProgress(tx, { position: positionOf(moment), done_until: new Date(Math.max(now, +progress.done_until)) })
  const still = await askPending(tx, asking, { started: +progress.started_at, now, pace: config.alertPace })
  // New rules are evaluated first, because they may add due alerts.
  const posted = still ? 0 : await advance(tx, config, until)
  return { posted: posted ?? 0, asking: still, hasMore: still !== undefined || posted !== undefined }
}

const changedIn = (rows: readonly Change[], what: 'devices' | 'homes') =>
  rows.filter(({ subject }) => (subject === 'property') === (what === 'homes')).flatMap(({ ids }) => ids ?? [])

/** Updates the history and the alerts of these devices or properties; returns those whose building changed. */
async function look(
  tx: TenantTx,
  { alertPace: pace }: Needs['config'],
  { kind, ids }: { kind: Kind; ids: readonly string[] },
  progress: Progress,
  now: number,
): Promise<string[]> {
  const { started_at: started, done_until: before } = progress
  const observed = await observe(tx, kind, ids, now, +before || null)
  const concerned = kind === 'device' ? await concernedBy(tx, observed) : [...observed.differs.keys()]
  await evaluate(tx, kind, concerned, { started: +started, now, pace, pasts: observed.pasts })
  return [...observed.differs].filter(([, kinds]) => kinds.has('BUILDING')).map(([id]) => id)
}

async function homesOfDevices(tx: TenantTx, deviceIds: readonly string[]): Promise<string[]> {
  if (!deviceIds.length) return []
  const { rows } = await sql<{ id: string }>`
    select distinct property_id as id from device
    where tenant_id = ${tx.tenant} and id = any(${uuids(deviceIds)}::uuid[]) and property_id is not null`.execute(tx)
  return rows.map(({ id }) => id)
}

/** The first evaluation of a tenant, or one after more changes than the feed keeps. */
async function lookAtAll(
  { config, db }: Pick<Needs, 'config' | 'db'>,
  feed: Feed,
  tenant: string,
  now: number,
): Promise<void> {
  const moment = await inTenant(db, tenant, async (tx) =>
    (await holdProgress(tx, now))?.position === null ? feed.now(tx) : undefined,
  )
  if (!moment) return
  for (const kind of kindNames)
    for (let after: string | undefined = nilId; after;)
      after = await inTenant(db, tenant, async (tx) => {
        const progress = (await holdProgress(tx, now))!
        const { rows } = await sql<{ id: string }>`
          select id from ${sql.table(kind === 'device' ? 'device' : 'property')}
          where tenant_id = ${tx.tenant} and id > ${after} order by id limit ${atOnce}`.execute(tx)
        const ids = rows.map(({ id }) => id)
        await look(tx, config, { kind, ids }, progress, now)
        return ids.length === atOnce ? ids.at(-1) : undefined
      })
  await inTenant(db, tenant, async (tx) => {
    await holdProgress(tx, now)
    await setProgress(tx, { position: positionOf(moment) })
  })
}
const nilId = '00000000-0000-0000-0000-000000000000'

/** New or changed rules, and the devices and properties for which they still have to be evaluated. */
interface Asking {
  rules: readonly { id: string; changedAt: string }[]
  subjects: Readonly<Record<Kind, readonly string[]>>
}

/**
 * Evaluates pending rules for some of their subjects; returns the rest. If the process is killed, it starts again.
 */
async function askPending(
  tx: TenantTx,
  asking: Asking | undefined,
  round: { started: number; now: number; pace: Pace },
): Promise<Asking | undefined> {
  const { rules, subjects } = asking ?? (await pendingOf(tx, round.now))
  if (!rules.length) return undefined
  const only = await definitionsOf(
    tx,
    rules.map(({ id }) => id),
  )
  const kind = kindNames.find((name) => subjects[name].length)
  if (kind) {
    await evaluate(tx, kind, subjects[kind].slice(0, atOnce), { ...round, only })
    const left = { ...subjects, [kind]: subjects[kind].slice(atOnce) }
    if (kindNames.some((name) => left[name].length)) return { rules, subjects: left }
  }
  // A rule that changed meanwhile is evaluated again. Compared here because an update of a distributed table takes no
  // timestamps as text.
  const { rows } = await sql<{ id: string; changedAt: string }>`
    select id, changed_at::text as "changedAt" from alert_definition
    where tenant_id = ${tx.tenant} and id = any(${rules.map(({ id }) => id)}::uuid[]) for update`.execute(tx)
  const asked = new Map(rules.map(({ id, changedAt }) => [id, changedAt]))
  const done = rows.filter(({ id, changedAt }) => asked.get(id) === changedAt).map(({ id }) => id)
  await sql`
    update alert_definition set pending = false
    where tenant_id = ${tx.tenant} and id = any(${done}::uuid[])`.execute(tx)
  return undefined
}

async function pendingOf(tx: TenantTx, now: number): Promise<Asking> {
  const { rows } = await sql<{ id: string; changedAt: string }>`
    select id, changed_at::text as "changedAt" from alert_definition
    where tenant_id = ${tx.tenant} and pending`.execute(tx)
  const definitions = await definitionsOf(
    tx,
    rows.map(({ id }) => id),
  )
  const asked = definitions.map((rule) => ({ ...rule, scope: rule.covers }))
  const [device, home] = rows.length
    ? [await candidatesOf(tx, 'device', asked, now), await candidatesOf(tx, 'home', asked, now)]
    : [[], []]
  return { rules: rows, subjects: { device, home } }
}

interface Progress {
  position: string | null
  started_at: Date
  done_until: Date
  homes_since: Date | null
}

/**
 * Locks the progress of a tenant until the transaction ends, so that one process at a time works on a tenant.
 * Undefined where there is nothing to watch.
 */
async function holdProgress(tx: TenantTx, now: number): Promise<Progress | undefined> {
  const held = () =>
    tx
      .selectFrom('alert_progress')
      .select([
        'position',
        'homes_since',
        sql<Date>`started_at`.as('started_at'),
        sql<Date>`done_until`.as('done_until'),
      ])
      .where('tenant_id', '=', tx.tenant)
      .forUpdate()
      .executeTakeFirst()
  const known = await held()
  if (known) return known
  if (await isEmpty(tx)) return undefined
  const { numInsertedOrUpdatedRows: isFirst } = await tx
    .insertInto('alert_progress')
    .values({
      tenant_id: tx.tenant,
      position: null,
      started_at: new Date(now),
      done_until: new Date(0),
      homes_since: new Date(now),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  // The first evaluation covers every rule; only rules saved from here on are pending.
  if (isFirst)
    await tx.updateTable('alert_definition').set({ pending: false }).where('tenant_id', '=', tx.tenant).execute()
  await makeDue(tx, 'watch alerts', new Date(now))
  await makeDue(tx, 'forget alerts', new Date(now + 60 * 86_400_000))
  return held()
}

async function setProgress(
  tx: TenantTx,
  to: { position: string | null; done_until?: Date; homes_since?: Date },
): Promise<void> {
  await tx.updateTable('alert_progress').set(to).where('tenant_id', '=', tx.tenant).execute()
}

/** When the tenant is next due by time alone; null if it has nothing to watch. */
async function nextLook(tx: TenantTx): Promise<Date | null> {
  if (await isEmpty(tx)) return null
  const { at } = await tx
    .selectFrom('alert')
    .select((eb) => eb.fn.min('next_at').as('at'))
    .where('tenant_id', '=', tx.tenant)
    .where('next_at', 'is not', null)
    .executeTakeFirstOrThrow()
  const missed = await nextHour(tx, Date.now())
  return new Date(Math.min(at ? +at : Infinity, missed ? +missed : Infinity, Date.now() + atLeastEvery))
}

/** Evaluates the tenants in which something is due. Returns how many e-mails were queued. */
export async function watchDue(context: Needs, feed: Feed): Promise<number> {
  const run = (tenant: string) => watchTenant(context, feed, tenant)
  return doDue(context.db, { work: 'watch alerts', now: new Date(), run, next: nextLook })
}

/** Minimum time between rounds, in ms. Shorter would make no difference to the recipient of an e-mail. */
const pause = 500

/** Evaluates tenants whose changes are announced, or in which something is due, until it is stopped. */
export async function startAlertWatch(context: Needs & Pick<Context, 'owner'>): Promise<{ stop(): Promise<void> }> {
  const feed = openFeed()
  const heard = new Set<string>()
  const stopping = new AbortController()
  const bulletin = await openBulletin({
    pool: context.owner,
    name: 'caretaker-alerts',
    channels: [somethingChanged],
    onNotification: (tenant) => heard.add(tenant),
    // Changes announced while the connection was closed may concern any tenant.
    onOpen: async () => {
      for (const { id } of await context.db.selectFrom('tenant').select('id').execute()) heard.add(id)
    },
  })
  const attempt = async (what: () => Promise<unknown>) => {
    try {
      await what()
    } catch (error) {
      context.log.error({ err: error }, 'alerts')
    }
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      const begun = performance.now()
      const some = [...heard]
      heard.clear()
      for (const tenant of some) await attempt(() => watchTenant(context, feed, tenant))
      // The next step for what was just found may be due soon.
      for (const tenant of some) await attempt(() => updateDue(context.db, tenant, 'watch alerts', nextLook))
      await attempt(() => watchDue(context, feed))
      const rest = Math.max(0, pause - (performance.now() - begun))
      await sleep(rest, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await bulletin.stop()
      await running
    },
  }
}
