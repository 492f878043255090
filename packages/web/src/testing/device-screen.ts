import { expect } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page, userEvent } from 'vitest/browser'
import { expectCount, textsOf } from './expect.ts'

/** The code of a screen is loaded when a test first opens it. */
export const loading = { timeout: 15_000 }

/** The rows of a listing with a device. */
export const rows = page.getByCss('tbody tr[data-row]')
export const toast = (text: string | RegExp): Locator =>
  page.getByCss('.mantine-Notification-root').filter({ hasText: text })
export const dialog = (name: string | RegExp): Locator => page.getByRole('dialog', { name })
/** A card of a page by title. */
export const card = (name: string): Locator => page.getByRole('region', { name, exact: true })

/** The menu of a row, or of a page header. */
export const rowMenu = (row: Locator = rows.first()): Locator => row.getByRole('button', { name: /^Actions: / })
export const headMenu = page.getByRole('main').getByRole('button', { name: 'Actions', exact: true })
export const menuItem = (name: string): Locator => page.getByRole('menuitem', { name, exact: true })

/** The actions in a menu, in order. */
export async function offeredIn(menu: Locator): Promise<string[]> {
  await expect.element(menu, loading).toBeVisible()
  await menu.click()
  await expect.element(page.getByRole('menu')).toBeVisible()
  const names = textsOf(page.getByRole('menuitem'))
  await userEvent.keyboard('{Escape}')
  await expectCount(page.getByRole('menu'), 0)
  return names
}

/** Selects an action from a menu. */
export async function act(menu: Locator, action: string): Promise<void> {
  await expect.element(menu, loading).toBeVisible()
  await menu.click()
  await menuItem(action).click()
}

/** Selects an option from the list of a field. */
export async function choose(field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** The bar above the pager while rows are selected. */
export const bulkBar = page.getByRole('toolbar', { name: 'Selected devices' })

/** Selects rows by checkbox, starting with the first. */
export async function selectRows(count: number): Promise<void> {
  await expect.element(rows.first(), loading).toBeVisible()
  for (let at = 0; at < count; at++) await rows.nth(at).getByRole('checkbox').click()
  await expect.element(bulkBar.getByText(`${count} selected`)).toBeVisible()
}

/** Chooses a file without sending its bytes through the test runner, which takes seconds for a large one. */
export function chooseFile(input: Locator, file: File): void {
  const element = input.element() as HTMLInputElement
  const transfer = new DataTransfer()
  transfer.items.add(file)
  element.files = transfer.files
  element.dispatchEvent(new Event('change', { bubbles: true }))
}
