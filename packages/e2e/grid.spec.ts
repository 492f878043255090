import type { Locator, Page } from '@playwright/test'
import { bulkBar } from './fixtures/actions.ts'
import { focusedRow, focusIn, rowIds, rows, stillLists } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const lights = '/northgate/EmergencyLights'

const grid = (page: Page) => page.getByRole('grid', { name: 'Emergency Lights' })
/** What has the focus, by its own words or those of its cell. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: at } = document
    return at?.getAttribute('aria-label') ?? at?.textContent?.trim() ?? ''
  })
const isInGrid = (page: Page) => page.evaluate(() => document.activeElement?.closest('[role="grid"]') !== null)
/** Everything in the grid that the Tab key would stop at. */
const stops = (page: Page) =>
  grid(page).evaluate(
    (table) =>
      [...table.querySelectorAll<HTMLElement>('a, button, input, [tabindex]')].filter(
        (one) => one.tabIndex >= 0 && !(one as HTMLInputElement).disabled,
      ).length,
  )

async function open(page: Page, address = lights) {
  await stillLists(page)
  await page.goto(address)
  await expect(rows(page)).toHaveCount(100)
  await expect.poll(() => stops(page)).toBe(1)
}

test('a list is one stop of the Tab key, which finds the place again where it was left', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await open(page)
  const name = await rows(page).first().locator('[data-row-link]').innerText()
  await page.getByRole('searchbox', { name: 'Search this view' }).focus()
  for (let presses = 0; !(await isInGrid(page)); presses++) {
    expect(presses).toBeLessThan(25)
    await page.keyboard.press('Tab')
  }
  expect(await focused(page)).toBe(name)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  const there = await page.evaluateHandle(() => document.activeElement)
  expect(await focusedRow(page)).toBe(2)
  expect(await stops(page)).toBe(1)
  await page.keyboard.press('Tab')
  expect(await isInGrid(page)).toBe(false)
  await expect(page.locator('[data-foot] :focus')).toHaveCount(1)
  await page.keyboard.press('Shift+Tab')
  expect(await there.evaluate((one) => one === document.activeElement)).toBe(true)
  await page.keyboard.press('Shift+Tab')
  expect(await isInGrid(page)).toBe(false)
  // Other rows bring no stops of their own.
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page.getByText('101 - 200 of')).toBeVisible()
  await expect(rows(page)).toHaveCount(100)
  await expect.poll(() => stops(page)).toBe(1)
})

test('the arrow keys reach every cell, its box, link and menu, and the heads of the columns', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await open(page)
  const ids = await rowIds(page)
  await focusIn(rows(page).nth(1))
  await page.keyboard.press('End')
  await expect(
    rows(page)
      .nth(1)
      .getByRole('button', { name: /^Actions/ }),
  ).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menu')).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem').and(page.locator(':focus'))).toHaveCount(1)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('menu')).toHaveCount(0)
  await expect(
    rows(page)
      .nth(1)
      .getByRole('button', { name: /^Actions/ }),
  ).toBeFocused()

  // The first cell holds a pin and a box: F2 or Enter go in, Escape or F2 come out.
  await page.keyboard.press('Home')
  const lead = rows(page).nth(1).getByRole('gridcell').first()
  await expect(lead).toBeFocused()
  for (const [into, out] of [
    ['F2', 'Escape'],
    ['Enter', 'F2'],
  ] as const) {
    await page.keyboard.press(into)
    await expect(lead.getByRole('button', { name: 'Pin row' })).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(lead.getByRole('checkbox')).toBeFocused()
    await page.keyboard.press('ArrowRight')
    await expect(lead.getByRole('checkbox')).toBeFocused()
    await page.keyboard.press(out)
    await expect(lead).toBeFocused()
  }
  await page.keyboard.press('F2')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press(' ')
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'true')
  // Escape comes out of the cell, and is not yet for the selection.
  await expect(bulkBar(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(lead).toBeFocused()
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press(' ')
  await expect(rows(page).nth(1)).toHaveAttribute('aria-selected', 'false')

  // Up from the first row is the head.
  await page.keyboard.press('Control+Home')
  await expect(grid(page).getByRole('checkbox', { name: 'Select page' })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  const head = grid(page).getByRole('columnheader', { name: 'Name' })
  await expect(head.getByRole('button')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  await expect(head.getByRole('button')).toBeFocused()
  await expect.poll(async () => (await rowIds(page)).join()).not.toBe(ids.join())
  await page.keyboard.press('ArrowDown')
  await expect(rows(page).first().locator('[data-row-link]')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(head.getByRole('button')).toBeFocused()
})

test('Enter opens a row from any of its cells, Control and Enter beside it; Space selects it', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await open(page)
  const ids = await rowIds(page)
  await focusIn(rows(page).first())
  for (const place of ['its name', 'a cell beside it']) {
    const [beside] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Control+Enter')])
    await expect(beside, place).toHaveURL(`${lights}/${ids[0]}`)
    await beside.close()
    await page.keyboard.press(' ')
    await expect(rows(page).first()).toHaveAttribute('aria-selected', place === 'its name' ? 'true' : 'false')
    await page.keyboard.press('ArrowRight')
  }
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${lights}/${ids[0]}`)
})

test('rows are real links: their address, and the middle button of the mouse', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await stillLists(page)
  await page.goto(`/northgate/Dashboard`)
  await page.getByRole('main').getByRole('link', { name: 'See failed lights' }).click()
  await expect(rows(page)).not.toHaveCount(0)
  const ids = await rowIds(page)
  const links = rows(page).locator('a[data-row-link]')
  expect(await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual(
    ids.map((id) => `${lights}/${id}`),
  )
  const besideOf = async (target: Locator) =>
    (await Promise.all([page.context().waitForEvent('page'), target.click({ button: 'middle' })]))[0]
  const beside = await besideOf(rows(page).first().getByRole('gridcell').nth(4))
  await expect(beside).toHaveURL(`${lights}/${ids[0]}`)
  await beside.close()
  // Of a link the browser itself opens the tab, with the address above; one without windows leaves it empty.
  await (await besideOf(links.first())).close()
  await expect(page).toHaveURL(/EmergencyLights/)
  await expect(rows(page)).not.toHaveCount(0)
})

test('a list says what it is to assistive technology, and to whom it can be selected', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await open(page)
  await expect(grid(page)).toHaveAttribute('aria-readonly', 'true')
  await expect(grid(page)).toHaveAttribute('aria-multiselectable', 'true')
  await expect(grid(page).getByRole('row')).toHaveCount(101)
  const columns = await grid(page).getByRole('columnheader').count()
  await expect(rows(page).first().getByRole('gridcell')).toHaveCount(columns)
  // A guest can change nothing, and Space does nothing.
  const guest = await pageOf('guest@northgate.example')
  await open(guest)
  await expect(grid(guest)).not.toHaveAttribute('aria-multiselectable')
  await focusIn(rows(guest).first())
  await guest.keyboard.press(' ')
  await expect(guest.locator('tr[aria-selected]')).toHaveCount(0)
})
