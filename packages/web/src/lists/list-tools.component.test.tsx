import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData, getFieldChoices } from '@caretaker/contract/devices.ts'
import { deviceList, listedDevice, listedDevices } from '../testing/examples/device-list.ts'
import { viewDefinitions } from '../testing/examples/views.ts'
import { expectCount, expectTexts, textsOf } from '../testing/expect.ts'
import {
  dialog,
  filterChips,
  filtersParameter,
  header,
  headers,
  press,
  rowIds,
  rows,
  toast,
} from '../testing/list-screen.ts'
import { answer } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const lights = '/northgate/EmergencyLights'
const idsOf = (...numbers: number[]) => numbers.map((number) => listedDevice(number).deviceId)
const phone = { viewport: { width: 390, height: 844 } }
const columnsButton = page.getByRole('button', { name: 'Columns' })
const columnsMenu = page.getByRole('dialog', { name: 'Columns' })
const boundsOf = (what: { element(): Element }) => what.element().getBoundingClientRect()

type Options = Parameters<typeof openPortal>[1]
const openList = (address: string, devices: readonly DeviceRow[], options: Options = {}) =>
  openPortal(address, {
    ...options,
    answers: [...deviceList(devices), ...viewDefinitions(), ...(options.answers ?? [])],
  })

test('filters are chips, added by field and values, and changed', async () => {
  const buildings = ['Alder House', 'Beech Hill Court']
  const devices = listedDevices(8, (number) => ({
    deviceStatus: number > 6 ? 'Ok' : number % 2 ? 'FailedEquipment' : 'FailedDevice',
    deviceBuildingName: buildings[number % 3 ? 0 : 1]!,
  }))
  const portal = await openList(lights, devices, {
    answers: [
      answer(getFieldChoices, ({ body }) =>
        buildings.filter((name) => name.toLowerCase().includes(body.search.toLowerCase())),
      ),
    ],
  })
  await expectCount(rows, 8)
  const filters = () => portal.sentTo(fetchViewData).at(-1)!.body.filters
  const apply = () => dialog.getByRole('button', { name: 'Apply' }).click()
  const add = async (field: string) => {
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await dialog.getByRole('button', { name: field, exact: true }).click()
  }
  await add('Status')
  await dialog.getByRole('checkbox', { name: 'Failed', exact: true }).click()
  await dialog.getByRole('checkbox', { name: 'Device failed', exact: true }).click()
  await apply()
  await expect.poll(portal.address).toMatch(/EmergencyLights\?filters=/)
  await expect.poll(() => rowIds().toSorted()).toEqual(idsOf(1, 2, 3, 4, 5, 6))
  for (const text of textsOf(rows)) expect(text).toMatch(/Failed|Device failed/)

  await add('Building')
  await dialog.getByRole('searchbox').fill('beech hill c')
  await expectCount(dialog.getByRole('checkbox'), 1)
  await dialog.getByRole('checkbox', { name: 'Beech Hill Court' }).click()
  await apply()
  await expect.element(filterChips).toMatchTextContent('BuildingisBeech Hill Court')
  await expect.poll(rowIds).toEqual(idsOf(3, 6))

  await filterChips.getByRole('button', { name: /^Building/ }).click()
  await dialog.getByRole('combobox').selectOptions('is none of')
  await apply()
  await expect.element(filterChips).toMatchTextContent('Buildingis notBeech Hill Court')
  await expect.poll(rowIds).toEqual(idsOf(1, 2, 4, 5))

  await add('Last test')
  await dialog.getByLabelText('From').fill('2026-11-01')
  await dialog.getByLabelText('To').fill('2026-10-01')
  await expect.element(dialog.getByText('The end is before the beginning')).toBeVisible()
  await dialog.getByLabelText('To').fill('2026-11-30')
  await apply()
  await expect.element(filterChips).toMatchTextContent('01/11/2026 – 30/11/2026')

  await add('In wholesale')
  await dialog.getByRole('radio', { name: 'No' }).click()
  await apply()
  await expect.element(filterChips).toMatchTextContent('In wholesaleisNo')
  await expect.poll(filters).toEqual([
    { fieldId: 'status', filterOp: 'anyof', value: ['FailedEquipment', 'FailedDevice'] },
    { fieldId: 'building', filterOp: 'noneof', value: ['Beech Hill Court'] },
    { fieldId: 'lastTest', filterOp: 'from', value: '2026-11-01' },
    { fieldId: 'lastTest', filterOp: 'to', value: '2026-11-30' },
    { fieldId: 'inWholesale', filterOp: 'equals', value: false },
  ])
})

test('a date is typed as DD/MM/YYYY or picked; an invalid date shows an error and is not applied', async () => {
  const portal = await openList(lights, listedDevices(2))
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await dialog.getByRole('button', { name: 'Last test', exact: true }).click()
  const from = dialog.getByLabelText('From')
  const to = dialog.getByLabelText('To')
  await expect.element(from).toHaveAttribute('placeholder', 'DD/MM/YYYY')
  await from.fill('31/02/2026')
  await to.click()
  await expect.element(dialog.getByText('Enter a date as DD/MM/YYYY').first()).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await from.fill('1/2/2026')
  await to.click()
  await expect.element(from).toHaveValue('01/02/2026')
  await page.getByRole('button', { name: 'Pick the date' }).first().click()
  await page
    .getByRole('dialog', { name: 'Date', exact: true })
    .getByRole('button', { name: '14 February 2026' })
    .click()
  await expect.element(from).toHaveValue('14/02/2026')
  await dialog.getByRole('button', { name: 'Apply' }).first().click()
  await expect.poll(portal.address).toContain('2026-02-14')
})

test('the link of a filtered list restores it; filters are removed one by one or all at once, and start at the first page', async () => {
  const dots = '/northgate/MultiDots'
  const devices = listedDevices(30, (number) => ({
    deviceProductId: 'MD',
    deviceStatus: number % 10 ? 'Ok' : 'FailedDevice',
    deviceBuildingName: number === 20 ? 'Beech Hill Court' : 'Alder House',
  }))
  const noBeech = filtersParameter([{ fieldId: 'building', filterOp: 'noneof', value: ['Beech Hill Court'] }])
  const portal = await openList(`${dots}?${noBeech}&page=2`, devices)
  await expect.element(page.getByText('26 - 29 of 29')).toBeVisible()
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await dialog.getByRole('button', { name: 'Status', exact: true }).click()
  await dialog.getByRole('checkbox', { name: 'Device failed', exact: true }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  await expect.poll(rowIds).toEqual(idsOf(10, 30))
  const link = portal.address()
  expect(link).not.toContain('page=')
  await portal.go('/northgate/Support')
  await expect.element(rows).not.toBeInTheDocument()
  await portal.go(link)
  await expect.element(filterChips).toMatchTextContent('Device failed')
  await expect.poll(rowIds).toEqual(idsOf(10, 30))
  await page.getByRole('button', { name: 'Remove filter Building' }).click()
  await expect.poll(rowIds).toEqual(idsOf(10, 20, 30))
  await expect.element(filterChips).not.toMatchTextContent('Beech Hill Court')
  history.back()
  await expect.element(filterChips).toMatchTextContent('Beech Hill Court')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect.poll(portal.address).toBe(dots)
  await expect.element(page.getByText('1 - 25 of 30')).toBeVisible()
})

test('unknown parts of an address are left out with a message', async () => {
  const filters = filtersParameter([
    { fieldId: 'colour', value: 'red' },
    { fieldId: 'status', filterOp: 'anyof', value: ['FailedEquipment'] },
  ])
  const address = `${lights}?${filters}&sort=colour,-name&columns=serial,colour,latitude,name&page=-4&size=7`
  const portal = await openList(address, listedDevices(3))
  await expect.element(toast("There is no field 'colour' here")).toBeVisible()
  await expect.element(filterChips).toMatchTextContent('Failed')
  await expect.element(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  await expectTexts(headers, ['Serial', 'Name'])
  await expect.poll(portal.address).toMatch(/columns=serial%2Cname$/)
  for (const nonsense of ['filters=%7B', 'filters=[[[', 'sort=,,,', 'columns=', 'page=1e99', 'search[]=x']) {
    await portal.go('/northgate/Support')
    await expect.element(rows).not.toBeInTheDocument()
    await portal.go(`${lights}?${nonsense}`)
    await expectCount(rows, 3)
  }
})

test('columns are shown, hidden, moved by keys and by dragging, and reset; fields that cannot be columns are not offered [core-3-36]', async () => {
  const portal = await openList(lights, listedDevices(3))
  await expectCount(rows, 3)
  const own = textsOf(headers)
  await columnsButton.click()
  await expect.element(columnsMenu.getByRole('checkbox', { name: 'Postcode' })).toBeVisible()
  await expect.element(columnsMenu.getByRole('checkbox', { name: /latitude|longitude/i })).not.toBeInTheDocument()
  await columnsMenu.getByRole('checkbox', { name: 'Room' }).click()
  await columnsMenu.getByRole('checkbox', { name: 'Address' }).click()
  const changed = [...own.filter((name) => name !== 'Address'), 'Room']
  await expectTexts(headers, changed)
  ;(columnsMenu.getByRole('button', { name: 'Move Name' }).element() as HTMLElement).focus()
  await press('{ArrowUp}')
  await expectTexts(headers, ['Name', 'Serial', ...changed.slice(2)])
  await columnsMenu
    .getByRole('button', { name: 'Move Room' })
    .dropTo(columnsMenu.getByRole('button', { name: 'Move Name' }))
  await expectTexts(headers, ['Room', 'Name', 'Serial', ...changed.slice(2, -1)])
  await press('{Escape}')
  const link = portal.address()
  await portal.go('/northgate/Support')
  await portal.go(link)
  await expect.element(headers.first()).toHaveTextContent('Room')
  await columnsButton.click()
  await columnsMenu.getByRole('button', { name: 'Reset' }).click()
  await expectTexts(headers, own)
  await expect.poll(portal.address).toBe(lights)
})

test('Escape closes the columns menu wherever the focus is, and nothing behind it; a click outside only closes the menu', async () => {
  const portal = await openList(lights, listedDevices(3), { role: 'Manager' })
  await expectCount(rows, 3)
  await rows.first().getByRole('checkbox').click()
  const selected = page.getByText('1 selected')
  await expect.element(selected).toBeVisible()
  await columnsButton.click()
  await columnsMenu.getByRole('checkbox', { name: 'Room' }).click()
  await expect.element(columnsMenu.getByRole('checkbox', { name: 'Room' })).toHaveFocus()
  ;(document.activeElement as HTMLElement).blur()
  await press('{Escape}')
  await expectCount(columnsMenu, 0)
  await expect.element(selected).toBeVisible()
  await columnsButton.click()
  await expect.element(columnsMenu).toBeVisible()
  const address = portal.address()
  const { left, top } = rows.last().getByRole('gridcell').nth(2).element().getBoundingClientRect()
  await userEvent.click(document.elementFromPoint(left + 8, top + 8)!)
  await expectCount(columnsMenu, 0)
  expect(portal.address()).toBe(address)
})

for (const isHidden of [true, false])
  test(`where personal data are ${isHidden ? 'hidden neither' : 'shown both'} address ${isHidden ? 'nor' : 'and'} postcode can be a column or a filter [core-5-31 core-5-32]`, async () => {
    await openList(`${lights}?columns=serial,postcode,address`, listedDevices(1), {
      features: isHidden ? ['HideCustomerPersonalData'] : [],
    })
    await expectTexts(headers, isHidden ? ['Serial'] : ['Serial', 'Postcode', 'Address'])
    await columnsButton.click()
    await expect.element(columnsMenu.getByRole('checkbox', { name: 'Building' })).toBeVisible()
    for (const name of ['Postcode', 'Address']) {
      const choice = columnsMenu.getByRole('checkbox', { name })
      await (isHidden ? expect.element(choice).not.toBeInTheDocument() : expect.element(choice).toBeVisible())
    }
    await press('{Escape}')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await expect.element(dialog.getByRole('button', { name: 'Building' })).toBeVisible()
    for (const name of ['Postcode', 'Address']) {
      const choice = dialog.getByRole('button', { name })
      await (isHidden ? expect.element(choice).not.toBeInTheDocument() : expect.element(choice).toBeVisible())
    }
  })

test('on a phone filters are in a drawer, and the list fits 320 pixels', async () => {
  const devices = listedDevices(5, (number) => (number < 3 ? { deviceStatus: 'FailedEquipment' } : {}))
  await openList('/drawer/EmergencyLights', devices, { viewport: { width: 320, height: 700 } })
  await expectCount(rows, 5)
  await page.getByRole('button', { name: 'Filters' }).click()
  const drawer = page.getByRole('dialog', { name: 'Filters' })
  await drawer.getByRole('checkbox', { name: 'Failed', exact: true }).click()
  await drawer.getByRole('button', { name: 'Show 2', exact: true }).click()
  await expect.element(drawer).not.toBeInTheDocument()
  await expect.poll(rowIds).toEqual(idsOf(1, 2))
  await expect.element(page.getByRole('button', { name: 'Filters' })).toMatchTextContent('1')
  await rows.first().getByRole('checkbox').click()
  const bar = page.getByRole('toolbar', { name: 'Selected devices' })
  await expect.element(bar).toMatchTextContent('1 selected')
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320)
  for (const name of ['Filters', 'Update', 'Export'])
    expect(boundsOf(page.getByRole('button', { name })).height).toBeGreaterThanOrEqual(40)
  await bar.getByRole('button', { name: 'Clear selection' }).click()
})

test('on a phone a row is two lines, the table has no head, and nothing scrolls sideways', async () => {
  const portal = await openList(lights, listedDevices(3), phone)
  const row = rows.nth(1)
  await expect.element(row).toMatchTextContent('Light 2')
  await expect.element(row).toMatchTextContent('Passed')
  await expect.element(row).toMatchTextContent('Connected')
  await expect.element(page.getByRole('columnheader')).not.toBeInTheDocument()
  const { height } = boundsOf(row)
  expect(height).toBeGreaterThan(44)
  expect(height).toBeLessThan(90)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  await row.click()
  await expect.poll(portal.address).toBe(`${lights}/${idsOf(2)[0]!}`)
})

test('columns are dragged wider and narrower, between 60 and 1200 pixels [dev-2list-38]', async () => {
  await openList(lights, listedDevices(3), { viewport: { width: 3000, height: 900 } })
  await expectCount(rows, 3)
  const width = () => Math.round(boundsOf(header('Name')).width)
  const drag = async (by: number) => {
    const { x, width: wide, y, height } = boundsOf(header('Name'))
    const target = page.getByCss('body')
    await header('Name').dropTo(target, {
      sourcePosition: { x: wide - 2, y: height / 2 },
      targetPosition: { x: Math.max(1, x + wide - 2 + by), y: y + height / 2 },
      steps: 5,
      force: true,
    } as never)
  }
  const usual = width()
  await drag(100)
  await expect.poll(width).toBeGreaterThan(usual + 80)
  await drag(-2000)
  await expect.poll(width).toBe(60)
  await drag(2500)
  await expect.poll(width).toBe(1200)
})

test('the phone list selects a range of rows or its page, and chooses a page', async () => {
  const portal = await openList(
    '/range/VStats?sort=serial',
    listedDevices(60, () => ({ deviceProductId: 'TH' })),
    phone,
  )
  await expectCount(rows, 25)
  const selected = page.getByCss('tr[aria-selected="true"]')
  const hints = page.getByRole('status')
  const box = (at: number) => rows.nth(at).getByRole('checkbox')
  await page.getByRole('button', { name: 'Select range' }).click()
  await expect.element(hints.filter({ hasText: 'Select the first row' })).toBeVisible()
  await box(1).click()
  await expect.element(hints.filter({ hasText: 'Select the last row' })).toBeVisible()
  await box(4).click()
  await expectCount(selected, 4)
  await expect.element(page.getByRole('button', { name: 'Select range' })).toBeVisible()
  // The next click selects a single row again.
  await box(5).click()
  await expectCount(selected, 5)
  await page.getByRole('checkbox', { name: 'Select page' }).click()
  await expectCount(selected, 25)
  await page.getByRole('checkbox', { name: 'Select page' }).click()
  await expectCount(selected, 0)

  await page.getByRole('combobox', { name: 'Page', exact: true }).selectOptions('3: 51 - 60')
  await expect.element(page.getByText('51 - 60 of 60')).toBeVisible()
  await expect.poll(portal.address).toMatch(/page=3/)
  await expectCount(rows, 10)
  expect(document.documentElement.scrollWidth).toBe(390)

  // A guest can change nothing, so cannot select.
  await openList(lights, listedDevices(3), { ...phone, role: 'Guest' })
  await expectCount(rows, 3)
  await expect.element(page.getByRole('button', { name: 'Select range' })).not.toBeInTheDocument()
  await expect.element(page.getByRole('checkbox')).not.toBeInTheDocument()
})

test('columns beyond the edge have a hint, which scrolls to them and disappears after the last one', async () => {
  await openList(lights, listedDevices(3), { viewport: { width: 1024, height: 768 } })
  await expectCount(rows, 3)
  const hint = page.getByTitle('More columns')
  await expect.element(hint).toBeVisible()
  const last = page.getByRole('columnheader', { name: 'Last test' })
  const actions = page.getByRole('columnheader', { name: 'Actions' })
  expect(boundsOf(last).right).toBeGreaterThan(boundsOf(actions).x)
  await hint.click()
  await expect.element(hint).not.toBeInTheDocument()
  await expect.poll(() => boundsOf(last).right - boundsOf(actions).x).toBeLessThanOrEqual(1)
  // If all columns fit, there is none.
  await openList(lights, listedDevices(3))
  await expectCount(rows, 3)
  await expect.element(hint).not.toBeInTheDocument()
})

for (const menu of ['folded', 'open'])
  test(`at 1024 pixels nothing of a list's bar is cut while the sidebar is ${menu}`, async () => {
    const portal = await openList(lights, listedDevices(3), {
      viewport: { width: 1024, height: 768 },
      features: ['NewListingView'],
    })
    const tools = '[role="main"], main'
    const cutButtons = () =>
      [...document.querySelectorAll(tools)]
        .flatMap((main) => [
          ...main.querySelectorAll('header button, [role="toolbar"] button, [role="toolbar"] + button'),
        ])
        .filter((button) => {
          const { left, right } = button.getBoundingClientRect()
          const words = button.querySelector('.mantine-Button-label')
          return right > innerWidth || left < 0 || (words !== null && words.scrollWidth > words.clientWidth + 1)
        })
        .map((button) => button.textContent)
    for (const listing of [
      'EmergencyLights',
      'Boilers',
      'Boilers/Listing/boiler-main',
      'NetworkingDevices',
      'VStats',
    ]) {
      await portal.go(`/northgate/${listing}`)
      await expectCount(rows, 3)
      if (menu === 'open' && listing === 'EmergencyLights')
        await page.getByRole('button', { name: 'Expand menu' }).click()
      await expect
        .element(page.getByRole('button', { name: menu === 'open' ? 'Collapse menu' : 'Expand menu' }))
        .toBeVisible()
      await expect.poll(cutButtons, { message: listing }).toEqual([])
      expect(document.documentElement.scrollWidth, listing).toBe(1024)
      // Each tool has its name, as text or icon.
      for (const name of ['Columns', 'Export', 'Update', 'Save As', 'Manage'])
        await expect.element(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 })
      await page.getByRole('button', { name: 'Export', exact: true }).click()
      await expect.element(page.getByRole('menuitem', { name: 'Excel' })).toBeVisible()
      await press('{Escape}')
    }
  })
