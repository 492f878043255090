import { countedKinds, fieldOf } from '@caretaker/rules/imports/fields.ts'
import { importKeptDays } from '@caretaker/rules/imports/life.ts'
import type { Import } from './imports.ts'

/** Why a list without a column that identifies the rows is not imported. */
export function columnsAsked({ sheets }: NonNullable<Import['found']>): string {
  const [asked] = sheets.flatMap(({ draft }) => draft ?? [])
  const headings = asked ? ` The header seems to be in row ${asked.headerRow}: ${asked.headers.join(', ')}.` : ''
  return `No column identifies the rows.${headings}`
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

/** An import in words: how it is read, what it does, and every rejected cell. */
export function importLines(list: Import): string[] {
  const { importId, state, found, cells, left, done, refused, undone, kept, fault } = list
  if (state !== 'planned')
    return [
      state === 'undone'
        ? `Undone: ${undone} reverted, ${kept} kept.`
        : `Done: ${done} created or updated, ${refused} rejected.`,
      ...left.map(({ name, reason }) => `  ${name}: ${reason ?? ''}`),
      ...(fault ? [fault] : []),
      ...(state === 'done' ? [`To undo it within ${importKeptDays} days: import undo ${importId}`] : []),
    ]
  const { sheets, totals, words: asked } = found!
  return [
    ...sheets.flatMap(({ name, mapping, left: columns, rows }) =>
      mapping
        ? [
            `${name || 'The list'}: header in row ${mapping.headerRow}, ${counted(rows, 'row')}`,
            ...mapping.headers.flatMap((header, at) => {
              const id = mapping.columns[at]
              return id ? [`  ${header} is ${fieldOf(id).label}`] : []
            }),
            ...(columns.length ? [`  ignored: ${columns.join(', ')}`] : []),
          ]
        : [`${name}: ignored`],
    ),
    ...asked
      .filter(({ meaning }) => meaning === null)
      .map(
        ({ field, word, count }) =>
          `${fieldOf(field).label}: '${word}' is not a known value (${counted(count, 'row')}); the field is not set`,
      ),
    ...(['create', 'change', 'unchanged'] as const).map(
      (action) =>
        `${{ create: 'To create', change: 'To update', unchanged: 'Unchanged' }[action]}: ${countedKinds(totals[action]) ?? 'nothing'}`,
    ),
    ...(totals.becomeVoid ? [`Properties that become void: ${totals.becomeVoid}`] : []),
    `Duplicate rows: ${totals.left}. Rejected rows: ${totals.refusedRows}. Rejected cells: ${totals.refusedCells}${totals.refusedCells > cells.length ? `, the first ${cells.length}:` : ''}`,
    ...cells.map(
      ({ sheet, row, column, value, message, effect }) =>
        `  ${sheet ? `${sheet}, ` : ''}row ${row}, ${column} '${value}': ${message}${effect === 'row' ? ' (the row is not imported)' : ''}`,
    ),
  ]
}
