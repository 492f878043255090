import type { Locator } from 'vitest/browser'
import { page, userEvent } from 'vitest/browser'
import { expect } from 'vitest'
import './expect.ts'

/** The rows of a list with data, once loaded. */
export const rows: Locator = page.getByCss('tbody tr[data-row]')
export const rowOf = (id: string): Locator => page.getByCss(`tbody tr[data-row="${id}"]`)
/** The ids of the rows, from top to bottom. */
export const rowIds = (): string[] => rows.elements().map((row) => (row as HTMLElement).dataset['row']!)
export const headers: Locator = page.getByCss('th[data-column]:not([data-column^=":"])')
export const header = (name: string): Locator => page.getByRole('columnheader', { name, exact: true })
export const filterChips: Locator = page.getByRole('group', { name: 'Filters' })
export const searchField: Locator = page.getByRole('searchbox', { name: 'Search this view' })

export const toasts: Locator = page.getByCss('.mantine-Notification-root')
/** A toast by its text. */
export const toast = (text: string | RegExp): Locator => toasts.filter({ hasText: text })

export const dialog: Locator = page.getByRole('dialog')
export const viewBar: Locator = page.getByRole('toolbar', { name: 'View' })
export const viewButton = (name: string): Locator => viewBar.getByRole('button', { name, exact: true })
export const viewTabs: Locator = page.getByRole('navigation', { name: 'Views' })
/** The tab of the shown view. */
export const shownView: Locator = viewTabs.getByCss('[aria-current]')
export const viewPicker: Locator = page.getByRole('dialog', { name: /^All \d+ views/ })

/** Opens the menu of the shown view and selects an entry. */
export async function manageView(entry: string): Promise<void> {
  await viewButton('Manage').click()
  await page.getByRole('menuitem', { name: entry, exact: true }).click()
}

export async function openViewPicker(): Promise<void> {
  await page.getByRole('button', { name: /^All \d+ views$/ }).click()
  await expect.element(viewPicker).toBeVisible()
}

/** Moves the focus into a row of a list, as arrow keys would: to its link, or a cell without controls. */
export function focusIn(row: Locator): void {
  const tr = row.element() as HTMLTableRowElement
  const goal =
    tr.querySelector<HTMLElement>('[data-row-link]') ??
    [...tr.cells].find((cell) => !cell.querySelector('button, input'))!
  goal.tabIndex = -1
  goal.focus()
}

/** The index of the row with the focus; -1 for none. */
export const focusedRow = (): number => rows.elements().findIndex((row) => row.contains(document.activeElement))

export const press = (keys: string): Promise<void> => userEvent.keyboard(keys)

/** An address parameter with filters. */
export const filtersParameter = (filters: unknown): string => `filters=${encodeURIComponent(JSON.stringify(filters))}`
