import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { previewSelection } from '@caretaker/contract/actions.ts'
import { fetchViewData, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { getViewDefinitions } from '@caretaker/contract/views.ts'
import { dayAt, dayText, localTime } from '@caretaker/rules/calendar/days.ts'
import { presetStatuses } from '@caretaker/rules/devices/list.ts'
import { pass, passUntil, stopClock } from '../testing/clock.ts'
import { deviceList, listedDevice, listedDevices } from '../testing/examples/device-list.ts'
import { systemViews, viewDefinitions, viewDocuments } from '../testing/examples/views.ts'
import { expectCount, textsOf } from '../testing/expect.ts'
import {
  filterChips,
  focusedRow,
  focusIn,
  header,
  press,
  rowIds,
  rowOf,
  rows,
  searchField,
  shownView,
  toast,
} from '../testing/list-screen.ts'
import type { ServerAnswer } from '../testing/network.ts'
import { answer, answerStatus, exampleOf, hold } from '../testing/network.ts'
import { clientOf, openPortal } from '../testing/portal.tsx'

const lights = '/northgate/EmergencyLights'
const boilers = '/northgate/Boilers/Listing/boiler-main'
const main = page.getByRole('main')
const refused = main.getByText("You don't have permission.")
const pages = page.getByRole('navigation', { name: 'Pages' })
const bar = page.getByRole('toolbar', { name: 'Selected devices' })
const selectedRows = page.getByCss('tr[aria-selected="true"]')
const pageBox = page.getByRole('checkbox', { name: 'Select page' })
const box = (at: number) => rows.nth(at).getByRole('checkbox')
const idOf = (number: number) => listedDevice(number).deviceId
const idsOf = (...numbers: number[]) => numbers.map(idOf)
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => idOf(first + at))

type Options = Parameters<typeof openPortal>[1]

const openList = (address: string, devices: readonly DeviceRow[], options: Options = {}) =>
  openPortal(address, {
    ...options,
    answers: [...deviceList(devices), ...viewDefinitions(), ...viewDocuments(), ...(options.answers ?? [])],
  })

/** The last request of the page. */
const lastAsked = (portal: Awaited<ReturnType<typeof openPortal>>) => portal.sentTo(fetchViewData).at(-1)?.body

for (const [listing, label, ids] of [
  ['EmergencyLights', 'Emergency Lights', 'core-2.4-12 dev-2list-5'],
  ['Boilers/Listing/boiler-main', 'Boilers', 'dev-2list-6'],
  ['NetworkingDevices', 'Networking Devices', 'core-2.4-16 dev-2list-7'],
  ['ThirdParty', 'API Integration', 'core-2.4-40 dev-2list-8'],
] as const)
  test(`${label} lists the devices of the server, each with status and connection, 100 per page [core-1-10 ${ids}]`, async () => {
    const devices = listedDevices(102, (number) => ({
      deviceStatus: number % 2 ? 'Ok' : 'FailedDevice',
      deviceConnectionState: number % 3 ? 'Connected' : 'NotConnected',
    }))
    const portal = await openList(`/northgate/${listing}`, devices)
    await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent(label)
    await expect.element(shownView).toHaveTextContent(`System view: ${label}`)
    await expect.element(page.getByText('1 - 100 of 102')).toBeVisible()
    expect(rowIds()).toEqual(from(1, 100))
    expect(lastAsked(portal)).toMatchObject({
      tenant: 'northgate',
      listing: listing.split('/')[0],
      page: 1,
      pageSize: 100,
    })
    for (const [at, text] of textsOf(rows).entries()) {
      expect(text).toContain(at % 2 ? 'Device failed' : 'Passed')
      expect(text).toContain((at + 1) % 3 ? 'Connected' : 'Not connected')
    }
  })

for (const [listing, root, ids] of [
  ['EmergencyLights', 'emered', 'core-2.4-13 dev-2list-1'],
  ['Boilers', 'boiler', 'core-2.4-29 dev-2list-2'],
  ['NetworkingDevices', 'networking', 'core-2.4-17 dev-2list-3'],
  ['ThirdParty', 'thirdParty', 'core-2.4-41 dev-2list-4'],
] as const)
  test(`an address of ${listing} names the view that is applied [${ids}]`, async () => {
    const statuses = ['FailedDevice', 'Inventory', 'Ok', 'Installed', 'FailedEquipment', 'DISPOSED'] as const
    const devices = listedDevices(6, (number) => ({ deviceStatus: statuses[number - 1]! }))
    const portal = await openList('/northgate/Support', devices)
    for (const [preset, shown] of [
      ['failed', [1, 5]],
      ['inventory', [2]],
      ['installed', [1, 3, 4, 5]],
    ] as const) {
      await portal.go(`/northgate/${listing}/Listing/${root}-${preset}`)
      await expect.element(filterChips.getByText('Status', { exact: true })).toBeVisible()
      await expect.element(main.getByText(`${shown.length} of 6`)).toBeVisible()
      await expect.poll(rowIds).toEqual(idsOf(...shown))
      expect(lastAsked(portal)).toMatchObject({
        listing,
        filters: [{ fieldId: 'status', filterOp: 'anyof', value: presetStatuses[preset] }],
      })
    }
  })

for (const [role, listing, root] of [
  ['BoilerEngineer', 'EmergencyLights', 'emered'],
  ['LightingEngineer', 'Boilers', 'boiler'],
] as const)
  test(`a ${role} sees no view of ${listing}, and the server is not called`, async () => {
    const portal = await openList(`/northgate/${listing}/Listing/${root}-failed`, listedDevices(1), { role })
    await expect.element(refused).toBeVisible()
    await expect.element(rows).not.toBeInTheDocument()
    expect(portal.sentTo(fetchViewData)).toHaveLength(0)
  })

test('a view that does not exist, or of another listing, leads to the main one with a message', async () => {
  const portal = await openList('/northgate/Support', listedDevices(2))
  for (const viewId of ['nothing', 'boiler-failed', '7b0c3a66-58a1-4f0e-9c06-0f3d3f1a2b4c']) {
    await portal.go(`${lights}/Listing/${viewId}`)
    await expect.element(toast('This view does not exist').first()).toBeVisible()
    await expect.poll(portal.address).toBe(lights)
    await expectCount(rows, 2)
    await toast('This view does not exist').first().getByRole('button').click()
    await expect.element(toast('This view does not exist')).not.toBeInTheDocument()
  }
})

test("while the views load the list reads 'Loading Views...' [dev-2list-10]", async () => {
  const views = hold(getViewDefinitions, answer(getViewDefinitions, { views: systemViews(), fields: {} }))
  await openList(lights, listedDevices(2), { answers: [views] })
  await expect.element(main.getByText('Loading Views...', { exact: true })).toBeVisible()
  views.release()
  await expectCount(rows, 2)
  await expect.element(main.getByText('Loading Views...')).not.toBeInTheDocument()
})

test("networking devices without a view read 'No views available', other listings do not [dev-2list-9]", async () => {
  const views = systemViews().filter(({ root }) => root !== 'networking')
  const portal = await openList('/northgate/NetworkingDevices', listedDevices(2), {
    answers: [answer(getViewDefinitions, { views, fields: {} })],
  })
  await expect.element(main.getByText('No views available', { exact: true })).toBeVisible()
  await expect.element(rows).not.toBeInTheDocument()
  await portal.go(lights)
  await expectCount(rows, 2)
  await expect.element(main.getByText('No views available')).not.toBeInTheDocument()
})

test('saved views that fail to load leave the listing with its system views', async () => {
  const devices = listedDevices(2, (number) => (number === 1 ? { deviceStatus: 'FailedEquipment' } : {}))
  await openList(`${lights}/Listing/emered-failed`, devices, { answers: [answerStatus(getViewDefinitions, 500, '{}')] })
  await expect.element(toast('The saved views could not be loaded.')).toBeVisible()
  await expect.element(filterChips.getByText('Failed')).toBeVisible()
  await expect.poll(rowIds).toEqual(idsOf(1))
})

test('rows of API Integration have no link [dev-2list-21]', async () => {
  const portal = await openList(
    '/northgate/ThirdParty',
    listedDevices(2, () => ({ deviceProductId: 'ADEY' })),
  )
  const row = rows.first()
  await expect.element(row).toBeVisible()
  await expect.element(row.getByCss('a[data-row-link]')).not.toBeInTheDocument()
  await row.getByRole('gridcell').nth(2).click()
  focusIn(row)
  await press('{Enter}')
  await expect.element(row).toBeVisible()
  expect(portal.address()).toBe('/northgate/ThirdParty')
})

test('of more than eleven pages the pager shows three on either side of the current one, else all [dev-2list-32]', async () => {
  const numbers = () => textsOf(pages.getByRole('listitem'))
  const portal = await openList('/northgate/HomeHubs?page=8', listedDevices(25 * 20), { features: ['HomeHub'] })
  await expect.element(pages.getByRole('button', { name: 'Page 8' })).toHaveAttribute('aria-current', 'page')
  expect(numbers()).toEqual(['1', '…', '5', '6', '7', '8', '9', '10', '11', '…', '20'])
  portal.use(...deviceList(listedDevices(25 * 11)))
  await portal.go('/northgate/HomeHubs?page=2')
  await expect.poll(numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'])
})

test('a search finds rows during typing, begins at the first page, and is in the address [dev-2list-33]', async () => {
  const devices = listedDevices(60, (number) => (number % 20 === 0 ? { deviceDisplayName: `Stairs ${number}` } : {}))
  const portal = await openList('/northgate/HomeHubs?page=2&sort=serial', devices, { features: ['HomeHub'] })
  await expect.element(page.getByText('26 - 50 of 60')).toBeVisible()
  const before = portal.sentTo(fetchViewData).length
  await searchField.click()
  await userEvent.keyboard('stair')
  await expect.poll(portal.address).toBe('/northgate/HomeHubs?sort=serial&search=stair')
  await expect.element(page.getByText('1 - 3 of 3')).toBeVisible()
  await expect.element(main.getByText('3 of 60')).toBeVisible()
  expect(rowIds()).toEqual(idsOf(20, 40, 60))
  expect(lastAsked(portal)).toMatchObject({
    search: 'stair',
    page: 1,
    sorts: [{ fieldId: 'serial', descending: false }],
  })
  expect(portal.sentTo(fetchViewData).length - before, 'not asked for every letter').toBeLessThan(4)
  await searchField.fill('no such hub')
  await expect.element(page.getByText("No devices match 'no such hub'")).toBeVisible()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await expect.element(searchField).toHaveValue('')
  await expect.element(page.getByText('1 - 25 of 60')).toBeVisible()
})

test('with Shift several columns sort, numbered in their order', async () => {
  const devices = listedDevices(6, (number) => ({ deviceBuildingName: number % 2 ? 'Beech Court' : 'Alder House' }))
  const portal = await openList(lights, devices)
  const head = (name: string) => page.getByRole('columnheader', { name }).getByRole('button')
  await head('Building').click()
  await head('Name').click({ modifiers: ['Shift'] })
  await head('Name').click({ modifiers: ['Shift'] })
  await expect.poll(portal.address).toBe(`${lights}?sort=building%2C-name`)
  await expect.element(page.getByRole('columnheader', { name: 'Building' })).toHaveAttribute('aria-sort', 'ascending')
  await expect.element(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  await expect.element(page.getByRole('columnheader', { name: 'Building' })).toMatchTextContent('1')
  await expect.element(page.getByRole('columnheader', { name: 'Name' })).toMatchTextContent('2')
  await expect.poll(rowIds).toEqual(idsOf(6, 4, 2, 5, 3, 1))
  // Without Shift one column replaces all others; the third click restores the sort order of the view.
  await head('Serial').click()
  await expect.poll(portal.address).toBe(`${lights}?sort=serial`)
  await head('Serial').click()
  await head('Serial').click()
  await expect.poll(portal.address).toBe(lights)
})

test('a column header sorts, a second press reverses the order, and the first page is shown [dev-2list-34 dev-2list-35]', async () => {
  const portal = await openList('/northgate/HomeHubs?page=2', listedDevices(60), { features: ['HomeHub'] })
  const hubs = '/northgate/HomeHubs'
  await expect.element(page.getByText('26 - 50 of 60')).toBeVisible()
  await expect.element(header('Serial')).toHaveAttribute('aria-sort', 'none')
  await header('Serial').getByRole('button').click()
  await expect.poll(portal.address).toBe(`${hubs}?sort=serial`)
  await expect.element(header('Serial')).toHaveAttribute('aria-sort', 'ascending')
  await expect.element(page.getByText('1 - 25 of 60')).toBeVisible()
  await expect.poll(rowIds).toEqual(from(1, 25))
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(portal.address).toBe(`${hubs}?sort=serial&page=2`)
  await expect.element(page.getByText('26 - 50 of 60')).toBeVisible()
  await header('Serial').getByRole('button').click()
  await expect.poll(portal.address).toBe(`${hubs}?sort=-serial`)
  await expect.element(header('Serial')).toHaveAttribute('aria-sort', 'descending')
  await expect.element(page.getByText('1 - 25 of 60')).toBeVisible()
  await expect.poll(rowIds).toEqual(from(36, 60).toReversed())
})

test('the page is in the address, and back turns the pages', async () => {
  const hubs = '/northgate/HomeHubs'
  const portal = await openList(hubs, listedDevices(60), { features: ['HomeHub'] })
  await expect.poll(rowIds).toEqual(from(1, 25))
  await expect.element(page.getByRole('button', { name: 'Previous page' })).toBeDisabled()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(portal.address).toBe(`${hubs}?page=2`)
  await expect.element(page.getByText('26 - 50 of 60')).toBeVisible()
  await expect.element(pages.getByRole('button', { name: 'Page 2' })).toHaveAttribute('aria-current', 'page')
  expect(rowIds()).toEqual(from(26, 50))
  history.back()
  await expect.element(page.getByText('1 - 25 of 60')).toBeVisible()
  await expect.poll(rowIds).toEqual(from(1, 25))
  history.forward()
  await expect.element(page.getByText('26 - 50 of 60')).toBeVisible()
  // An invalid address shows the first page.
  await portal.go(`${hubs}?page=-3&sort=nonsense`)
  await expect.element(page.getByText('1 - 25 of 60')).toBeVisible()
})

test('a listing that fails to load shows an error in place of rows, and can be retried [core-2.7-2 core-8-33 dev-8err-25]', async () => {
  const portal = await openList(boilers, listedDevices(3), { answers: [answerStatus(fetchViewData, 500, '{}')] })
  await expect.element(page.getByRole('alert').getByText('Failed to Load')).toBeVisible()
  await expect.element(rows).not.toBeInTheDocument()
  await expect.element(page.getByText('No devices yet')).not.toBeInTheDocument()
  portal.use(...deviceList(listedDevices(3)))
  await page.getByRole('button', { name: 'Retry' }).click()
  await expectCount(rows, 3)
  await expect.element(page.getByText('Failed to Load')).not.toBeInTheDocument()
})

test('a client without devices has an empty state', async () => {
  await openList(boilers, [])
  await expect.element(page.getByText('No devices yet')).toBeVisible()
  await expect.element(page.getByText('Failed to Load')).not.toBeInTheDocument()
})

test('days and times are in the time zone of the client, wherever the user is', async () => {
  const timeZone = 'Pacific/Kiritimati'
  const since = Date.parse('2026-11-02T13:30:00Z')
  await openList(
    `${lights}?columns=name,statusSince`,
    [listedDevice(1, { deviceStatusSince: '2026-11-02T13:30:00Z' })],
    {
      session: { tenants: [clientOf('northgate', { timeZone })] },
    },
  )
  const local = new Date(localTime(since, timeZone)).toISOString().slice(11, 16)
  await expect.element(rows.first()).toMatchTextContent(`${dayText(dayAt(since, timeZone))} ${local}`)
  expect(local).toBe('03:30')
})

// Selections and pins last until a reload, so each of these tests has its own client.

test('rows stay selected across pages, sort orders and other screens; Shift selects a range [dev-2list-36]', async () => {
  const address = '/selecting/VStats'
  const portal = await openList(
    `${address}?sort=serial`,
    listedDevices(40, () => ({ deviceProductId: 'TH' })),
  )
  await expectCount(rows, 25)
  await box(1).click()
  await box(4).click({ modifiers: ['Shift'] })
  await expect.element(bar).toMatchTextContent('4 selected')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.element(page.getByText('26 - 40 of 40')).toBeVisible()
  await expect.element(selectedRows).not.toBeInTheDocument()
  await box(0).click()
  await expect.element(bar).toMatchTextContent('5 selected')
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expectCount(selectedRows, 4)
  expect(selectedRows.elements().map((row) => (row as HTMLElement).dataset['row'])).toEqual(idsOf(2, 3, 4, 5))
  await header('Serial Number').getByRole('button').click()
  await expect.element(header('Serial Number')).toHaveAttribute('aria-sort', 'descending')
  await expect.element(bar).toMatchTextContent('5 selected')
  await portal.go('/selecting/Support')
  await expect.element(rows).not.toBeInTheDocument()
  await portal.go(`${address}?sort=serial`)
  await expect.element(bar).toMatchTextContent('5 selected')
  await expect.element(box(3)).toBeChecked()
  await bar.getByRole('button', { name: 'Clear selection' }).click()
})

test('a page, or all of the listing, can be selected, also without the rows of a page [dev-2list-36]', async () => {
  const devices = listedDevices(40, () => ({ deviceProductId: 'TH' }))
  await openList('/all/VStats', devices, {
    // The server counts the devices of a query.
    answers: [
      answer(previewSelection, ({ body: { selection } }) => ({
        ...exampleOf(previewSelection),
        total: 40 - ('except' in selection ? selection.except.length : 0),
      })),
    ],
  })
  await expectCount(rows, 25)
  await pageBox.click()
  await expect.element(bar).toMatchTextContent('25 selected')
  await page.getByRole('button', { name: 'Select all 40' }).click()
  await expect.element(bar).toMatchTextContent('40 selected')
  await pageBox.click()
  await expect.element(bar).toMatchTextContent('15 selected')
  await bar.getByRole('button', { name: 'Clear selection' }).click()
  await expect.element(bar).not.toBeInTheDocument()
})

test('a read-only row cannot be selected, by checkbox, key or page [dev-2list-37]', async () => {
  const devices = listedDevices(6, (number) => ({ deviceProductId: 'BX', userHasReadOnlyAccess: number < 3 }))
  const address = '/reading/Boilers/Listing/boiler-main'
  await openList(address, devices, { role: 'BoilerEngineer' })
  await expect.element(rowOf(idOf(1)).getByRole('checkbox')).toBeDisabled()
  await expect.element(rowOf(idOf(3)).getByRole('checkbox')).toBeEnabled()
  await rowOf(idOf(1)).getByRole('checkbox').click({ force: true })
  focusIn(rowOf(idOf(1)))
  await press(' ')
  await expect.element(selectedRows).not.toBeInTheDocument()
  await pageBox.click()
  await expect.element(bar).toMatchTextContent('4 selected')
  await expectCount(selectedRows, 4)
  await bar.getByRole('button', { name: 'Clear selection' }).click()
  // A guest cannot change any of them, so there is nothing to select with.
  await openList(address, devices, { role: 'Guest' })
  await expectCount(rows, 6)
  await expect.element(page.getByRole('checkbox')).not.toBeInTheDocument()
})

test('a pinned row stays at the top on every page', async () => {
  await openList('/pinning/HomeHubs?sort=serial', listedDevices(60), { features: ['HomeHub'] })
  await expectCount(rows, 25)
  await rows.nth(6).getByRole('button', { name: 'Pin row' }).click()
  await expect.poll(() => rowIds()[0]).toBe(idOf(7))
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.element(page.getByText('26 - 50 of 60')).toBeVisible()
  await expect.poll(rowIds).toEqual([idOf(7), ...from(26, 50)])
  await rows.first().getByRole('button', { name: 'Unpin row' }).click()
  await expect.poll(rowIds).toEqual(from(26, 50))
})

test('five rows can be pinned above the others, a sixth cannot [core-2.7-3 core-2.7-4]', async () => {
  await openList('/fivepins/Boilers/Listing/boiler-main', listedDevices(12))
  await expectCount(rows, 12)
  const pin = (id: string) => rowOf(id).getByRole('button', { name: 'Pin row' })
  const pinnedRows = page.getByCss('tr[data-pinned]')
  const chosen = idsOf(10, 8, 6, 4, 2)
  for (const id of chosen) await pin(id).click()
  await expect.poll(() => rowIds().slice(0, 5)).toEqual(chosen)
  await expectCount(pinnedRows, 5)
  const sixth = pin(idOf(12))
  await expect.element(sixth).toHaveAttribute('aria-disabled', 'true')
  await sixth.click({ force: true })
  await expectCount(pinnedRows, 5)
  await rowOf(chosen[0]!).getByRole('button', { name: 'Unpin row' }).click()
  await sixth.click()
  await expect.poll(() => rowIds().slice(0, 5)).toEqual([...chosen.slice(1), idOf(12)])
  await expectCount(pinnedRows, 5)
})

test('keys select and scroll: Space, Shift and Space, Page Up and Page Down', async () => {
  await openList('/keys/EmergencyLights', listedDevices(40))
  await expectCount(rows, 40)
  focusIn(rows.first())
  await press(' ')
  await press('{ArrowDown}{ArrowDown}')
  await press('{Shift>} {/Shift}')
  await expect.element(bar).toMatchTextContent('3 selected')
  await press('{PageDown}')
  expect(focusedRow()).toBeGreaterThan(8)
  await press('{PageUp}')
  expect(focusedRow()).toBe(2)
  await press('{Control>}{End}{/Control}')
  await press('{PageDown}')
  expect(focusedRow()).toBe(39)
})

test('the arrow keys move through a listing, and Enter opens a row', async () => {
  const portal = await openList(lights, listedDevices(30))
  await expectCount(rows, 30)
  focusIn(rows.first())
  await press('{ArrowDown}{ArrowDown}')
  expect(focusedRow()).toBe(2)
  await press('{Control>}{End}{/Control}')
  expect(focusedRow()).toBe(29)
  await press('{Control>}{Home}{/Control}')
  await press('{ArrowDown}')
  expect(focusedRow()).toBe(0)
  await press('{ArrowDown}{ArrowRight}{Enter}')
  await expect.poll(portal.address).toBe(`${lights}/${idOf(2)}`)
})

test('with 101 devices the second page has one; rows refresh in place every 10 s, and nothing moves [dev-2list-31 dev-2list-39]', async () => {
  stopClock()
  const silent = () => listedDevices(101, () => ({ deviceConnectionState: 'neverconnected' }))
  const portal = await openList(`${lights}?page=2&sort=serial`, silent())
  await passUntil(() => page.getByText('101 - 101 of 101').query() !== null)
  await expectCount(rows, 1)
  await page.getByRole('button', { name: 'Previous page' }).click()
  await passUntil(() => page.getByText('1 - 100 of 101').query() !== null)
  await expectCount(rows, 100)
  const order = rowIds()
  const watched = rows.nth(40)
  focusIn(watched)
  await expect.element(watched).toMatchTextContent('Never connected')
  const scroller = page.getByCss('[data-scroll-restoration-id="Emergency Lights"]').element()
  const before = scroller.scrollTop
  expect(before).toBeGreaterThan(0)

  // Nothing has changed: the server is asked, and the rows are not fetched.
  const fetched = portal.sentTo(fetchViewData).length
  const asked = portal.sentTo(shouldUpdateView).length
  await pass(10_000)
  await expect.poll(() => portal.sentTo(shouldUpdateView).length).toBeGreaterThan(asked)
  expect(portal.sentTo(fetchViewData)).toHaveLength(fetched)

  const changed = silent().map((row) => (row.deviceId === idOf(41) ? listedDevice(41) : row))
  portal.use(...deviceList(changed), answer(shouldUpdateView, { shouldUpdate: true, deviceIds: [idOf(41)] }))
  await passUntil(() => !watched.element().textContent!.includes('Never connected'))
  await expect.element(watched).toMatchTextContent('Connected')
  await expect.element(rows.nth(41)).toMatchTextContent('Never connected')
  expect(rowIds()).toEqual(order)
  expect(focusedRow()).toBe(40)
  expect(scroller.scrollTop).toBe(before)
})

test('while rows are selected, newer data is indicated by a dot and shown on Update or when the selection ends [dev-2list-36 dev-2list-39 dev-2list-41]', async () => {
  const address = '/waiting/EmergencyLights?sort=serial'
  const known = (...connected: number[]) =>
    listedDevices(3, (number) => ({
      deviceConnectionState: connected.includes(number) ? 'Connected' : 'neverconnected',
    }))
  const changed = (...numbers: number[]): ServerAnswer[] => [
    ...deviceList(known(...numbers)),
    answer(shouldUpdateView, { shouldUpdate: true, deviceIds: idsOf(...numbers) }),
  ]
  stopClock()
  const portal = await openList(address, known())
  await passUntil(() => rows.elements().length === 3)
  const dot = page.getByText('Newer data is available')
  await box(0).click()
  await passUntil(() => bar.query() !== null)
  await expect.element(dot).not.toBeInTheDocument()
  portal.use(...changed(2))
  await passUntil(() => dot.query() !== null)
  await expect.element(rows.nth(1)).toMatchTextContent('Never connected')
  await page.getByRole('button', { name: 'Update' }).click()
  await expect.element(dot).not.toBeInTheDocument()
  await expect.element(rows.nth(1)).not.toMatchTextContent('Never connected')
  await expect.element(box(0)).toBeChecked()

  // Idle again: the waiting data is shown without a click.
  portal.use(...changed(2, 3))
  await passUntil(() => dot.query() !== null)
  await expect.element(rows.nth(2)).toMatchTextContent('Never connected')
  await bar.getByRole('button', { name: 'Clear selection' }).click()
  await expect.element(rows.nth(2)).not.toMatchTextContent('Never connected')
  await expect.element(dot).not.toBeInTheDocument()
})
