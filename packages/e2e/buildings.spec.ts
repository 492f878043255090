import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { Locator, Page } from '@playwright/test'
import { addBuilding } from '@caretaker/contract/buildings.ts'
import { buildingKey } from '@caretaker/rules/buildings/building.ts'
import { newClient as newClientOn } from './fixtures/client.ts'
import { ask } from './fixtures/api.ts'
import { counted } from './fixtures/lists.ts'
import { answerOnce, alterResponse, sidebar, withoutStream } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const title = (page: Page) => page.getByRole('heading', { level: 1 })
const floors = (page: Page) => page.getByRole('table', { name: 'Floors' }).locator('tbody tr')
const floor = (page: Page, name: string) => floors(page).filter({ hasText: name })
const press = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true }).click()
const plan = (inner = '<rect width="9" height="9"/>') => ({
  name: 'ground.svg',
  mimeType: 'image/svg+xml',
  buffer: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${inner}</svg>`),
})

/** A server that closes the connection after receiving a number of bytes. */
async function startCuttingServer(after: number): Promise<{ url: string; close: () => void }> {
  const server = createServer((socket) => {
    let bytes = 0
    socket.on('error', () => undefined)
    socket.on('data', (part) => (bytes += part.length) > after && socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/UploadFloorPlan`
  return { url, close: () => server.close() }
}

/** Records the upload progress that is shown from now on, in percent, without repetitions. */
async function shownProgress(page: Page): Promise<() => Promise<number[]>> {
  const shown = await page.evaluateHandle(() => {
    const values: number[] = []
    let last: number | undefined
    new MutationObserver(() => {
      const value = document.querySelector('progress')?.value
      if (value !== undefined && value !== last) values.push(value)
      last = value
    }).observe(document.body, { subtree: true, childList: true, attributes: true })
    return values
  })
  return () => shown.jsonValue()
}

test.describe('a building is set up', () => {
  test.use({ expectedErrors: [consoleText(415), 'net::ERR_'] })

  // For duplicate names, floor rows and unsaved changes, see
  // packages/web/src/features/buildings/building-form.component.test.tsx.
  test('from its postcode, with floors and a plan, and opens again as it was saved [core-1-11] [core-2.4-20] [core-2.4-21] [core-2.4-22] [est-1-2] [est-1-3] [est-1-4] [est-1-5] [est-2.1-1] [est-2.1-12] [est-2.1-13] [est-2.1-14] [est-2.1-16] [est-2.1-17] [est-2.1-18] [est-2.1-19] [est-2.1-20] [est-2.1-21] [est-2.1-23] [est-2.1-24] [est-2.1-25] [est-2.1-26] [est-2.1-27] [est-2.1-30] [est-2.1-31] [est-2.1-32] [est-2.1-33] [est-2.1-35] [est-2.1-36] [est-2.1-37] [est-2.1-38] [est-2.1-39] [est-2.1-40] [est-2.1-42] [est-2.1-44] [est-2.1-45] [est-2.1-46] [est-2.1-47] [est-2.1-48] [est-2.1-53] [est-3-5] [est-3-48] [est-3-49] [est-3-50] [est-3-51] [est-4-1] [est-4-2] [est-4-3] [est-4-4] [est-4-19] [est-4-20] [est-4-21] [est-4-22] [est-4-23] [est-4-24] [est-5-1] [est-5-3] [est-5-4] [est-5-6] [est-6-12] [est-7.1-5] [est-7.1-6]', async ({
    page,
  }) => {
    test.slow()
    const { tenant } = await newClientOn(page, 'Beck Homes')
    await page.goto(`/${tenant}/EmergencyLights`)
    await sidebar(page).getByRole('link', { name: 'Buildings' }).click()
    await expect(page).toHaveURL(`/${tenant}/Buildings`)
    await expect(page.getByText('No buildings!')).toBeVisible()
    await page.getByRole('link', { name: 'Add a building' }).click()
    await expect(page).toHaveURL(`/${tenant}/Buildings/Add`)
    await expect(title(page)).toHaveText('Add new building')
    await expect(floors(page)).toHaveCount(1)
    await expect(floors(page).locator('td:first-child b')).toHaveText('0')
    await expect(page.getByRole('combobox', { name: 'Default floor' })).toHaveValue('0')

    const position = page.getByRole('button', { name: 'Position Building' })
    await expect(position).toBeDisabled()
    const saved = counted(page, 'POST', /\/api\/AddBuilding$/)
    await press(page, 'Save Building')
    await expect(page.getByText('Building name is required')).toBeVisible()
    await expect(page.getByText('Post Code is required')).toBeVisible()
    await page.getByLabel('Building name').fill('Beck Court')
    await page.getByLabel('Post code').fill('HX1 5ZZZ')
    await press(page, 'Save Building')
    await expect(page.getByText('Post code is invalid')).toBeVisible()
    await expect(position).toBeDisabled()
    expect(saved()).toBe(0)
    await page.getByLabel('Post code').fill('hx1 5tx')
    await expect(page.getByText('Post code is invalid')).toHaveCount(0)
    await press(page, 'Check Post Code')
    await expect(position).toBeEnabled()

    // The marker is dragged to the building.
    await position.click()
    const marker = page.getByRole('dialog').locator('[data-marker="building"]')
    const latitude = page.getByLabel('Latitude')
    await expect(marker).toBeVisible()
    await expect(latitude).not.toHaveValue('')
    const found = await latitude.inputValue()
    const { x, y, width, height } = (await marker.boundingBox())!
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + width / 2 + 80, y + height / 2 - 60, { steps: 5 })
    await page.mouse.up()
    await expect(latitude).not.toHaveValue(found)
    // Arrow keys and typed coordinates move it too.
    const longitude = page.getByLabel('Longitude')
    const east = Number(await longitude.inputValue())
    await marker.focus()
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(async () => Number(await longitude.inputValue())).toBeGreaterThan(east)
    const use = page.getByRole('button', { name: 'Use this position' })
    const wasAt = await latitude.inputValue()
    await latitude.fill('91')
    await expect(page.getByText('Latitude must be from −90 to 90')).toBeVisible()
    await expect(use).toBeDisabled()
    await latitude.fill('53.71')
    await expect(marker).toHaveAccessibleName(/^The building at 53\.71000, /)
    await expect(use).toBeEnabled()
    await latitude.fill(wasAt)
    // Undo reverts a step on the map, not text typed into the form behind it.
    const typed = await longitude.inputValue()
    await marker.focus()
    await page.keyboard.press('ArrowRight')
    await expect(longitude).not.toHaveValue(typed)
    await page.keyboard.press('Control+z')
    await expect(longitude).toHaveValue(typed)
    for (let step = 0; step < 20; step++) await page.keyboard.press('Control+z')
    await expect(latitude).toHaveValue(found)
    await expect(page.getByRole('dialog')).toBeVisible()
    await latitude.fill(wasAt)
    const dropped = `${await latitude.inputValue()}, ${await page.getByLabel('Longitude').inputValue()}`
    await press(page, 'Use this position')
    await expect(page.getByText(dropped)).toBeVisible()

    await press(page, 'Add floor')
    const name = page.getByRole('textbox', { name: 'Floor name' })
    await expect(name).toBeFocused()
    await expect(name).toHaveValue('1')
    await name.fill('First')
    await press(page, 'Save')
    await expect(name).toHaveCount(0)
    await press(page, 'Save Building')
    await expect(page).toHaveURL(new RegExp(`/${tenant}/Buildings/[0-9a-f-]{36}$`))
    await expect(title(page)).toHaveText('Beck Court')
    // Only the postcode of the address is known.
    await expect(page.getByRole('definition').filter({ hasText: 'HX1 5TX' })).toBeVisible()
    const address = page.url()
    // The page updates without the change stream.
    await withoutStream(page)
    await page.reload()
    await expect(page.getByText(dropped)).toBeVisible()
    await expect(
      floors(page)
        .locator('td:first-child b')
        .filter({ hasText: /^(0|First)$/ }),
    ).toHaveText(['0', 'First'])

    // A first plan is rejected; the next one is uploaded slowly and then stored.
    const lowest = floors(page).first()
    await expect(lowest.getByRole('link', { name: /^Position/ })).toHaveCount(0)
    const upload = lowest.getByRole('button', { name: /floor plan of/ })
    await expect(upload).toHaveText(/^Upload/)
    const choose = page.getByLabel('Floor plan of 0')
    await choose.setInputFiles({ ...plan(), buffer: Buffer.from('no drawing') })
    await expect(upload).toHaveText(/^Retry/)
    await expect(lowest.getByRole('alert')).toContainText('The file is not an SVG drawing.')
    // The upload is slow and interrupted halfway; the next attempt starts at 0 again.
    const network = await page.context().newCDPSession(page)
    const sent = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
      })
    const large = plan(`<path d="M0 0${'h1v1h-1'.repeat(40_000)}"/>`)
    const progress = lowest.getByRole('progressbar')
    const shown = await shownProgress(page)
    await sent(80_000)
    const cutting = await startCuttingServer(100_000)
    await answerOnce(page, '**/api/UploadFloorPlan', (route) => route.continue({ url: cutting.url }))
    const uploading = page.waitForRequest('**/api/UploadFloorPlan')
    await choose.setInputFiles(large)
    await expect(upload).toHaveText(/^Uploading\.\.\./)
    expect((await uploading).headers()['authorization']).toMatch(/^Bearer ./)
    await expect(upload).toHaveText(/^Retry/)
    await expect(progress).toHaveCount(0)
    await expect(lowest.getByRole('alert')).not.toContainText('The file is not an SVG drawing.')
    const before = await shown()
    expect(before[0]).toBe(0)
    expect(before.at(-1)).toBeGreaterThan(0)
    cutting.close()
    await sent(160_000)
    await choose.setInputFiles(large)
    await expect(upload).toHaveText(/^Complete/)
    const again = (await shown()).slice(before.length)
    expect(again[0]).toBe(0)
    expect(again.length).toBeGreaterThan(3)
    expect(again).toEqual(again.toSorted((a, b) => a - b))
    await sent(-1)
    await expect(lowest).toContainText('ground.svg')
    const id = new URL(address).pathname.split('/').at(-1)!
    await expect(lowest.getByRole('link', { name: /^Position/ })).toHaveAttribute(
      'href',
      `/${tenant}/PositionFloor?building=${id}&floor=0`,
    )
    await expect(floor(page, 'First').getByRole('link', { name: /^Position/ })).toHaveCount(0)

    // The plan is drawn on the map of its floor.
    await page.goto(`/${tenant}/FloorPlan?building=${id}&floor=0`)
    await expect(page.locator('[data-plan]')).toBeVisible()
    await page.goto(address)
    await expect(floor(page, 'First')).toHaveCount(1)
    await floor(page, 'First').getByRole('button', { name: 'Edit name: First' }).click()
    await name.fill('Attic')
    await press(page, 'Save')
    await page.getByRole('combobox', { name: 'Default floor' }).click()
    await page.getByRole('option', { name: 'Attic' }).click()
    await press(page, 'Save Building')
    await expect(page).toHaveURL(`/${tenant}/Buildings`)
    await page.getByRole('link', { name: 'Beck Court' }).click()
    await expect(page).toHaveURL(address)
    await page.reload()
    await expect(floor(page, 'Attic')).toContainText('Default')

    // A building without a position is placed by its postcode, or by a click on the world map.
    await alterResponse(page, '**/api/GetBuilding', ({ data }: { data: { lat: null; lng: null; address: string } }) => {
      Object.assign(data, { lat: null, lng: null, address: '1 Gibbet Street, Halifax HX1 5TX' })
    })
    await page.goto(address)
    await expect(page.getByText('This building has no position yet.')).toBeVisible()
    await position.click()
    const ground = page.getByRole('dialog').getByRole('region', { name: 'Map of the building' })
    await expect(ground).toBeVisible()
    await expect(marker).toHaveCount(0)
    await expect(use).toBeDisabled()
    const mapBox = (await ground.boundingBox())!
    await page.mouse.click(mapBox.x + mapBox.width / 2, mapBox.y + mapBox.height / 2)
    await expect(marker).toBeVisible()
    // The world map opens at its centre.
    expect(Math.abs(Number(await latitude.inputValue()))).toBeLessThan(3)
    expect(Math.abs(Number(await longitude.inputValue()))).toBeLessThan(3)
    await press(page, 'Cancel')
    await expect(page.getByLabel('Post code')).toHaveValue('HX1 5TX')
    await press(page, 'Check Post Code')
    await expect(page.getByText(/^53\.7\d+, -1\.8\d+$/)).toBeVisible()
    await page.unroute('**/api/GetBuilding')

    // Found by its name.
    await page.goto(`/${tenant}/Buildings/beck-court`)
    await expect(title(page)).toHaveText('Beck Court')
    // Leads to the plan editor and back.
    await floors(page)
      .first()
      .getByRole('link', { name: /^Position/ })
      .click()
    await expect(page).toHaveURL(`/${tenant}/PositionFloor?building=${id}&floor=0`)
    await page.getByRole('button', { name: 'Increase Rotation' }).click()
    await page.evaluate(() => history.back())
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await expect(question).toBeVisible()
    await press(question, 'Cancel')
    await expect(page.getByRole('textbox', { name: 'Rotation' })).toHaveValue('1')
    await press(page, 'Save')
    await expect(page).toHaveURL(`/${tenant}/Buildings/beck-court`)
    expect(saved()).toBe(1)

    // When the response has no id, the page uses the name.
    await alterResponse(
      page,
      '**/api/AddBuilding',
      ({ data }: { data: { buildingId?: string } }) => delete data.buildingId,
    )
    await page.goto(`/${tenant}/Buildings/Add`)
    await page.getByLabel('Building name').fill("St. John's  Wharf")
    await page.getByLabel('Post code').fill('HX1 5TX')
    await press(page, 'Save Building')
    await expect(page).toHaveURL(`/${tenant}/Buildings/${buildingKey("St. John's  Wharf")}`)
    await expect(title(page)).toHaveText("St. John's Wharf")
  })
})

test('the list shows the state of each building, and its counts lead to the devices [est-2.1-4] [est-2.1-5] [est-2.1-6] [est-2.1-8] [est-2.1-9]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  await page.goto('/northgate/Buildings')
  const heads = page.getByRole('columnheader').filter({ hasText: /./ })
  await expect(heads).toHaveText(['Pin', 'Name', 'Number of devices', 'Fails', 'Warnings', 'Offline'])
  await expect(page.getByRole('link', { name: 'Add a building' })).toBeVisible()
  // Other tests may change the state of a device meanwhile.
  const follows = (address: string, figure: Locator) =>
    expect(async () => {
      await page.goto(address)
      const [count] = /[\d,]+/.exec(await figure.innerText()) ?? []
      await figure.click()
      await expect(page).toHaveURL(/\/northgate\/[A-Z]\w+(\/Listing\/[\w-]+)?\?filters=/)
      await expect(page.getByRole('main').locator('header')).toContainText(`${count} of`, { timeout: 5000 })
    }).toPass({ timeout: 30_000 })
  // A count whose devices are in several listings is not a link. Skip the check if no count is a link.
  const followed: string[] = []
  for (const column of ['Number of devices', 'Fails', 'Warnings', 'Offline']) {
    await page.goto('/northgate/Buildings')
    await expect(page.getByRole('link', { name: /: Fails of / }).first()).toBeVisible()
    const figure = page.getByRole('link', { name: new RegExp(`: ${column} of `) }).first()
    if ((await figure.count()) === 0) continue
    await follows('/northgate/Buildings', figure)
    followed.push(column)
  }
  expect(followed).toEqual(expect.arrayContaining(['Fails', 'Warnings']))
  await page.goto('/northgate/Buildings')
  // Row and pin highlight each other.
  const preview = page.getByRole('complementary', { name: 'Positions of the buildings' })
  const marked = page.getByRole('row').and(page.locator('[aria-current]'))
  const named = page.getByRole('row').filter({ has: page.getByRole('link', { name: /^Beech Hill Court/ }) })
  await named.hover()
  await expect(marked).toContainText('Beech Hill Court')
  await expect(preview.getByRole('heading')).toHaveText('Beech Hill Court')
  // The filter, here a postcode without its space, also applies to the heading's count and the map.
  const filter = page.getByRole('searchbox', { name: 'Filter buildings' })
  await filter.fill('ls119bd')
  await expect(page.getByRole('main').locator('header').first()).toContainText(/1 of \d+/)
  await expect(preview.getByRole('heading')).toHaveText('Kestrel Court')
  await expect(preview.locator('[data-marker]')).toHaveCount(1)
  await expect(preview.getByRole('button', { name: /^Kestrel Court/ })).toBeVisible()
  await filter.fill('')
  await expect(preview.locator('[data-marker]').nth(2)).toBeVisible()
  await page.goto('/northgate/Buildings')
  await page.getByRole('link', { name: /^Beech Hill Court/ }).click()
  await expect(page).toHaveURL(/\/northgate\/Buildings\/[0-9a-f-]{36}$/)
  await expect(title(page)).toHaveText('Beech Hill Court')
  // The counts on a building's own page lead to the same rows.
  await page.goto('/northgate/Buildings')
  const failing = page.getByRole('link', { name: /: Fails of / }).first()
  const [, failingName] = /: Fails of (.+)$/.exec((await failing.getAttribute('aria-label'))!)!
  await page.goto(`/northgate/Buildings/${buildingKey(failingName!)}`)
  const links = page
    .getByRole('main')
    .getByRole('region', { name: /^Devices/ })
    .getByRole('link')
  await expect(links.first()).toBeVisible()
  const address = page.url()
  await follows(address, links.first())
})

// For other roles, see packages/web/src/features/buildings/building-rights.component.test.tsx.
test('a read-only user stays on the list and cannot add a building by a direct call; restricted users see no buildings [core-6-21] [est-2.1-2] [est-2.1-3] [est-2.1-7] [est-2.1-11]', async ({
  newClient,
}) => {
  const client = await newClient()
  const { building: id, name } = await client.building()
  const guest = await client.pageOf('Guest')
  await guest.goto(client.at('Buildings'))
  await guest.getByRole('gridcell', { name: new RegExp(`^${name}`) }).click()
  await expect(guest).toHaveURL(client.at('Buildings'))
  await expect(guest.getByRole('link', { name: /Add a building|^Mill House/ })).toHaveCount(0)
  const building = { name: 'Not mine', lat: 53, lng: -1, floors: [{ name: '0' }] }
  expect((await ask(guest, addBuilding, { body: { tenant: client.tenant, building } })).status).toBe(403)

  const limited = await client.pageOf(
    await client.member('Manager', { name: 'Dean Short', tag: await client.accessRightsTag('East Patch') }),
  )
  for (const address of ['Buildings', 'Buildings/Add', `Buildings/${id}`]) {
    await limited.goto(client.at(address))
    await expect(limited.getByRole('main').getByText("You don't have permission.")).toBeVisible()
    await expect(sidebar(limited).getByRole('link', { name: 'Buildings' })).toHaveCount(0)
  }
})
