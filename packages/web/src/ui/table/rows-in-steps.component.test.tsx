import { flushSync } from 'react-dom'
import type { Root } from 'react-dom/client'
import { createRoot } from 'react-dom/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { expectCount } from '../../testing/expect.ts'
import { DataTable } from '../data-table.tsx'
import { UiProvider } from '../provider.tsx'

interface Row {
  id: string
  value: number
}

const columns = [{ id: 'value', header: 'Value', cell: (row: Row) => row.value }]
const rowsFrom = (first: number, value = 0) =>
  Array.from({ length: 100 }, (_, at) => ({ id: `row ${first + at}`, value }))
const drawnRows = page.getByCss('tbody tr[data-row]')

let host: HTMLElement
let root: Root

beforeEach(async () => {
  await page.viewport(1000, 760)
  host = document.createElement('div')
  document.body.append(host)
  root = createRoot(host)
})
afterEach(() => {
  root.unmount()
  host.remove()
})

/** Draws these rows, and returns the ids of the rows that are drawn before the browser paints. */
function show(rows: Row[], groupOf?: (row: Row) => string): string[] {
  flushSync(() =>
    root.render(
      <UiProvider>
        <DataTable
          {...{ label: 'Values', columns, rows, status: 'ready', empty: 'None' }}
          rowId={({ id }) => id}
          phoneRow={({ id }) => id}
          {...(groupOf && { groupOf })}
        />
      </UiProvider>,
    ),
  )
  return [...host.querySelectorAll<HTMLElement>('tr[data-row]')].map((row) => row.dataset['row']!)
}

test('of the rows of another page those that fit are drawn at once, and the others follow', async () => {
  expect(show(rowsFrom(0))).toHaveLength(100)
  expect(show(rowsFrom(100))).toEqual(
    rowsFrom(100)
      .slice(0, 20)
      .map(({ id }) => id),
  )
  expect(host.querySelector('table')?.ariaBusy).toBe('true')
  await expectCount(drawnRows, 100)
  expect(host.querySelector('table')?.ariaBusy).toBe('false')
  expect(drawnRows.elements().map((row) => (row as HTMLElement).dataset['row'])).toEqual(
    rowsFrom(100).map(({ id }) => id),
  )
})

test('the first rows are drawn together', () => {
  show([])
  expect(show(rowsFrom(0))).toHaveLength(100)
})

test('rows that were drawn before stay, with new values and in a new order', () => {
  show(rowsFrom(0))
  expect(show(rowsFrom(0, 5).toReversed())).toEqual(
    rowsFrom(0)
      .toReversed()
      .map(({ id }) => id),
  )
  expect(host.querySelectorAll('tbody td')).toHaveLength(100)
  expect(host.querySelector('tbody tr:last-child')?.textContent).toBe('5')
  expect(show(rowsFrom(30))).toHaveLength(70)
})

test('each group has one heading while its rows are drawn in steps', async () => {
  const groupOf = ({ id }: Row) => (Number(id.slice(4)) < 150 ? 'first half' : 'second half')
  const headings = () => [...host.querySelectorAll('th[scope="rowgroup"]')].map((one) => one.textContent)
  show(rowsFrom(0), groupOf)
  show(rowsFrom(100), groupOf)
  expect(headings()).toEqual(['first half 50'])
  await expectCount(drawnRows, 100)
  expect(headings()).toEqual(['first half 50', 'second half 50'])
})
