import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { updateDeviceBuildingLocation } from '@caretaker/contract/devices.ts'
import { ask } from './fixtures/api.ts'
import { alterResponse, rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const { offlineGateway, livelyGateway } = demoDevices
const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const connected = (page: Page) => page.getByRole('region', { name: 'Connected devices', exact: true }).first()
const addressOf = ({ deviceId }: { deviceId: string }) => `/northgate/NetworkingDevices/${deviceId}`

test('an offline gateway shows the consequences, and its connected devices as a tree and as a table', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  await page.goto(addressOf(offlineGateway))
  const alarm = card(page, 'Alarm')
  await expect(alarm).toContainText(/Silent for \d+ h, with 9 lights connected through it/)
  await expect(alarm).toContainText(
    /Its signal fell from -\d.* to -\d.* in the \d+ h before, from \d{2}\/\d{2}\/\d{4} \d{2}:\d{2} on/,
  )
  await expect(alarm).toContainText(
    'The lights do not need this gateway in a power cut, but their condition is unknown.',
  )
  await expect(alarm).toContainText(/Their T\d+ of [\d/]+ was missed; the next test is a T\d+ on [\d/]+\./)
  await expect(alarm).toContainText('9 of 9 without contact since')
  await expect(connected(page).getByRole('listitem')).toHaveCount(9)
  await expect(card(page, 'Signal before contact was lost')).toContainText('dBm')
  await expect(card(page, 'Link').getByRole('img')).toHaveAccessibleName(/^Silent for .* on$/)
  await expect(card(page, 'Link')).toContainText(/Connected \d+ %.*Not connected \d+ (h|days)/)
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('30 days', { exact: true }).click()
  await expect(page).toHaveURL(/\?range=last30Days$/)
  await expect(card(page, 'Link')).toContainText(/Connected \d+ %/)
  await page.reload()
  await expect(page.getByRole('radio', { name: '30 days' })).toBeChecked()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Readings as CSV' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toMatch(/\n"Signal strength","Signal strength","dBm",/)
  await alarm.getByRole('link', { name: 'Show the lights' }).click()
  await expect(rows(page)).toHaveCount(9)
  await page.goBack()
  const head = page.getByRole('main').locator('header').first()
  await expect(head.getByRole('link', { name: 'Riverside Point' })).toHaveAttribute(
    'href',
    /\/northgate\/Buildings\/.+/,
  )
  await connected(page).getByText('Table', { exact: true }).click()
  const table = page.getByRole('table', { name: 'Connected devices' })
  await expect(table.locator('tbody tr')).toHaveCount(9)
  await table.getByRole('link', { name: 'Roof access' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Roof access')
  await card(page, 'Identity').getByRole('link', { name: offlineGateway.name }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(offlineGateway.name)

  // More than twelve devices are grouped by floor, from the top.
  await alterResponse(
    page,
    '**/api/GetNetworkingDevice',
    ({ data }: { data: { children: object[]; childCount: number } }) => {
      const more = data.children.map((child, index) => ({
        ...child,
        deviceId: `0000000${index}-0000-4000-8000-000000000000`,
      }))
      data.children.push(...more)
      data.childCount = data.children.length
    },
  )
  await page.goto(addressOf(offlineGateway))
  await expect(connected(page).getByText('Floors', { exact: true })).toBeVisible()
  await expect(connected(page).locator('dt').first()).toContainText('Floor 3')
  await expect(connected(page).getByRole('listitem')).toHaveCount(18)
})

test('a user who may edit networking moves a gateway; a guest and a read-only user are offered nothing [dev-6other-5 dev-6other-6 dev-6other-7]', async ({
  pageOf,
  expectedErrors,
}) => {
  // As a third-party device the gateway has no readings to chart.
  expectedErrors.push(consoleText(404))
  const edits = (page: Page) =>
    page.getByRole('main').getByRole('button', { name: /^Edit (Building|Floor|Room|Coordinates)$/ })
  const boilers = await pageOf('boiler@northgate.example')
  await boilers.goto(addressOf(livelyGateway))
  await expect(edits(boilers)).toHaveCount(4)
  // A boiler engineer does not see lights.
  await expect(connected(boilers).getByRole('listitem')).toHaveText([/^Corridor 5 Zigbee extender/])
  await expect(card(boilers, 'Alarm')).toHaveCount(0)

  const guest = await pageOf('guest@northgate.example')
  await guest.goto(addressOf(livelyGateway))
  await expect(card(guest, 'Location')).toContainText('Riser cupboard')
  await expect(edits(guest)).toHaveCount(0)
  const { status } = await ask(guest, updateDeviceBuildingLocation, {
    body: { tenant: 'northgate', deviceId: livelyGateway.deviceId, room: 'Mine' },
  })
  expect(status).toBe(403)

  for (const change of [{ productId: 'ADEY' }, { userHasReadOnlyAccess: true }]) {
    const page = await pageOf('manager@northgate.example')
    await alterResponse(
      page,
      '**/api/GetNetworkingDevice',
      ({ data }: { data: object }) => void Object.assign(data, change),
    )
    await page.goto(addressOf(livelyGateway))
    await expect(card(page, 'Location')).toContainText('Riser cupboard')
    await expect(edits(page)).toHaveCount(0)
  }
})
