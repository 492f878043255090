import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Import, ImportCell, ImportFault, ImportItem, ImportRow } from '@caretaker/contract/imports.ts'
import { refuse } from '@caretaker/contract/refusal.ts'
import type { Kind } from '@caretaker/rules/imports/fields.ts'
import type { ImportItemState, ImportState, ImportWishes } from '@caretaker/rules/imports/life.ts'
import { importKeptDays, noWishes, workingStates } from '@caretaker/rules/imports/life.ts'
import type { Item, WrongCell } from '@caretaker/rules/imports/plan.ts'
import { changed } from '../../changes/changed.ts'
import { makeDue } from '../../postgres/due.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { countDeviceKeys } from './device-keys.ts'
import { keepReadings } from './kept.ts'
import type { Row } from '../../spreadsheets/table.ts'
import type { StoredItem, Written } from './write.ts'

/** The notification channel that wakes the worker. */
export const importWaiting = 'import_waiting'

const importColumns = [
  ...([
    'id',
    'name',
    'state',
    'wishes',
    'revision',
    'found',
    'fault',
    'total',
    'done',
    'refused',
    'undone',
    'kept',
  ] as const),
  ...(['created_at', 'finished_at', 'person_id', 'person_name'] as const),
] as const

export type StoredImport = NonNullable<Awaited<ReturnType<typeof openImport>>>

/** Imports by the duration of one step, shortest first: bytes of a file to plan, items to write or undo. */
const sizes = [
  { bytes: 64 * 1024, things: 1000 },
  { bytes: 1024 * 1024, things: 10_000 },
  { bytes: Infinity, things: Infinity },
] as const
export const importSizes = sizes.map((_, at) => at)

/**
 * The oldest import with pending work, of any size or of one. No import passes an older one that is being written or
 * undone, because its rows may refer to records that the older one has yet to write.
 */
export function openImport(tx: TenantTx, size?: number) {
  const extent = sql<number>`
    case state when 'planning' then coalesce(octet_length(content), 0) when 'undoing' then done else total end`
  const mostOf = (at: number) => sql<number>`
    case state when 'planning' then ${sizes[at]!.bytes}::float8 else ${sizes[at]!.things}::float8 end`
  return tx
    .selectFrom('data_import')
    .select(importColumns)
    .where('tenant_id', '=', tx.tenant)
    .where('state', 'in', workingStates)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('data_import as older')
            .select(sql`1`.as('one'))
            .where('older.tenant_id', '=', tx.tenant)
            .where('older.state', 'in', ['importing', 'undoing'])
            .whereRef('older.created_at', '<', 'data_import.created_at'),
        ),
      ),
    )
    .$if(size !== undefined, (query) => query.where(sql<boolean>`${extent} <= ${mostOf(size!)}`))
    .$if(size !== undefined && size > 0, (query) => query.where(sql<boolean>`${extent} > ${mostOf(size! - 1)}`))
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
}

/** Locks an import if it is still in the state: several workers may be running. */
export function holdImport(tx: TenantTx, id: string, state: ImportState) {
  return tx
    .selectFrom('data_import')
    .select(importColumns)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('state', '=', state)
    .forUpdate()
    .executeTakeFirst()
}

export async function findImport(tx: TenantTx, id: string, held = false) {
  const found = await tx
    .selectFrom('data_import')
    .select(importColumns)
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .$if(held, (query) => query.forUpdate())
    .executeTakeFirst()
  if (!found) throw refuse('not found')
  return found
}

export async function contentOf(tx: TenantTx, id: string): Promise<Buffer | null> {
  const row = await tx
    .selectFrom('data_import')
    .select('content')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.content ?? null
}

async function hasContent(tx: TenantTx, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('data_import')
    .select(sql<boolean>`content is not null`.as('has'))
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.has ?? false
}

/** When the worker is next due: at once, or when the oldest import expires. */
export async function importKeptUntil(tx: TenantTx): Promise<Date | null> {
  if (await openImport(tx)) return new Date(0)
  const oldest = await tx
    .selectFrom('data_import')
    .select('created_at')
    .where('tenant_id', '=', tx.tenant)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return oldest ? new Date(+oldest.created_at + importKeptDays * 86_400_000) : null
}

async function wake(tx: TenantTx, id: string): Promise<void> {
  await makeDue(tx, 'run imports')
  await sql`select pg_notify(${importWaiting}, ${tx.tenant})`.execute(tx)
  await changed(tx, 'import', [id])
}

/** The person who imports; an operator has no id. */
interface Person {
  id: string | null
  name: string
}

export async function addImport(
  tx: TenantTx,
  person: Person,
  { name, content, wishes = noWishes }: { name: string; content: Buffer; wishes?: ImportWishes },
  now: Date,
): Promise<string> {
  const id = randomUUID()
  await tx
    .insertInto('data_import')
    .values({
      ...{ tenant_id: tx.tenant, id, name, state: 'planning', content, wishes: JSON.stringify(wishes), found: null },
      ...{ created_at: now, person_id: person.id, person_name: person.name },
    })
    .execute()
  await wake(tx, id)
  return id
}

/** Plans the file again with other wishes; refuses an import that is already done. */
export async function replan(tx: TenantTx, id: string, wishes: ImportWishes): Promise<void> {
  const held = await findImport(tx, id, true)
  if (!['planned', 'planning', 'unreadable'].includes(held.state) || !(await contentOf(tx, id)))
    throw refuse('refused', 'This list is already imported. Upload it again to import more of it.')
  await tx
    .updateTable('data_import')
    .set({ state: 'planning', wishes: JSON.stringify(wishes), revision: held.revision + 1, fault: null })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  await wake(tx, id)
}

/** Starts an import or its undo; refuses an import in another state. */
export async function begin(
  tx: TenantTx,
  id: string,
  person: Person,
  { from, to, revision }: { from: ImportState; to: ImportState; revision?: number },
): Promise<void> {
  const held = await findImport(tx, id, true)
  if (held.state !== from)
    throw refuse(
      'refused',
      from === 'planned'
        ? 'There is nothing to import: the list is being read, or is already imported.'
        : 'Only a finished import can be undone.',
    )
  if (revision !== undefined && revision !== held.revision)
    throw refuse('conflict', 'The mapping was changed by someone else. Review the preview.')
  if (to === 'importing' && held.found) await keepReadings(tx, { found: held.found, wishes: held.wishes }, new Date())
  await tx
    .updateTable('data_import')
    .set({ state: to, person_id: person.id, person_name: person.name })
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
  await wake(tx, id)
}

/** Deletes a list from which nothing was imported. */
export async function discardPlan(tx: TenantTx, id: string): Promise<void> {
  await tx
    .deleteFrom('data_import')
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .where('state', 'in', ['planning', 'planned', 'unreadable'])
    .execute()
  await changed(tx, 'import', [id])
}

export async function clearPlan(tx: TenantTx, id: string): Promise<void> {
  await tx.deleteFrom('data_import_item').where('tenant_id', '=', tx.tenant).where('import_id', '=', id).execute()
  await tx.deleteFrom('data_import_cell').where('tenant_id', '=', tx.tenant).where('import_id', '=', id).execute()
}

export async function addItems(tx: TenantTx, id: string, items: readonly Item[], from: number): Promise<void> {
  if (items.length === 0) return
  await tx
    .insertInto('data_import_item')
    .values(
      items.map((item, at) => ({
        ...{ tenant_id: tx.tenant, import_id: id, number: from + at, kind: item.kind, key: item.key, name: item.name },
        ...{ sheet: item.sheet, row_number: item.row, action: item.action as 'create', target_id: item.id },
        ...{
          values: JSON.stringify(item.values),
          old_values: JSON.stringify(item.old),
          state: 'planned' as const,
          reason: null,
          besides: null,
        },
      })),
    )
    .execute()
}

export async function addCells(tx: TenantTx, id: string, cells: readonly WrongCell[], from: number): Promise<void> {
  if (cells.length === 0) return
  await tx
    .insertInto('data_import_cell')
    .values(
      cells.map(({ sheet, row, column, header, value, reason, message, effect, offer }, at) => ({
        ...{ tenant_id: tx.tenant, import_id: id, number: from + at, sheet, row_number: row, column_letters: column },
        ...{ header, value, reason, message, effect, offer: offer ?? null },
      })),
    )
    .execute()
}

export async function takeItems(
  tx: TenantTx,
  id: string,
  state: ImportItemState,
  most: number,
  order: 'asc' | 'desc',
): Promise<StoredItem[]> {
  return tx
    .selectFrom('data_import_item')
    .select(['number', 'kind', 'key', 'name', 'action', 'target_id', 'values', 'old_values', 'besides'])
    .where('tenant_id', '=', tx.tenant)
    .where('import_id', '=', id)
    .where('state', '=', state)
    .orderBy('number', order)
    .limit(most)
    .execute()
}

/** Stores the results of items, and counts them. */
export async function storeResults(tx: TenantTx, id: string, written: readonly Written[]): Promise<void> {
  await sql`
    update data_import_item set state = new.state, reason = new.reason, target_id = coalesce(new.target_id, data_import_item.target_id),
      old_values = coalesce(new.old_values, data_import_item.old_values), besides = coalesce(new.besides, data_import_item.besides)
    from unnest(${written.map(({ number }) => number)}::int[], ${written.map(({ state }) => state)}::text[],
      ${written.map(({ reason }) => reason ?? null)}::text[], ${written.map(({ targetId }) => targetId ?? null)}::uuid[],
      ${written.map(({ old }) => (old ? JSON.stringify(old) : null))}::jsonb[],
      ${written.map(({ previous }) => (previous ? JSON.stringify(previous) : null))}::jsonb[])
      as new (number, state, reason, target_id, old_values, besides)
    where data_import_item.tenant_id = ${tx.tenant} and data_import_item.import_id = ${id} and data_import_item.number = new.number`.execute(
    tx,
  )
  const count = (state: ImportItemState) => written.filter((one) => one.state === state).length
  await tx
    .updateTable('data_import')
    .set((eb) => ({
      done: eb('done', '+', count('done')),
      refused: eb('refused', '+', count('refused')),
      undone: eb('undone', '+', count('undone')),
      kept: eb('kept', '+', count('kept')),
    }))
    .where('tenant_id', '=', tx.tenant)
    .where('id', '=', id)
    .execute()
}

/** The last imports, newest first. */
export async function listImports(tx: TenantTx): Promise<ImportRow[]> {
  const rows = await tx
    .selectFrom('data_import')
    .select(importColumns)
    .where('tenant_id', '=', tx.tenant)
    .orderBy('created_at', 'desc')
    .limit(50)
    .execute()
  return rows.map(asRow)
}

type FoundImport = Awaited<ReturnType<typeof findImport>>

const asRow = (row: FoundImport): ImportRow => ({
  importId: row.id,
  name: row.name,
  state: row.state,
  fault: row.fault,
  ...{ total: row.total, done: row.done, refused: row.refused, undone: row.undone, kept: row.kept },
  refusedRows: (row.found as Import['found'])?.totals.refusedRows ?? 0,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
  by: row.person_name,
})

/** Rows of a list in one answer. */
const mostListed = 200

/** One import in full, with the first rows of what is planned, rejected, or was kept. */
export async function importInFull(tx: TenantTx, id: string): Promise<Import> {
  const row = await findImport(tx, id)
  return {
    ...asRow(row),
    revision: row.revision,
    wishes: row.wishes as Import['wishes'],
    found: row.found as Import['found'],
    cells: await cellsOf(tx, id, { from: 0 }),
    faults: await faultsIn(tx, id),
    items: await itemsOf(tx, id, { from: 0 }),
    left: await itemsOf(tx, id, { from: 0, states: ['refused', 'kept'] }),
    hasRejectedRows: await hasContent(tx, id),
    deviceKeys: await countDeviceKeys(tx, id),
  }
}

/** With its position among all, from which the next page starts. */
type Numbered<T> = T & { number: number }

export async function cellsOf(tx: TenantTx, id: string, { from }: { from: number }): Promise<Numbered<ImportCell>[]> {
  const rows = await tx
    .selectFrom('data_import_cell')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('import_id', '=', id)
    .where('number', '>=', from)
    .orderBy('number')
    .limit(mostListed)
    .execute()
  return rows.map(
    ({ number, sheet, row_number: row, column_letters: column, header, value, reason, message, effect, offer }) => ({
      ...{ number, sheet, row, column, header, value, reason, message, effect, offer },
    }),
  )
}

/** The rejected cells, grouped by column and reason, so that many with one reason do not hide the others. */
async function faultsIn(tx: TenantTx, id: string): Promise<ImportFault[]> {
  const { rows } = await sql<ImportFault>`
    select sheet, column_letters as column, header, reason, message, effect, offer, count(*)::int as rows,
      (array_agg(row_number order by number))[1:5] as "firstRows",
      count(distinct value)::int as texts, (array_agg(distinct value))[1:3] as "someTexts"
    from data_import_cell where tenant_id = ${tx.tenant} and import_id = ${id}
    group by sheet, column_letters, header, reason, message, effect, offer
    order by min(number) limit ${mostListed}`.execute(tx)
  return rows
}

const effects = { row: 'The row is skipped', cell: 'The cell is ignored' }
const notWritten: Partial<Record<ImportItemState, string>> = { refused: 'Not written', kept: 'Not undone' }

/** Everything that was rejected, as rows of a file: first cells, then items that could not be written or undone. */
export async function* faultsOf(tx: TenantTx, id: string): AsyncGenerator<Row[]> {
  yield [['Sheet', 'Row', 'Column', 'Heading', 'Value', 'What happens', 'Why', 'Offered instead']]
  for (let from = 0; ;) {
    const cells = await cellsOf(tx, id, { from })
    if (cells.length === 0) break
    yield cells.map((cell) => [
      ...[cell.sheet, cell.row, cell.column, cell.header, cell.value],
      ...[effects[cell.effect], cell.message, cell.offer],
    ])
    from = cells.at(-1)!.number + 1
  }
  for (let from = 0; ;) {
    const items = await itemsOf(tx, id, { from, states: ['refused', 'kept'] })
    if (items.length === 0) break
    yield items.map((item) => [item.sheet, item.row, '', '', item.name, notWritten[item.state]!, item.reason, null])
    from = items.at(-1)!.number + 1
  }
}

export async function itemsOf(
  tx: TenantTx,
  id: string,
  { from, states }: { from: number; states?: ImportItemState[] },
): Promise<Numbered<ImportItem>[]> {
  const rows = await tx
    .selectFrom('data_import_item')
    .selectAll()
    .where('tenant_id', '=', tx.tenant)
    .where('import_id', '=', id)
    .where('number', '>=', from)
    .$if(states !== undefined, (query) => query.where('state', 'in', states!))
    .orderBy('number')
    .limit(mostListed)
    .execute()
  return rows.map((row) => ({
    ...{
      number: row.number,
      kind: row.kind as Kind,
      name: row.name,
      sheet: row.sheet,
      row: row.row_number,
      action: row.action,
    },
    ...{ values: row.values, old: row.old_values, state: row.state, reason: row.reason },
  }))
}
