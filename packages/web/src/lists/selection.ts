import { useMemo } from 'react'
import { useKept } from './kept.ts'
import type { Chosen, Question } from './list-source.ts'

/** The selection in a list: by row or by query, so that it survives paging, sorting and refreshes. */
export interface ListSelection<Row> {
  isEmpty: boolean
  /** The number of selected rows; for a query, the current number of matches. */
  countOf(total: number): number
  /** The selection with current row data; undefined if empty. */
  chosenOf(rows: readonly Row[]): Chosen<Row> | undefined
  has(id: string): boolean
  add(rows: readonly Row[]): void
  remove(rows: readonly Row[]): void
  /** Keeps the rows that fit. A query becomes the narrower one, which finds only these. */
  narrow(fits: (row: Row) => boolean, question: Question): void
  /** Selects all rows that match the list's query, on any page, including later ones. */
  addAll(): void
  clear(): void
}

/** Rows by their ids. */
type RowsById<Row> = ReadonlyMap<string, Row>
/** The selected rows, or a query with its exclusions. */
export type Kept<Row> = { rows: RowsById<Row> } | { question: Question; except: RowsById<Row> }

interface Selectable<Row> {
  rowId(row: Row): string
  /** The current query of the list. */
  question: Question
}

/** The selection of a list. A query selection applies while the list shows that query. */
export function useSelection<Row>(key: string, { rowId, question }: Selectable<Row>): ListSelection<Row> {
  const [stored, setStored] = useKept<Kept<Row>>(`${key} selected`, nothing())
  const asked = JSON.stringify(question)
  return useMemo(
    () => selectionOf(stored, setStored, { rowId, question: JSON.parse(asked) as Question }),
    [stored, setStored, asked, rowId],
  )
}

const nothing = <Row>(): Kept<Row> => ({ rows: new Map() })

/** The selection and its operations. */
export function selectionOf<Row>(
  stored: Kept<Row>,
  set: (next: Kept<Row>) => void,
  { rowId, question }: Selectable<Row>,
): ListSelection<Row> {
  const common = { addAll: () => set({ question, except: new Map() }), clear: () => set(nothing()) }
  if ('question' in stored && JSON.stringify(stored.question) === JSON.stringify(question)) {
    const { except } = stored
    return {
      ...common,
      isEmpty: false,
      countOf: (total) => Math.max(0, total - except.size),
      chosenOf: () => ({ question, except: [...except.keys()] }),
      has: (id) => !except.has(id),
      add: (rows) => {
        const back = new Set(rows.map(rowId))
        set({ question, except: filtered(except, (_, id) => !back.has(id)) })
      },
      remove: (rows) => set({ question, except: withRows(except, rows) }),
      narrow: (fits, narrower) => set({ question: narrower, except: filtered(except, fits) }),
    }
  }
  const picked: RowsById<Row> = 'rows' in stored ? stored.rows : new Map<string, Row>()
  return {
    ...common,
    isEmpty: picked.size === 0,
    countOf: () => picked.size,
    chosenOf: (rows) => {
      if (picked.size === 0) return undefined
      const present = new Map(rows.map((row) => [rowId(row), row]))
      return { rows: Array.from(picked, ([id, row]) => present.get(id) ?? row) }
    },
    has: (id) => picked.has(id),
    add: (rows) => set({ rows: withRows(picked, rows) }),
    remove: (rows) => {
      const gone = new Set(rows.map(rowId))
      set({ rows: filtered(picked, (_, id) => !gone.has(id)) })
    },
    narrow: (fits) => set({ rows: filtered(picked, fits) }),
  }

  function withRows(kept: RowsById<Row>, rows: readonly Row[]): RowsById<Row> {
    return new Map([...kept, ...rows.map((row) => [rowId(row), row] as const)])
  }
}

function filtered<Row>(rows: RowsById<Row>, isKept: (row: Row, id: string) => boolean): RowsById<Row> {
  return new Map([...rows].filter(([id, row]) => isKept(row, id)))
}
