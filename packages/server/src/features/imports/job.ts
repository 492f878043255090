import { setTimeout as sleep } from 'node:timers/promises'
import { dayOrderOf, leftColumns, makesHomes, wordsOf } from '@caretaker/rules/imports/columns.ts'
import { dayOrderWord } from '@caretaker/rules/imports/days.ts'
import { farPlaceAnswers, farPlaceWord } from '@caretaker/rules/postcodes/far-places.ts'
import type { FieldId } from '@caretaker/rules/imports/fields.ts'
import type { FoundWord, ImportFound, ImportState } from '@caretaker/rules/imports/life.ts'
import {
  answersWith,
  asksForColumns,
  headShown,
  importKeptDays,
  mostNotes,
  mostQuestions,
  shownHead,
} from '@caretaker/rules/imports/life.ts'
import type { Note, Question } from '@caretaker/rules/imports/plan.ts'
import { planner } from '@caretaker/rules/imports/plan.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { Refusal } from '@caretaker/contract/refusal.ts'
import { unreadable } from '@caretaker/rules/imports/cells.ts'
import type { Recorded } from '../../audit/audit.ts'
import { audit } from '../../audit/audit.ts'
import { setImportedDefaultFloors } from '../../buildings/import.ts'
import { changed } from '../../changes/changed.ts'
import type { Context } from '../../context.ts'
import { actorOf } from '../../http/access.ts'
import { updateDue, tenantsDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { inTenant } from '../../postgres/tenant.ts'
import type { OpenFile } from '../../spreadsheets/open-file.ts'
import { openFile } from '../../spreadsheets/reading.ts'
import { UnreadableFile } from '../../spreadsheets/unreadable.ts'
import { addressesOf, lookUpIn, planBase, referencesOf, serialsHeldElsewhere } from './known.ts'
import { keptReadings } from './kept.ts'
import { rowsToKeep } from './marked.ts'
import type { SurveyedSheet } from './reading.ts'
import { namedSerials, planFile, surveyFile } from './reading.ts'
import type { StoredImport } from './store.ts'
import {
  addCells,
  addItems,
  clearPlan,
  contentOf,
  holdImport,
  importKeptUntil,
  importSizes,
  openImport,
  storeResults,
  takeItems,
} from './store.ts'
import { bringIn, takeBack } from './write.ts'

export { importWaiting } from './store.ts'

/** Items written in one transaction: a stop loses no more than these. */
const atOnce = 500

type Worker = Pick<Context, 'db' | 'log'>

/** Milliseconds after which smaller lists are looked for while a larger one is processed. */
const pause = 300

/**
 * Plans, imports and undoes lists until nothing is pending or it is stopped; interrupted work resumes where it was.
 * Tenants take turns, and smaller lists, including new ones, are processed while a large one is. Returns the number
 * of steps.
 */
export async function runImports({ db, log }: Worker, stopping?: AbortSignal, now = () => new Date()): Promise<number> {
  const turns = new Map<string, number>()
  const due = () => tenantsDue(db, 'run imports', now())
  const steps = await workOff(importSizes.at(-1)!)
  if (stopping?.aborted) return steps
  for (const tenant of await due()) {
    await inTenant(db, tenant, (tx) => forget(tx, now()))
    await updateDue(db, tenant, 'run imports', importKeptUntil)
  }
  return steps

  async function workOff(size: number): Promise<number> {
    let done = 0
    const smaller = async () => (size > 0 ? workOff(size - 1) : 0)
    for (;;) {
      done += await smaller()
      if (stopping?.aborted) return done
      const next = await nextOf(size)
      if (!next) return done
      const stepping = step({ db, log }, next.tenant, next.run, now())
      if (size > 0)
        while (await isPending(stepping)) {
          if (stopping?.aborted) break
          done += await smaller()
        }
      await stepping
      done++
    }
  }

  /** The oldest list of a size, from the tenant with the fewest turns so far. */
  async function nextOf(size: number): Promise<{ tenant: string; run: StoredImport } | undefined> {
    const turnsOf = (tenant: string) => turns.get(tenant) ?? 0
    for (const tenant of (await due()).toSorted((a, b) => turnsOf(a) - turnsOf(b))) {
      const run = await inTenant(db, tenant, (tx) => openImport(tx, size))
      if (!run) continue
      turns.set(tenant, turnsOf(tenant) + 1)
      return { tenant, run }
    }
    return undefined
  }
}

/** Whether a step is still running after a pause. */
async function isPending(stepping: Promise<void>): Promise<boolean> {
  const waiting = new AbortController()
  const waited = sleep(pause, true, { signal: waiting.signal }).catch(() => false)
  try {
    return await Promise.race([stepping.then(() => false), waited])
  } finally {
    waiting.abort()
  }
}

/**
 * Processes one step. If a batch fails, its items are written one by one, so that one bad item does not block the
 * others.
 */
async function step({ db, log }: Worker, tenant: string, run: StoredImport, now: Date): Promise<void> {
  try {
    if (run.state === 'planning') await planRun(db, tenant, run, now)
    else await advance(db, tenant, run, { now, most: atOnce })
  } catch (error) {
    log.error({ err: error, import: run.id }, 'a part of an import failed')
    if (run.state === 'planning')
      return inTenant(db, tenant, (tx) => storeState(tx, run.id, 'unreadable', { fault: 'Something went wrong!' }))
    for (let n = 0; n < atOnce; n++)
      try {
        await advance(db, tenant, run, { now, most: 1 })
      } catch (failure) {
        log.error({ err: failure, import: run.id }, 'an item of an import failed')
        await inTenant(db, tenant, async (tx) => {
          const [item] = await nextItems(tx, run, 1)
          const state = run.state === 'undoing' ? 'kept' : 'refused'
          if (item) await storeResults(tx, run.id, [{ number: item.number, state, reason: 'Something went wrong!' }])
        })
      }
  }
}

const nextItems = (tx: TenantTx, { id, state }: StoredImport, most: number) =>
  takeItems(tx, id, state === 'undoing' ? 'done' : 'planned', most, state === 'undoing' ? 'desc' : 'asc')

async function forget(tx: TenantTx, now: Date): Promise<void> {
  const oldest = new Date(+now - importKeptDays * 86_400_000)
  await tx.deleteFrom('data_import').where('tenant_id', '=', tx.tenant).where('created_at', '<=', oldest).execute()
}

async function advance(
  db: Context['db'],
  tenant: string,
  { id, state }: StoredImport,
  { now, most }: { now: Date; most: number },
): Promise<void> {
  await inTenant(db, tenant, async (tx) => {
    const run = await holdImport(tx, id, state)
    if (!run) return
    const person = { id: run.person_id, name: run.person_name }
    if (!(await mayContinue(tx, person)))
      return storeState(tx, run.id, 'done', {
        fault: 'Stopped: the user who started this may no longer import',
        finished: now,
      })
    const items = await nextItems(tx, run, most)
    const [first] = items
    if (!first) return finish(tx, run, now)
    const other = items.findIndex(({ kind }) => kind !== first.kind)
    const some = other < 0 ? items : items.slice(0, other)
    const written = await (state === 'undoing' ? takeBack : bringIn)(
      { tx, person, now, list: run.name, importId: run.id },
      first.kind,
      some,
    )
    await storeResults(tx, run.id, written)
    await changed(tx, 'import', [run.id])
  })
}

/** True for operators, and for users who may still import. */
async function mayContinue(tx: TenantTx, { id }: Recorded): Promise<boolean> {
  if (id === null) return true
  const actor = await actorOf(tx, { id }).catch((error: unknown) => {
    if (error instanceof Refusal) return undefined
    throw error
  })
  return actor !== undefined && can(actor, 'import homes')
}

async function finish(tx: TenantTx, run: StoredImport, now: Date): Promise<void> {
  const undone = run.state === 'undoing'
  if (!undone) await setImportedDefaultFloors(tx, run.id)
  const content = undone ? null : await rowsToKeep(tx, run.id)
  await storeState(tx, run.id, undone ? 'undone' : 'done', { finished: now, content })
  const { done, refused, undone: back, kept } = run
  const after = undone ? { undone: back, kept } : { done, refused }
  const person = { id: run.person_id, name: run.person_name }
  await audit(tx, {
    person,
    action: undone ? 'import undone' : 'list imported',
    subject: { type: 'import', id: run.id, name: run.name },
    after,
  })
}

async function storeState(
  tx: TenantTx,
  id: string,
  state: ImportState,
  { fault, finished, content = null }: { fault?: string; finished?: Date; content?: Buffer | null } = {},
): Promise<void> {
  await tx
    .updateTable('data_import')
    .set({
      state,
      fault: fault ?? null,
      ...(finished && { finished_at: finished }),
      ...((finished || fault) && { content }),
    })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  await changed(tx, 'import', [id])
}

/** A list whose sheets have been surveyed. */
interface Surveyed {
  file: OpenFile
  sheets: SurveyedSheet[]
  /** Serial numbers in the file that belong to other clients. */
  barred: ReadonlySet<string>
}

/** Reads a list before it is planned; returns the reason if it cannot be read. */
async function survey(db: Context['db'], tenant: string, run: StoredImport, now: Date): Promise<Surveyed | string> {
  const { content, buildings, keptFor } = await inTenant(db, tenant, async (tx) => ({
    content: await contentOf(tx, run.id),
    buildings: (await planBase(tx, now)).buildings,
    keptFor: await keptReadings(tx),
  }))
  if (!content) return unreadable.empty
  try {
    const file = await openFile(content, run.wishes.encoding ?? null)
    const sheets = await surveyFile(file, (key) => buildings.has(key), run.wishes.sheets, keptFor)
    const barred = new Set<string>()
    for await (const serials of namedSerials(file, sheets))
      for (const one of await inTenant(db, tenant, (tx) => serialsHeldElsewhere(tx, serials))) barred.add(one)
    return { file, sheets, barred }
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message
    throw error
  }
}

/** Plans a list in one transaction, which locks only the rows that it writes. */
async function planRun(db: Context['db'], tenant: string, run: StoredImport, now: Date): Promise<void> {
  const surveyed = await survey(db, tenant, run, now)
  await inTenant(db, tenant, async (tx) => {
    // Another worker may have planned it meanwhile.
    const held = await holdImport(tx, run.id, 'planning')
    if (held?.revision !== run.revision) return
    await clearPlan(tx, run.id)
    if (typeof surveyed === 'string') return storeState(tx, run.id, 'unreadable', { fault: surveyed })
    try {
      const found = await planInto(tx, run, { ...surveyed, now })
      const isPlanned = found.totals.rows > 0 || asksForColumns(found)
      const { numUpdatedRows } = await tx
        .updateTable('data_import')
        .set({
          state: isPlanned ? 'planned' : 'unreadable',
          fault: isPlanned ? null : unreadable[hasRowsAboveHeader(found) ? 'below' : 'empty'],
          found: JSON.stringify(found),
          total: sumOf(found),
        })
        .where('tenant_id', '=', tx.tenant)
        .where('id', '=', run.id)
        // The mapping may have been changed meanwhile.
        .where('revision', '=', run.revision)
        .executeTakeFirstOrThrow()
      if (!numUpdatedRows) return
      await changed(tx, 'import', [run.id])
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      await clearPlan(tx, run.id)
      await storeState(tx, run.id, 'unreadable', { fault: error.message })
    }
  })
}

/** Whether there are rows above the header, which may have been detected too low. */
const hasRowsAboveHeader = ({ sheets }: ImportFound) =>
  sheets.some(({ mapping, head }) => mapping && head.some(({ row }) => row < mapping.headerRow))

const sumOf = ({ totals: { create, change } }: ImportFound) =>
  [create, change].flatMap((counts) => Object.values(counts)).reduce((sum, count) => sum + count, 0)

async function planInto(
  tx: TenantTx,
  run: StoredImport,
  { file, sheets, barred, now }: Surveyed & { now: Date },
): Promise<ImportFound> {
  const { wishes } = run
  const base = await planBase(tx, now)
  const kept = sheets.reduce((all, sheet) => answersWith(all, sheet.answers), {})
  const answers = answersWith(kept, wishes.answers)
  const plan = planner({
    ...base,
    answers,
    takeOffers: wishes.takeOffers,
    // Lists uploaded by earlier versions do not have these wishes.
    asWritten: wishes.asWritten ?? false,
    storedAddressesAsNew: wishes.storedAddressesAsNew ?? false,
    references: wishes.references ?? {},
    leaveHidden: wishes.leaveHidden,
    wholeRows: wishes.wholeRows,
    // Lists uploaded before rows could be chosen do not have it.
    chosenRows: (wishes as Partial<typeof wishes>).chosenRows ?? {},
  })
  const makes = sheets.some(({ mapping }) => mapping && makesHomes(mapping.columns))
  const addresses = makes ? await addressesOf(tx) : new Map<string, string[]>()
  const lookUp = lookUpIn(tx, { references: await referencesOf(tx), addresses, barred })
  const notes: Note[] = []
  let moreNotes = 0
  const questions: Question[] = []
  let moreQuestions = 0
  let [items, cells] = [0, 0]
  for await (const part of planFile(file, sheets, plan, lookUp)) {
    const written = part.items.filter(({ action }) => action !== 'unchanged')
    await addItems(tx, run.id, written, items)
    await addCells(tx, run.id, part.wrong, cells)
    items += written.length
    cells += part.wrong.length
    const room = Math.max(0, mostNotes - notes.length)
    notes.push(...part.notes.slice(0, room))
    moreNotes += Math.max(0, part.notes.length - room)
    const free = Math.max(0, mostQuestions - questions.length)
    questions.push(...part.questions.slice(0, free))
    moreQuestions += Math.max(0, part.questions.length - free)
  }
  return {
    format: file.format,
    sheets: sheets.map(({ info, mapping, draft, kept: isKept, survey, head }, at) => ({
      name: info.name,
      hidden: info.hidden,
      hiddenColumns: [...info.hiddenColumns],
      mapping,
      draft,
      isKept: isKept !== undefined,
      left: mapping ? leftColumns(mapping) : [],
      rows: survey.rows,
      hiddenRows: survey.hiddenRows,
      head: at < shownHead.sheets ? headShown(head, mapping?.headerRow) : [],
    })),
    words: [...wordsIn(sheets, answers), ...farPlacesIn(plan.countFarPlaces(), answers)],
    totals: plan.totals,
    notes,
    moreNotes,
    questions,
    moreQuestions,
    repeats: plan.repeats(),
  }
}

/** The question about places that are far from their postcode. */
function farPlacesIn(count: number, { latitude }: StoredImport['wishes']['answers']): FoundWord[] {
  const answer = farPlaceAnswers.find((one) => one === latitude?.[farPlaceWord]) ?? null
  return count > 0 ? [{ field: 'latitude', word: farPlaceWord, meaning: answer, count }] : []
}

/** The unknown values of all sheets together, so that each is asked about once. */
function wordsIn(sheets: readonly SurveyedSheet[], answers: StoredImport['wishes']['answers']): FoundWord[] {
  const found = new Map<string, FoundWord>()
  for (const { survey } of sheets)
    for (const id of Object.keys(survey.days) as FieldId[]) {
      const { order, asks } = dayOrderOf(id, survey, answers[id])
      const known = found.get(id)?.count ?? 0
      if (asks) found.set(id, { field: id, word: dayOrderWord, meaning: order, count: known + asks })
    }
  for (const { survey } of sheets)
    for (const [id, counts] of Object.entries(survey.words) as [FieldId, Record<string, number>][])
      for (const [word, meaning] of Object.entries(wordsOf(id, counts, answers[id]).words)) {
        const known = found.get(`${id} ${word}`)
        found.set(`${id} ${word}`, { field: id, word, meaning, count: (known?.count ?? 0) + (counts[word] ?? 0) })
      }
  return [...found.values()]
}
