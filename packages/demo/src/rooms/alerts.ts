import type { Definition } from '@caretaker/rules/alerts/definition.ts'
import { delayMs } from '@caretaker/rules/alerts/definition.ts'
import type { Episode, History, Interval } from '@caretaker/rules/alerts/engine.ts'
import { episodesOf, sendTimes, usualPace } from '@caretaker/rules/alerts/engine.ts'
import type { IntervalKind } from '@caretaker/rules/alerts/signals.ts'
import { signalsOf, mutesRule } from '@caretaker/rules/alerts/signals.ts'
import { alertableEventNames, isOfSilence } from '@caretaker/rules/alerts/triggers.ts'
import type { RuleWords } from '@caretaker/rules/alerts/words.ts'
import { storedCleared } from '@caretaker/rules/alerts/words.ts'
import type { Condition } from '@caretaker/rules/conditions/conditions.ts'
import { familyOf } from '@caretaker/rules/devices/products.ts'
import { isInService } from '@caretaker/rules/devices/status.ts'
import { alertLetter } from '@caretaker/server/features/alerts/alert-emails.ts'
import { chanceOf, demoId } from '../chance.ts'
import { map } from '../copy.ts'
import type { DemoDevice } from '../plan/device.ts'
import { day, hour, statusOfLink } from '../plan/device.ts'
import type { AlertPlan, TenantWorld } from '../plan/tenants.ts'
import type { DeviceSeeder } from '../seeding.ts'
import { conditionsOf } from './conditions.ts'

const historyDays = 30
export const alertId = (tenant: string, { tag, trigger, condition }: AlertPlan) =>
  demoId(`${tenant} alert ${tag ?? 'default'} ${trigger} ${condition}`)
const tagIdOf = (tenant: string, name: string) => demoId(`${tenant} tag ${name}`)

interface DeviceInterval extends Interval {
  deviceId: string
  kind: IntervalKind
  key: string
}

/** The worker raises the alerts for due checks. */
const records = {
  GasSafety: { state: null, dueSince: null },
  WaterTreatment: { state: null, dueSince: null },
}

/** The states of a device in the last month, as the worker would have recorded them. */
function intervalsOf(world: TenantWorld, device: DemoDevice, now: number): DeviceInterval[] {
  const conditions = conditionsOf(device, now)
  const connection = statusOfLink(device.link, now)
  const interval = (kind: IntervalKind, key: string, began: number, ended: number | null = null): DeviceInterval => {
    return { deviceId: device.id, kind, key, began, seen: began, ended }
  }
  const at = (time: number) =>
    signalsOf({
      ...{ product: device.product, connection: 'Connected', connectionSince: time },
      open: conditions.filter((one) => one.began <= time && (one.ended ?? Infinity) > time).map(asOpen),
      ...{ lastEnded: time, tagIds: [], buildingId: device.buildingId, isVoid: isVoid(world, device), records },
      testMissedSince: null,
    }).filter(({ kind }) => kind !== 'CONNECTIONSTATUS')
  const times = conditions.flatMap(({ began, ended }) => [began, ...(ended === null ? [] : [ended])])
  const openIntervals = new Map<string, DeviceInterval>()
  const intervals: DeviceInterval[] = []
  for (const time of [device.createdAt, ...times].toSorted((a, b) => a - b)) {
    const now = new Set(at(time).map(({ kind, key }) => `${kind} ${key}`))
    for (const [name, open] of openIntervals)
      if (!now.has(name)) {
        open.ended = time
        openIntervals.delete(name)
      }
    for (const { kind, key } of at(time)) {
      if (openIntervals.has(`${kind} ${key}`)) continue
      const next = interval(kind, key, time)
      openIntervals.set(`${kind} ${key}`, next)
      intervals.push(next)
    }
  }
  for (const tag of device.tags) intervals.push(interval('TAG', tagIdOf(world.plan.id, tag), device.createdAt))
  const { heardAt } = device.link
  if (connection === 'NotConnected' && heardAt !== null)
    intervals.push(interval('CONNECTIONSTATUS', connection, heardAt))
  else
    intervals.push(
      ...outagesOf(device, now).map(([from, to]) => interval('CONNECTIONSTATUS', 'NotConnected', from, to)),
    )
  return intervals.filter(({ began, ended }) => began !== ended)
}

const asOpen = (one: Condition) => ({ ...one, ended: null })

/** The outages of a connected device: one device in five had one, which lasted some hours. */
function outagesOf(device: DemoDevice, now: number): [number, number][] {
  const chance = chanceOf(`${device.serial} outages`)
  if (chance() > 0.2) return []
  const from = now - (2 + chance() * 26) * day
  return [[from, from + (2 + chance() * 14) * hour]]
}

const isVoid = (world: TenantWorld, { propertyId }: DemoDevice) =>
  world.storied.properties.some((home) => home.id === propertyId && home.isVoid)

/** Triggers that have no history in the demo, so that the worker evaluates them for the first time. */
const unseeded = /^(gas|water|damp|awaabsLaw)|^(testMissed|lampDark|heatingOff|frostRisk|carbonMonoxide)$/
const knownSince = (now: number) =>
  Object.fromEntries(
    alertableEventNames.filter((event) => unseeded.test(event)).map((event) => [event, new Date(now).toISOString()]),
  )

/** Creates the alerts that the rules would have raised so far, using the same rule functions as the worker. */
export const seedAlerts: DeviceSeeder = async ({ write, world, now }, devices, from) => {
  const { plan } = world
  if (from === 0)
    await write(
      'alert_progress',
      ['position', 'started_at', 'done_until', 'known_since', 'homes_since'],
      [[null, new Date(now - historyDays * day), new Date(now), JSON.stringify(knownSince(now)), new Date(now)]],
    )
  const families = new Set(plan.alerts.flatMap((rule) => rule.families ?? []))
  const covered = devices.filter(
    ({ tags, product, status, inWholesale }) =>
      (tags.length || families.has(familyOf(product))) && isInService(status) && !inWholesale,
  )
  const intervals = Map.groupBy(
    covered.flatMap((device) => intervalsOf(world, device, now)),
    ({ deviceId }) => deviceId,
  )
  await write(
    'device_spell',
    ['device_id', 'kind', 'key', 'began_at', 'seen_at', 'ended_at'],
    map([...intervals.values()].flat(), (one) => [
      ...[one.deviceId, one.kind, one.key, new Date(one.began), new Date(one.seen)],
      one.ended === null ? null : new Date(one.ended),
    ]),
  )
  const known = new Map(covered.map((device) => [device.id, device]))
  const sent = plan.alerts.flatMap((rule) => alertsOfRule(rule, world, covered, intervals, now))
  const of = (id: string) => known.get(id)!
  await write(
    'alert',
    alertColumns,
    map(sent, ({ rule, words, episode, sendAt, behind }) => [
      ...[idOf(plan.id, rule, episode), alertId(plan.id, rule), episode.subjectId, words, episode.place],
      ...[date(episode.began), date(episode.seen), date(episode.due), episode.held, episode.unstable],
      ...[date(sendAt), date(sendAt), behind, date(episode.ended), date(episode.over)],
      ...(isOver(episode, now)
        ? [date(episode.over), date(episode.over), storedCleared, null, date(episode.over)]
        : [null, null, null, date(sendAt === null ? episode.due : episode.over), null]),
    ]),
  )
  const mails = sent.flatMap((one) =>
    one.rule.target && one.sendAt !== null ? [{ ...one, target: one.rule.target, sendAt: one.sendAt }] : [],
  )
  await write(
    'mail',
    ['id', 'at', 'recipient', 'subject', 'text', 'html', 'failed_at', 'error'],
    map(mails, ({ rule, words, episode, sendAt, behind, target }) => {
      const { subject, text, html } = alertLetter({
        ...{ config: { origin: '' }, to: target, kind: 'told', rule: words, unsubscribe: null },
        reach: { tenant: plan.id, client: plan.id, contacts: plan.contacts, zone: 'Europe/London' },
        alerts: [{ ...subjectOf(of(episode.subjectId), world), ...episode, behind }],
      })
      // Users who open the bell also find an e-mail that could not be delivered.
      const isFull = rule.isFixed && episode.ended === null
      const failed = isFull ? [new Date(sendAt + hour), 'the mailbox was full'] : [null, null]
      return [mailIdOf(plan.id, rule, episode), new Date(sendAt), target, subject, text, html, ...failed]
    }),
  )
  await write(
    'alert_mail',
    ['alert_id', 'mail_id', 'kind', 'recipient', 'at'],
    map(mails, ({ rule, episode, sendAt, target }) => [
      ...[idOf(plan.id, rule, episode), mailIdOf(plan.id, rule, episode), 'told', target, new Date(sendAt)],
    ]),
  )
}

const alertColumns = [
  ...['id', 'definition_id', 'device_id', 'rule', 'place', 'began_at', 'seen_at', 'due_at', 'held', 'unstable'],
  ...['tell_at', 'told_at', 'behind', 'ended_at', 'over_at'],
  ...['over_tell_at', 'over_told_at', 'ending', 'next_at', 'closed_at'],
]

const date = (at: number | null) => (at === null ? null : new Date(at))
const isOver = ({ over }: Episode, now: number) => over !== null && over <= now
const idOf = (tenant: string, rule: AlertPlan, { subjectId, seen }: Episode) =>
  demoId(`${alertId(tenant, rule)} ${subjectId} ${seen}`)
const mailIdOf = (tenant: string, rule: AlertPlan, episode: Episode) => demoId(`${idOf(tenant, rule, episode)} mail`)

const always: Interval = { began: 0, seen: 0, ended: null }

interface RaisedAlert {
  rule: AlertPlan
  words: RuleWords
  episode: Episode
  /** When the alert was sent; null while the delay lasts. */
  sendAt: number | null
  behind: number
}

function alertsOfRule(
  rule: AlertPlan,
  world: TenantWorld,
  devices: readonly DemoDevice[],
  intervals: ReadonlyMap<string, readonly DeviceInterval[]>,
  now: number,
): RaisedAlert[] {
  const { trigger, condition, tag, families, delay, delayUnit } = rule
  const covered = (device: DemoDevice): Interval[] => {
    if (tag !== undefined) return of(device.id, 'TAG', tagIdOf(world.plan.id, tag))
    return families?.includes(familyOf(device.product)) ? [always] : []
  }
  const ofSilence = isOfSilence(trigger, condition)
  const of = (id: string | null, kind: IntervalKind, key: string) =>
    (id === null ? [] : (intervals.get(id) ?? [])).filter((one) => one.kind === kind && one.key === key)
  const histories = devices.map((device): History => {
    return {
      subjectId: device.id,
      place: device.buildingId ?? device.propertyId ?? device.id,
      inScope: covered(device),
      active: of(device.id, trigger as IntervalKind, condition),
      muted: (intervals.get(device.id) ?? []).filter((one) => one.kind === 'MUTED' && mutesRule(one.key, condition)),
      isBehind: device.parentId !== null,
      gatewayOffline: ofSilence ? of(device.parentId, 'CONNECTIONSTATUS', 'NotConnected') : [],
    }
  })
  const asked: Pick<Definition, 'delay' | 'delayUnit'> = { delay, delayUnit }
  const since = now - historyDays * day
  const episodes = histories
    .flatMap((history) =>
      episodesOf({ delay: delayMs(asked), from: since, atOnce: false, ofSilence, pace: usualPace }, history),
    )
    // Leaves out alerts that ended long before the month began, because they were never sent.
    .filter((one) => (one.due !== null || one.held === 'muted') && (one.ended ?? now) > since - usualPace.clearing)
  const words = {
    ...{ tagName: tag ?? '', triggerType: trigger, triggerCondition: condition, delay, delayUnit },
    scope: { families: families ?? [], buildings: [], tags: tag === undefined ? [] : [tag] },
  }
  const alerts: RaisedAlert[] = []
  for (const group of Map.groupBy(episodes, (one) => one.place).values()) {
    const due = group.filter((one) => one.due !== null && one.due <= now).toSorted((a, b) => a.due! - b.due!)
    const times = sendTimes(
      due.map((one) => one.due!),
      null,
      { atOnce: false, pace: usualPace },
    )
    for (const episode of group) {
      const sendAt = times[due.indexOf(episode)] ?? null
      const behind = ofSilence
        ? devices.filter((one) => one.parentId === episode.subjectId && (tag === undefined || one.tags.includes(tag)))
            .length
        : 0
      alerts.push({ rule, words, episode, sendAt: sendAt !== null && sendAt <= now ? sendAt : null, behind })
    }
  }
  return alerts
}

function subjectOf(device: DemoDevice, world: TenantWorld) {
  const building = world.buildings.find(({ id }) => id === device.buildingId)?.name ?? null
  const home = world.storied.properties.find(({ id }) => id === device.propertyId)
  return {
    ...{
      device: { id: device.id, serial: device.serial, product: device.product },
      home: null,
      name: device.name,
      building,
    },
    ...{ where: building ?? home?.reference ?? '', reason: device.fault?.code ?? '' },
  }
}
