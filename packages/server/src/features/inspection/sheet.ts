import { buffer } from 'node:stream/consumers'
import { clockText, dayAt, dayText, startOfDay, dayAfter } from '@caretaker/rules/calendar/days.ts'
import { conditionText, endingWords } from '@caretaker/rules/conditions/words.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData, isLimited } from '@caretaker/rules/identity/actor.ts'
import { pendingText } from '@caretaker/rules/lighting/running.ts'
import { resultChangeText } from '@caretaker/rules/lighting/decisions.ts'
import type { LogBook, Period } from '@caretaker/rules/inspection/sheet.ts'
import { daysBetween, failedAt, gapsOf, outcomeOf, outcomes, yearsOfLight } from '@caretaker/rules/inspection/sheet.ts'
import { alterationText } from '@caretaker/rules/inspection/words.ts'
import type { LightParts } from '@caretaker/rules/maintenance/forms.ts'
import { replacedText } from '@caretaker/rules/maintenance/repairs.ts'
import { partsText } from '@caretaker/rules/maintenance/forms.ts'
import type { FileStore } from '../../context.ts'
import { keyOf } from '../../files/keys.ts'
import type { PhotoType } from '../../files/photo.ts'
import { pictureToPrint } from '../../files/print.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import type {
  About,
  FaultEntry,
  LightEntry,
  LightName,
  Part,
  PhotoEntry,
  RemovedEntry,
  TestEntry,
  WorkEntry,
} from './parts.ts'
import type { Span, StoredLost, StoredTest } from './store.ts'
import * as store from './store.ts'

/** Lights read in one batch: ten years of their tests are several thousand rows. */
const lightsAtOnce = 50

export interface SheetAsked {
  building: { id: string; name: string; address: string; postcode: string }
  lights: readonly string[]
  period: Period
  logBook: LogBook
  writtenBy: string
  now: Date
}

/** The facts of a sheet that are known before its parts are read. */
export async function aboutSheet(tx: TenantTx, actor: Actor, asked: SheetAsked): Promise<About> {
  const client = await store.findClient(tx)
  const span = spanOf(asked.period, client.zone)
  const tests = new Map<string, About['tests'][number]>()
  for (const ids of batches(asked.lights))
    for (const { type, result, count } of await store.countTests(tx, ids, span)) {
      const outcome = outcomeOf(result)
      const key = `${type} ${outcome}`
      tests.set(key, { type, outcome, count: count + (tests.get(key)?.count ?? 0) })
    }
  const { address, postcode } = asked.building
  return {
    client: client.name,
    contacts: client.contacts || null,
    building: asked.building.name,
    address: hidesPersonalData(actor) ? null : [address, postcode].filter(Boolean).join(', ') || null,
    period: asked.period,
    ...asked.logBook,
    responsibleBefore: await store.earlierResponsible(tx, asked.building.id, { end: asked.now, zone: client.zone }),
    writtenAt: asked.now,
    writtenBy: asked.writtenBy,
    isLimited: isLimited(actor),
    lights: asked.lights.length,
    tests: [...tests.values()].toSorted((a, b) => outcomes.indexOf(a.outcome) - outcomes.indexOf(b.outcome)),
    zone: client.zone,
  }
}

export function spanOf({ from, to }: Period, zone: string): Span {
  return { from: new Date(startOfDay(from, zone)), end: new Date(startOfDay(dayAfter(to, 1), zone)), zone }
}

/** A sheet from start to end, a few lights at a time: part after part, each in the order of the lights. */
export async function* sheetParts(
  tx: TenantTx,
  actor: Actor,
  about: About,
  { building, lights, files }: { building: string; lights: readonly string[]; files: PhotoFiles },
): AsyncGenerator<Part[]> {
  const { period, zone, writtenAt } = about
  const [span, today] = [spanOf(period, zone), dayAt(+writtenAt, zone)]
  yield [{ part: 'about', about }]
  for (const ids of batches(lights)) {
    const register = await store.registerOf(tx, ids, span)
    yield [{ part: 'lights', entries: inOrder(ids, register) }]
  }
  yield [{ part: 'schedule', entries: await store.scheduleOf(tx, lights, writtenAt) }]
  for await (const { name, held, lost } of histories(tx, lights, span)) {
    const years = yearsOfLight({ held, lost }, period, today)
    const entries = years.map((year) => ({ ...year, light: name, minutes: minutesOn(held, year.full.day) }))
    yield [{ part: 'years', entries }]
  }
  for await (const { name, held, lost } of histories(tx, lights, span))
    yield [{ part: 'tests', entries: testEntries(name, held, lost, { period, zone, writtenAt }) }]
  for (const ids of batches(lights)) {
    const [names, faults] = [await store.registerOf(tx, ids, span), await store.faultsOf(tx, ids, span)]
    const entries = ids.flatMap((id) =>
      repairsShown(faults.get(id) ?? []).map((fault) => faultEntry(nameOf(names.get(id)!), fault, writtenAt, zone)),
    )
    yield [{ part: 'faults', entries }]
  }
  for (const ids of batches(lights)) {
    const [names, works] = [await store.registerOf(tx, ids, span), await store.worksOf(tx, ids, span)]
    yield [{ part: 'works', entries: ids.flatMap((id) => workEntries(nameOf(names.get(id)!), id, works)) }]
  }
  for await (const photo of photosOf(tx, lights, span, files)) yield [{ part: 'photos', entries: [photo] }]
  yield [{ part: 'removed', entries: (await store.removedFrom(tx, actor, building, span)).map(removedEntry) }]
  for await (const { name, held, lost } of histories(tx, lights, span))
    yield [{ part: 'gaps', entries: gapsOf({ held, lost }, period, today).map((gap) => ({ ...gap, light: name })) }]
}

/** The files of photographs, by their keys. */
export type PhotoFiles = Pick<FileStore, 'read'>

/** Maximum number of photographs that a sheet prints: a page has six of them. */
export const mostPhotosPrinted = 60

/** The photographs of repairs in the span, the newest repair first, each read as it is written. */
async function* photosOf(
  tx: TenantTx,
  lights: readonly string[],
  span: Span,
  files: PhotoFiles,
): AsyncGenerator<PhotoEntry> {
  let printed = 0
  const seen = 'See it on the Maintenance tab of the light.'
  for (const ids of batches(lights))
    for (const { light, day, name, fileId, contentType } of await store.photosOf(tx, ids, span)) {
      const made =
        printed >= mostPhotosPrinted
          ? { why: `a sheet prints ${mostPhotosPrinted} photographs` }
          : await printable(files, keyOf(tx.tenant, fileId), contentType as PhotoType)
      const image = 'picture' in made ? made.picture : null
      if (image) printed++
      yield { light, day, name, image, why: 'why' in made ? `not printed: ${made.why}. ${seen}` : null }
    }
}

/** A photograph ready for printing, or why it is not printed. A sheet without one photograph is better than none. */
async function printable(files: PhotoFiles, key: string, type: PhotoType) {
  try {
    return await pictureToPrint(await buffer(await files.read(key)), type)
  } catch {
    return { why: 'its file could not be read' }
  }
}

function* batches(lights: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < lights.length; at += lightsAtOnce) yield lights.slice(at, at + lightsAtOnce)
}

interface LightHistory {
  name: LightName
  held: StoredTest[]
  lost: StoredLost[]
}

/** Each light in turn with its tests, and its planned tests without a result. */
async function* histories(tx: TenantTx, lights: readonly string[], span: Span): AsyncGenerator<LightHistory> {
  for (const ids of batches(lights)) {
    const names = await store.registerOf(tx, ids, span)
    const [held, lost] = [await store.testsOf(tx, ids, span), await store.lostTestsOf(tx, ids, span)]
    for (const id of ids) yield { name: nameOf(names.get(id)!), held: held.get(id) ?? [], lost: lost.get(id) ?? [] }
  }
}

const inOrder = (ids: readonly string[], register: Map<string, LightEntry>) => ids.map((id) => register.get(id)!)
const nameOf = ({ serial, name }: LightEntry): LightName => ({ serial, name })

/** How long the light burned in its T180 of a day. */
function minutesOn(held: readonly StoredTest[], day: string | null): number | null {
  return held.findLast((test) => test.type === 'T180' && test.day === day)?.minutes ?? null
}

interface Days {
  period: Period
  zone: string
  writtenAt: Date
}

function testEntries(
  light: LightName,
  held: StoredTest[],
  lost: StoredLost[],
  { period, zone, writtenAt }: Days,
): TestEntry[] {
  const { from, to } = period
  const pendingWords = ({ type: testType, at, result }: Pick<StoredTest, 'type' | 'at' | 'result'>) =>
    pendingText({ testType, testDate: at.toISOString(), result }, +writtenAt, zone) ??
    (result === 'AwaitingAnalysis' ? 'No result received' : '')
  const within = ({ day }: { day: string }) => day >= from && day <= to
  return [
    ...held.filter(within).map(({ type, at, result, minutes, reason, changes }): TestEntry => ({
      ...{ light, type, at, outcome: outcomeOf(result), minutes },
      failedAt: result === 'Failed' ? instant(failedAt({ type, at: +at, minutes })) : undefined,
      // All decisions are shown beside the result, with the former result.
      reason:
        [
          reason === '-' ? pendingWords({ type, at, result }) : reason,
          ...(changes ?? []).map((change) => resultChangeText(change, zone)),
        ]
          .filter(Boolean)
          .join(' ') || null,
      isDecided: changes !== null,
    })),
    ...lost.filter(within).map(({ type, at, state, reason }): TestEntry => ({
      ...{ light, type, at, outcome: state, minutes: null, reason },
      failedAt: undefined,
      isDecided: false,
    })),
  ].toSorted((a, b) => +a.at - +b.at)
}

const instant = (at: number | null) => (at === null ? null : new Date(at))

function removedEntry({ serial, name, day, to, isMoved, by }: store.Removed): RemovedEntry {
  const what = isMoved ? (to ? `Moved to ${to}` : 'Moved out of the building') : 'Taken down'
  return { light: { serial, name }, day, what, by }
}

/** A fault with its repair, if no test has proven that yet. */
type ShownFault = store.StoredFault & { unproven?: store.StoredFault }

const isRepair = ({ kind }: store.StoredFault) => kind === 'equipmentRepaired' || kind === 'deviceRepaired'

/** The faults of a light with their repairs: one that is repaired but not proven is not shown as ended. */
function repairsShown(faults: readonly store.StoredFault[]): ShownFault[] {
  const repairs = faults.filter((fault) => isRepair(fault) && fault.ended_at === null)
  const shown = faults.map((fault): ShownFault => {
    if (fault.ending !== 'repair recorded') return fault
    const unproven = repairs.find(({ began_at }) => +began_at === +fault.ended_at!)
    return unproven ? { ...fault, unproven } : fault
  })
  const unprovenKinds = new Set(shown.flatMap(({ unproven }) => unproven ?? []))
  return shown.filter((fault) => !unprovenKinds.has(fault))
}

function faultEntry(light: LightName, fault: ShownFault, now: Date, zone: string): FaultEntry {
  if (fault.unproven) {
    const { evidence } = fault.unproven
    const by = evidence.repairedBy ?? evidence.by?.name
    const day = evidence.repairedOn ?? dayAt(+fault.ended_at!, zone)
    const repaired = [`Repaired on ${dayText(day)}`, by && ` by ${by}`, ', not yet proven'].filter(Boolean).join('')
    const { unproven: _, ...open } = { ...fault, ended_at: null, ending: null, end_evidence: null }
    return { ...faultEntry(light, open, now, zone), howEnded: repaired }
  }
  const { kind, key, states, evidence, began_at: since, ended_at: endedAt, ending, end_evidence: proof } = fault
  const measure = fault.interim_measure
  const condition = { kind, key, ...(states && { states }), description: evidence.description ?? null }
  const by = proof?.repairedBy ?? proof?.by?.name
  return {
    light,
    what: conditionText(condition),
    since,
    endedAt,
    howEnded: ending && [endingWords[ending], by].filter(Boolean).join(', '),
    interim: measure
      ? `${measure.text} (${measure.by}, ${dayText(dayAt(Date.parse(measure.at), zone))})`
      : (evidence.note ?? null),
    days: daysBetween(dayAt(+since, zone), dayAt(+(endedAt ?? now), zone)),
  }
}

function workEntries(light: LightName, id: string, works: Awaited<ReturnType<typeof store.worksOf>>): WorkEntry[] {
  const repairs = (works.repairs.get(id) ?? []).map(
    ({ day, part, parts, replaced, description, by, at, enteredBy }): WorkEntry => {
      const done = replacedText(replaced ?? []) || partsText(parts as LightParts)
      const what = done || (part === 'device' ? 'Device' : 'Equipment')
      const entered = `Entered by ${enteredBy}, ${clockText(+at, works.zone).slice(0, -3)}.`
      return { light, day, what: `${['Repair', what, description].filter(Boolean).join(': ')}. ${entered}`, by }
    },
  )
  const alterations = (works.changes.get(id) ?? []).flatMap(({ day, before, after, by }): WorkEntry[] => {
    const what = alterationText(before, after)
    return what ? [{ light, day, by, what }] : []
  })
  return [...repairs, ...alterations].toSorted((a, b) => (a.day < b.day ? -1 : 1))
}
