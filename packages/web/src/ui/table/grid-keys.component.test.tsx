import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { deviceList, listedDevice, listedDevices } from '../../testing/examples/device-list.ts'
import { viewDefinitions } from '../../testing/examples/views.ts'
import { expectCount } from '../../testing/expect.ts'
import { focusedRow, focusIn, press, rowIds, rows, searchField } from '../../testing/list-screen.ts'
import { openPortal } from '../../testing/portal.tsx'

const grid = page.getByRole('grid')
const bulkBar = page.getByRole('toolbar', { name: 'Selected devices' })
const isInGrid = () => document.activeElement?.closest('[role="grid"]') !== null
/** The Tab stops of the grid. */
const stops = () =>
  [...document.querySelectorAll<HTMLElement>('[role="grid"] :is(a, button, input, [tabindex])')].filter(
    (one) => one.tabIndex >= 0 && !(one as HTMLInputElement).disabled,
  ).length

/** Opens a list of lights. Selections last until a reload, so each test has its own client. */
async function open(
  client: string,
  { count = 30, ...options }: Parameters<typeof openPortal>[1] & { count?: number } = {},
) {
  const answers = [...deviceList(listedDevices(count)), ...viewDefinitions()]
  const portal = await openPortal(`/${client}/EmergencyLights`, { ...options, answers })
  await expectCount(rows, Math.min(count, 100))
  await expect.poll(stops).toBe(1)
  return portal
}

test('a list is one Tab stop, which returns to the last cell', async () => {
  // A second page, so that the footer has a button.
  await open('tabstop', { count: 101 })
  await searchField.click()
  for (let presses = 0; !isInGrid(); presses++) {
    expect(presses).toBeLessThan(25)
    await press('{Tab}')
  }
  expect(document.activeElement?.textContent).toBe('Light 1')
  await press('{ArrowDown}{ArrowDown}{ArrowRight}')
  const left = document.activeElement
  expect(focusedRow()).toBe(2)
  expect(stops()).toBe(1)
  await press('{Tab}')
  expect(isInGrid()).toBe(false)
  expect(document.activeElement?.closest('[data-foot]')).not.toBeNull()
  await press('{Shift>}{Tab}{/Shift}')
  expect(document.activeElement).toBe(left)
  await press('{Shift>}{Tab}{/Shift}')
  expect(isInGrid()).toBe(false)
  // Other rows add no Tab stops.
  await searchField.fill('Light 10')
  await expectCount(rows, 1)
  await expect.poll(stops).toBe(1)
})

test('the arrow keys reach every cell, its checkbox, link and menu, and the column headers', async () => {
  await open('arrows')
  const row = rows.nth(1)
  const actions = row.getByRole('button', { name: /^Actions/ })
  focusIn(row)
  await press('{End}')
  await expect.element(actions).toHaveFocus()
  await press('{Enter}')
  await expect.element(page.getByRole('menu')).toBeVisible()
  await press('{ArrowDown}')
  await expect.poll(() => document.activeElement?.getAttribute('role')).toBe('menuitem')
  await press('{Escape}')
  await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
  await expect.element(actions).toHaveFocus()

  // The first cell has a pin and a checkbox: F2 or Enter go in, Escape or F2 come out.
  await press('{Home}')
  const lead = row.getByRole('gridcell').first()
  await expect.element(lead).toHaveFocus()
  for (const [into, out] of [
    ['{F2}', '{Escape}'],
    ['{Enter}', '{F2}'],
  ] as const) {
    await press(into)
    await expect.element(lead.getByRole('button', { name: 'Pin row' })).toHaveFocus()
    await press('{ArrowRight}')
    await expect.element(lead.getByRole('checkbox')).toHaveFocus()
    await press('{ArrowRight}')
    await expect.element(lead.getByRole('checkbox')).toHaveFocus()
    await press(out)
    await expect.element(lead).toHaveFocus()
  }
  await press('{F2}{ArrowRight} ')
  await expect.element(row).toHaveAttribute('aria-selected', 'true')
  // Escape leaves the cell, and does not clear the selection yet.
  await expect.element(bulkBar).toBeVisible()
  await press('{Escape}')
  await expect.element(lead).toHaveFocus()
  await expect.element(row).toHaveAttribute('aria-selected', 'true')
  await press(' ')
  await expect.element(row).toHaveAttribute('aria-selected', 'false')

  // Up from the first row is the header.
  await press('{Control>}{Home}{/Control}')
  await expect.element(grid.getByRole('checkbox', { name: 'Select page' })).toHaveFocus()
  await press('{ArrowRight}{ArrowRight}')
  const head = grid.getByRole('columnheader', { name: 'Name' })
  await expect.element(head.getByRole('button')).toHaveFocus()
  const ids = rowIds()
  await press('{Enter}')
  await expect.element(head).toHaveAttribute('aria-sort', 'ascending')
  await expect.element(head.getByRole('button')).toHaveFocus()
  await expect.poll(rowIds).not.toEqual(ids)
  await press('{ArrowDown}')
  await expect.element(rows.first().getByCss('[data-row-link]')).toHaveFocus()
  await press('{ArrowUp}')
  await expect.element(head.getByRole('button')).toHaveFocus()
})

test('Enter opens a row from any of its cells, Control+Enter in a new tab; Space selects it', async () => {
  const openWindow = vi.spyOn(window, 'open').mockReturnValue(null)
  const portal = await open('opening')
  const address = `/opening/EmergencyLights/${listedDevice(1).deviceId}`
  focusIn(rows.first())
  await press('{Control>}{Enter}{/Control}')
  expect(openWindow.mock.calls.map(([to]) => to)).toEqual([address])
  await press(' ')
  await expect.element(rows.first()).toHaveAttribute('aria-selected', 'true')
  await press('{ArrowRight}')
  await press('{Control>}{Enter}{/Control}')
  expect(openWindow.mock.calls.map(([to]) => to)).toEqual([address, address])
  await press(' ')
  await expect.element(rows.first()).toHaveAttribute('aria-selected', 'false')
  await press('{Enter}')
  await expect.poll(portal.address).toBe(address)
})

test('a list exposes to assistive technology that it is read-only, and whether its rows can be selected', async () => {
  await open('assistive')
  await expect.element(grid).toHaveAttribute('aria-readonly', 'true')
  await expect.element(grid).toHaveAttribute('aria-multiselectable', 'true')
  await expectCount(grid.getByRole('row'), 31)
  const columns = grid.getByRole('columnheader').elements().length
  await expectCount(rows.first().getByRole('gridcell'), columns)
  // A guest can change nothing, and Space does nothing.
  await open('assistive', { role: 'Guest' })
  await expect.element(grid).not.toHaveAttribute('aria-multiselectable')
  focusIn(rows.first())
  await press(' ')
  expect(document.querySelector('tr[aria-selected]')).toBeNull()
})
