import type { Page } from '@playwright/test'
import { demoDevices, demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { putPropertyDetails } from '@caretaker/contract/properties.ts'
import { ask, isCall } from './fixtures/api.ts'
import { findings } from './fixtures/axe.ts'
import { rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const guest = 'guest@northgate.example'
const tabOf = (reference: string, tab: string) => `/northgate/Properties/${demoPropertyId(reference)}/${tab}`
const heads = (page: Page, table: string) => page.getByRole('grid', { name: table }).getByRole('columnheader')

test('the devices of a property are listed in order with their actions, and its heat saviour below [est-2.3-57] [est-2.3-60] [est-2.3-65] [est-2.3-66] [est-2.3-67] [est-2.3-68] [est-4-56] [est-7.2-5]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(tabOf(demoHomes.heatSaviour, 'devices'))
  await expect(page.getByRole('heading', { name: 'Devices', exact: true })).toBeVisible()
  await expect(heads(page, 'Devices')).toHaveText([
    'Device',
    'Status',
    'Access Rights Tag',
    'Serial Number',
    'Eui64',
    'Location',
    'Additional Location Details',
    'Connection Status',
    'Actions',
  ])
  const powerSwitch = rows(page).filter({ hasText: demoDevices.powerSwitch.serial })
  await expect(powerSwitch).toBeVisible()
  // A power switch has no chip in the cell where other devices have one.
  await expect(powerSwitch.getByRole('gridcell').nth(1)).toHaveText('')
  await expect(rows(page).filter({ hasText: 'Multi-dot' }).first().getByRole('gridcell').nth(1)).not.toHaveText('')
  await expect(page.getByRole('region', { name: 'Heat saviour' })).toContainText(
    /State confirmed|Waiting for device confirmation/,
  )
  const here = page.url()
  await powerSwitch.getByRole('gridcell').nth(3).click()
  await expect(page).toHaveURL(here)

  const meters: string[] = []
  page.on('request', (request) => {
    const [, deviceId] = /\/powermeters\/([^/?]+)$/.exec(request.url()) ?? []
    if (deviceId && request.method() === 'GET') meters.push(deviceId)
  })
  await page.goto(tabOf(demoHomes.lively, 'devices'))
  // Each power meter is asked for its circuits, and shows a line for each.
  const meter = rows(page).filter({ hasText: 'Power meter' })
  await expect(meter.getByRole('gridcell').nth(5)).toContainText(
    /Clamp 1: Sockets\s*Clamp 2: Cooker\s*Clamp 3: Kettle ring/,
  )
  await expect.poll(async () => new Set(meters).size === (await meter.count())).toBe(true)
  const boiler = rows(page).filter({ hasText: demoDevices.livelyBoiler.serial })
  await boiler.getByRole('button', { name: /^Actions: / }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expect(page).toHaveURL(tabOf(demoHomes.lively, 'devices'))
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Heat saviour' })).toHaveCount(0)
  await boiler.getByRole('gridcell').nth(3).click()
  await expect(page).toHaveURL(`/northgate/Boilers/${demoDevices.livelyBoiler.deviceId}`)
})

test('services and audit are plain tables with columns in the given order, and days in UTC whatever the browser’s time zone [est-1-9] [est-1-13] [est-2.3-53] [est-2.3-54] [est-2.3-55] [est-2.3-102] [est-2.3-103] [est-9-26]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto(tabOf(demoHomes.lively, 'services'))
  const packages = ['SaaS Start Date', 'SaaS Period', 'SaaS End Date', 'SaaS Renewed Date']
  await expect(heads(page, 'Device Packages')).toHaveText(['Device', 'Serial Number', 'Licence Type', ...packages])
  const service = ['Start Date', 'End Date', 'Period', 'Renewed Date'].map((what) => `Service ${what}`)
  await expect(heads(page, 'Managed Service Licence or Package')).toHaveText(['Licence type', ...service])
  const first = page.getByRole('grid', { name: 'Device Packages' }).locator('tbody tr[data-row]').first()
  await expect(first).toContainText('Boiler control module')
  await expect(first).toContainText(/\d\d\/\d\d\/\d{4}/)
  const days = (await first.innerText()).match(/\d\d\/\d\d\/\d{4}/g)
  for (const timezoneId of ['Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
    const elsewhere = await pageOf(manager, { timezoneId })
    await elsewhere.goto(tabOf(demoHomes.lively, 'services'))
    const same = elsewhere.getByRole('grid', { name: 'Device Packages' }).locator('tbody tr[data-row]').first()
    await expect(same).toContainText(days![0]!)
    expect((await same.innerText()).match(/\d\d\/\d\d\/\d{4}/g)).toEqual(days)
  }

  const params = { tenant: 'northgate', propertyId: demoPropertyId(demoHomes.lively) }
  for (const numberOfFloor of [3, 2]) await ask(page, putPropertyDetails, { params, body: { numberOfFloor } })
  await page.goto(tabOf(demoHomes.lively, 'propertyAudit'))
  await expect(heads(page, 'Audit')).toHaveText(['Description', 'Date/Time', 'User'])
  const entries = page.getByRole('grid', { name: 'Audit' }).locator('tbody tr[data-row]')
  // Other tests add photographs meanwhile.
  const changed = entries.filter({ hasText: 'Property details changed' }).first()
  await expect(changed).toBeVisible()
  await expect(changed.getByRole('gridcell').nth(1)).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:\d\d$/)
  const sizes = page.getByRole('combobox', { name: 'Rows per page' })
  await expect(sizes).toHaveValue('25')
  await expect(sizes.getByRole('option')).toHaveText(['25', '50', '100'])
})

test('a week of set points is typed, copied and undone without being sent; a property without a V-Stat shows the reason [est-1-11] [est-2.3-104] [est-2.3-105] [est-2.3-106] [est-2.3-107] [est-2.3-108] [est-2.3-109] [est-2.3-110] [est-2.3-111] [est-2.3-112]', async ({
  pageOf,
}) => {
  const page = await pageOf(guest)
  await page.goto(tabOf(demoHomes.heatSaviour, 'thermoScheduler'))
  const heating = page.getByRole('region', { name: 'Heating', exact: true })
  const water = page.getByRole('region', { name: 'Domestic Hot Water', exact: true })
  for (const scheduler of [heating, water]) {
    await expect(scheduler.locator('tbody tr')).toHaveCount(7)
    const inputs = scheduler.locator('tbody').getByRole('textbox')
    await expect(inputs).toHaveCount(7 * 8)
    for (const value of await inputs.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)))
      expect(value).toBe('0')
    await expect(scheduler.getByRole('button', { name: 'Save' })).toBeDisabled()
    await expect(scheduler.getByText('Saving keeps a draft in this browser')).toBeVisible()
  }
  const sent: string[] = []
  page.on('request', (request) => {
    // Meanwhile, the sidebar refreshes its counts with a reading call.
    const reads = new URL(request.url()).pathname.startsWith('/api/Get')
    if (isCall(request) && request.method() !== 'GET' && !reads) sent.push(request.url())
  })
  await heating.getByLabel('Heating, Monday, Time 1').fill('390')
  await expect(heating.getByText('06:30')).toBeVisible()
  await heating.getByLabel('Heating, Monday, Temperature 1').fill('19.5')
  await expect(heating.getByRole('button', { name: 'Save' })).toBeEnabled()
  await expect(water.getByRole('button', { name: 'Save' })).toBeDisabled()
  await heating.getByRole('button', { name: 'Copy Monday of Heating' }).click()
  await page.getByRole('checkbox', { name: 'Sunday' }).check()
  await page.getByRole('button', { name: 'Copy to 1 day' }).click()
  await expect(heating.getByLabel('Heating, Sunday, Temperature 1')).toHaveValue('19.5')
  await heating.getByRole('button', { name: 'Undo' }).click()
  await expect(heating.getByLabel('Heating, Sunday, Temperature 1')).toHaveValue('0')
  await heating.getByRole('button', { name: 'Save' }).click()
  await expect(heating.getByRole('button', { name: 'Save' })).toBeDisabled()
  await expect(heating.getByText('Draft, not sent to the thermostat')).toBeVisible()
  await expect(heating.getByLabel('Heating, Monday, Time 1')).toHaveValue('390')

  // The same numbers as a picture, changed by keyboard and by pointer; one undo reverts a whole drag.
  await heating.getByText('Week', { exact: true }).click()
  const handle = heating.getByRole('slider', { name: 'Heating, Monday, set point 1' })
  await expect(handle).toHaveAttribute('aria-valuetext', '06:30, 19.5 °C')
  await handle.press('ArrowRight')
  await handle.press('ArrowUp')
  await expect(handle).toHaveAttribute('aria-valuetext', '06:35, 20 °C')
  const { x, y, width, height } = (await handle.boundingBox())!
  await page.mouse.move(x + width / 2, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width / 2 + 80, y + height / 2 - 13, { steps: 8 })
  await page.mouse.up()
  await expect(handle).toHaveAttribute('aria-valuetext', /^(0[7-9]|1\d):(00|15|30|45), 21 °C$/)
  await heating.getByRole('button', { name: 'Undo' }).click()
  await expect(handle).toHaveAttribute('aria-valuetext', '06:35, 20 °C')
  // The last saved edge is marked, and a day can be copied to others.
  await expect(heating.getByTitle('06:30 before')).toHaveCount(1)
  await heating.getByRole('button', { name: 'Weekdays' }).click()
  await heating.getByRole('button', { name: 'Copy to 4 days' }).click()
  await heating.getByRole('button', { name: 'Friday', exact: true }).click()
  await expect(heating.getByRole('slider', { name: 'Heating, Friday, set point 1' })).toHaveAttribute(
    'aria-valuetext',
    '06:35, 20 °C',
  )
  await expect(heating.getByRole('checkbox', { name: 'Friday' })).toBeDisabled()
  expect(await findings(page, { include: 'main' })).toEqual([])
  expect(sent).toEqual([])

  await page.goto(tabOf(demoHomes.failedAutofill, 'thermoScheduler'))
  await expect(
    page.getByText(
      'Thermostat-Scheduler only available with our V-Stat or HomeHub devices - Contact our Commercial team for more information',
    ),
  ).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Heating', exact: true })).toHaveCount(0)
})

test('on a phone a week is shown one day at a time under miniatures of all days, copied to other days, and saved at the edge of the screen [est-2.3-109] [est-2.3-110]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager, { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.goto(tabOf(demoHomes.heatSaviour, 'thermoScheduler'))
  const save = page.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await expect(page.getByText('Saving keeps a draft in this browser')).toBeInViewport()
  const days = page.getByRole('group', { name: 'Day of Heating' }).getByRole('button')
  await expect(days).toHaveCount(7)
  const bands = (at: number) => days.nth(at).locator('i')
  await expect(bands(2)).toHaveCount(1)
  await page.getByRole('button', { name: 'Wednesday', exact: true }).click()
  await page.getByLabel('Heating, Wednesday, Time 1').fill('0630')
  await page.getByLabel('Heating, Wednesday, Temperature 1').fill('19.5')
  await page.getByRole('button', { name: 'Increase Temperature 1' }).click()
  await expect(page.getByLabel('Heating, Wednesday, Temperature 1')).toHaveValue('20 °C')
  // An invalid time is removed when the field loses focus.
  const second = page.getByLabel('Heating, Wednesday, Time 2')
  await second.fill('25:99')
  await second.blur()
  await expect(second).toHaveValue('00:00')
  await expect(page.getByRole('slider', { name: 'Heating, Wednesday, set point 1' })).toHaveAttribute(
    'aria-valuetext',
    '06:30, 20 °C',
  )
  await expect(bands(2)).toHaveCount(2)
  await expect(bands(5)).toHaveCount(1)

  await page.getByRole('button', { name: 'Copy to other days, Wednesday of Heating' }).click()
  await page.getByRole('checkbox', { name: 'Saturday' }).check()
  await page.getByRole('button', { name: 'Copy to 1 day' }).click()
  await expect(bands(5)).toHaveCount(2)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(bands(5)).toHaveCount(1)

  // Hot water has its own week, and the heating week is unchanged.
  await page.getByText('Domestic Hot Water', { exact: true }).click()
  await expect(save).toBeDisabled()
  await page.locator('label').getByText('Heating', { exact: true }).click()
  await expect(save).toBeInViewport()
  await save.click()
  await expect(save).toBeDisabled()
  await expect(page.getByLabel('Heating, Wednesday, Time 1')).toHaveValue('06:30')

  expect(await findings(page, { include: 'main' })).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
    .toBe(0)
  for (const name of ['Time 1', 'Temperature 1'])
    await expect
      .poll(() =>
        page
          .getByLabel(`Heating, Wednesday, ${name}`)
          .evaluate((input: HTMLInputElement) => input.scrollWidth <= input.clientWidth),
      )
      .toBe(true)
})
