import { useMemo } from 'react'
import { useKept } from './kept.ts'
import type { Chosen, Question } from './list-source.ts'

/** What is selected in a list: by row, or by question, so that it stays over pages, orders and refreshes. */
export interface ListSelection<Row> {
  isEmpty: boolean
  /** How many are; of a question as many as it finds now. */
  countOf(total: number): number
  /** What is selected, as new as the rows on the screen; undefined while nothing is. */
  chosenOf(rows: readonly Row[]): Chosen<Row> | undefined
  has(id: string): boolean
  add(rows: readonly Row[]): void
  remove(ids: readonly string[]): void
  /** Everything that the list is asked for now, on whatever page, and what comes to it later. */
  addAll(): void
  clear(): void
}

/** What is kept of a selection: rows by their ids, or a question and the ids of those that are left out of it. */
export type Kept<Row> = { rows: ReadonlyMap<string, Row> } | { question: Question; except: ReadonlySet<string> }

interface Selectable<Row> {
  rowId(row: Row): string
  /** What the list is asked for now. */
  question: Question
}

/** The selection of a list. One by a question holds while that is what the list is asked for. */
export function useSelection<Row>(key: string, { rowId, question }: Selectable<Row>): ListSelection<Row> {
  const [stored, setStored] = useKept<Kept<Row>>(`${key} selected`, nothing())
  const asked = JSON.stringify(question)
  return useMemo(
    () => selectionOf(stored, setStored, { rowId, question: JSON.parse(asked) as Question }),
    [stored, setStored, asked, rowId],
  )
}

const nothing = <Row>(): Kept<Row> => ({ rows: new Map() })

/** What a selection is and how it changes. */
export function selectionOf<Row>(
  stored: Kept<Row>,
  set: (next: Kept<Row>) => void,
  { rowId, question }: Selectable<Row>,
): ListSelection<Row> {
  const common = { addAll: () => set({ question, except: new Set() }), clear: () => set(nothing()) }
  if ('question' in stored && JSON.stringify(stored.question) === JSON.stringify(question)) {
    const { except } = stored
    return {
      ...common,
      isEmpty: false,
      countOf: (total) => Math.max(0, total - except.size),
      chosenOf: () => ({ question, except: [...except] }),
      has: (id) => !except.has(id),
      add: (rows) => {
        const back = new Set(rows.map(rowId))
        set({ question, except: new Set([...except].filter((id) => !back.has(id))) })
      },
      remove: (ids) => set({ question, except: new Set([...except, ...ids]) }),
    }
  }
  const picked: ReadonlyMap<string, Row> = 'rows' in stored ? stored.rows : new Map<string, Row>()
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
    add: (rows) => set({ rows: new Map([...picked, ...rows.map((row) => [rowId(row), row] as const)]) }),
    remove: (ids) => {
      const gone = new Set(ids)
      set({ rows: new Map([...picked].filter(([id]) => !gone.has(id))) })
    },
  }
}
