import { readFile } from 'node:fs/promises'
import path from 'node:path'
import pino from 'pino'
import type { Import } from '@caretaker/contract/imports.ts'
import { importLimits, unreadable } from '@caretaker/rules/imports/cells.ts'
import { countedKinds, fieldOf } from '@caretaker/rules/imports/fields.ts'
import { operator as person } from '../audit/audit.ts'
import { runImports } from '../features/imports/job.ts'
import { addImport, begin, importInFull } from '../features/imports/store.ts'
import { inTenant } from '../postgres/tenant.ts'
import type { Operator } from './operator.ts'
import { expectTenant, OperatorError } from './operator.ts'

/** Reads a list and tells what it would do; brings it in when that is wanted, and tells what came of it. */
export async function* importFile(
  operator: Operator,
  { tenant, file, yes }: { tenant: string; file: string; yes?: true },
): AsyncGenerator<Import> {
  await expectTenant(operator, tenant)
  const content = await readFile(file).catch(() => {
    throw new OperatorError(`${file} cannot be read.`)
  })
  if (content.length > importLimits.bytes) throw new OperatorError(`${unreadable.size}.`)
  const { db } = operator
  const list = { name: path.basename(file), content }
  const id = await inTenant(db, tenant, (tx) => addImport(tx, person, list, new Date()))
  // A server that is running does the same work: whoever comes first.
  const worked = async () => {
    await runImports({ db, log: pino({ level: 'silent' }) })
    return inTenant(db, tenant, (tx) => importInFull(tx, id))
  }
  const planned = await worked()
  if (planned.state !== 'planned') throw new OperatorError(`${planned.fault ?? 'The list cannot be read'}.`)
  yield planned
  if (!yes) return
  const { revision } = planned
  await inTenant(db, tenant, (tx) => begin(tx, id, person, { from: 'planned', to: 'importing', revision }))
  yield await worked()
}

/** An import in words: how it is read, what it does, and every cell that is not taken. */
export function importLines({ state, found, cells, left, done, refused, fault }: Import): string[] {
  if (state !== 'planned')
    return [
      `Done: ${done} made or changed, ${refused} not.`,
      ...left.map(({ name, reason }) => `  ${name}: ${reason ?? ''}`),
      ...(fault ? [fault] : []),
    ]
  const { sheets, totals, words: asked } = found!
  return [
    ...sheets.flatMap(({ name, mapping, left: columns, rows }) =>
      mapping
        ? [
            `${name || 'The list'}: headings in row ${mapping.headerRow}, ${rows} rows`,
            ...mapping.headers.flatMap((header, at) => {
              const id = mapping.columns[at]
              return id ? [`  ${header} is ${fieldOf(id).label}`] : []
            }),
            ...(columns.length ? [`  left: ${columns.join(', ')}`] : []),
          ]
        : [`${name}: left`],
    ),
    ...asked
      .filter(({ meaning }) => meaning === null)
      .map(
        ({ field, word, count }) =>
          `${fieldOf(field).label}: '${word}' means nothing here, in ${count} rows; the field is not set`,
      ),
    ...(['create', 'change', 'unchanged'] as const).map(
      (action) =>
        `${{ create: 'To make', change: 'To change', unchanged: 'As it is' }[action]}: ${countedKinds(totals[action]) ?? 'nothing'}`,
    ),
    ...(totals.becomeVoid ? [`${totals.becomeVoid} homes become void`] : []),
    `Rows that repeat an earlier one: ${totals.left}. Rows refused: ${totals.refusedRows}. Cells refused: ${totals.refusedCells}${totals.refusedCells > cells.length ? `, the first ${cells.length}:` : ''}`,
    ...cells.map(
      ({ sheet, row, column, value, message, effect }) =>
        `  ${sheet ? `${sheet}, ` : ''}row ${row}, ${column} '${value}': ${message}${effect === 'row' ? ' (the row is left)' : ''}`,
    ),
  ]
}
