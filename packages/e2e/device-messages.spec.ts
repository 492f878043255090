import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import { emeredJoinNetwork } from '@caretaker/contract/actions.ts'
import { dayAfter, dayAt, startOfDay } from '@caretaker/rules/calendar/days.ts'
import { ask } from './fixtures/api.ts'
import { connectDevice } from './fixtures/device.ts'
import { addDevice } from './fixtures/operator.ts'
import { expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const developer = 'dev@caretaker.example'
const tab = (page: Page, name: string) => page.getByRole('main').getByRole('link', { name, exact: true })
const rows = (page: Page) => page.getByRole('listbox', { name: 'Messages' }).getByRole('option')
const chip = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Topics' }).getByRole('button', { name })
const panel = (page: Page) => page.getByRole('region', { name: 'Message', exact: true })
const find = (page: Page) => page.getByLabel('Find in messages')

test("a developer sees a device's messages, raw and described: previous and new values, rejected and unknown parts [dev-8err-40]", async ({
  pageOf,
}) => {
  const boiler = await addDevice('northgate', '--product', 'BX')
  const page = await pageOf(developer)
  await page.goto(`/northgate/Boilers/${boiler.deviceId}`)
  await tab(page, 'Messages').click()
  await expect(page.getByText('No Messages')).toBeVisible()

  const device = await connectDevice(boiler)
  await device.publish('state', { firmware: '4.1', faultCode: 'None', fault: null, buzzer: false })
  await expect(rows(page)).toHaveCount(1)
  await device.publish('state', {
    faultCode: 'EA',
    fault: { description: 'Flame not detected' },
    buzzer: true,
    mood: 'blue',
  })
  await device.publish('telemetry', { ts: Date.now(), values: { flowTemperature: 31.2, burnerStarts: 12 } })
  await device.publish('events', {
    ...{ eventId: randomUUID(), start: Date.now(), severity: 'High', category: 'Lockout' },
    description: '<b>Flame</b> not detected',
  })
  await device.publish('telemetry', { ts: Date.now(), values: { flowTemp: 31 } })
  await expect(rows(page)).toHaveCount(5)
  // A reading measured before all shown messages, but sent only now.
  const early = startOfDay(dayAt(Date.now(), 'Europe/London'), 'Europe/London') + 1
  await device.publish('telemetry', { ts: early, values: { flowTemperature: 27.5 } })
  await expect(rows(page)).toHaveCount(6)
  await expect(rows(page).last()).toContainText('Flow temperature 27.5 °C')
  await expect(rows(page).filter({ hasText: 'Refused: unknown metric flowTemp' })).toHaveCount(1)
  await expect(rows(page).filter({ hasText: 'Flow temperature 31.2 °C' })).toHaveCount(1)
  await expect(rows(page).filter({ hasText: '<b>Flame</b> not detected; since' })).toHaveCount(1)
  await expect(chip(page, /^not understood 1$/)).toBeVisible()

  await find(page).fill('fault')
  await find(page).press('Enter')
  await expect(panel(page)).toContainText('Fault code')
  await expect(page.getByRole('status').filter({ hasText: '1 of 2 found' })).toBeVisible()
  await expect(panel(page)).toContainText(/Buzzer\s*off → on/)
  await expect(panel(page)).toContainText('"blue" not understood')
  await expect(panel(page).locator('mark').first()).toHaveText(/fault/i)
  await find(page).press('Enter')
  await expect(panel(page)).toContainText('4.1')

  await chip(page, /^refused 1$/).click()
  await expect(page).toHaveURL(/topic=refused/)
  await expect(rows(page)).toHaveCount(1)
  await chip(page, /^All 6$/).click()
  await expect(rows(page)).toHaveCount(6)
  await page.getByRole('button', { name: 'Day before' }).click()
  await expect(page).toHaveURL(/date=\d{4}-\d\d-\d\d/)
  await expect(page.getByText('No Messages')).toBeVisible()
  await device.end()
})

test('a day with ten thousand messages is a list that renders only visible rows, and a search finds one', async ({
  pageOf,
}) => {
  const light = await addDevice('northgate', '--product', 'EM')
  const device = await connectDevice(light)
  const zone = 'Europe/London'
  const day = dayAfter(dayAt(Date.now(), zone), -1)
  const midnight = startOfDay(day, zone)
  for (let from = 0; from < 10_000; from += 500)
    await device.publish(
      'telemetry',
      Array.from({ length: 500 }, (_, n) => ({
        ts: midnight + (from + n) * 8_000,
        values: { batteryVoltage: from + n === 1234 ? 3.987 : 3.6 },
      })),
    )
  const page = await pageOf(developer)
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}/messages?date=${day}`)
  await expect(chip(page, /^All 10,000$/)).toBeVisible()
  const longest = await watchTasks(page)
  expect(await rows(page).count()).toBeLessThan(120)
  await expect(rows(page).first()).toHaveAttribute('aria-setsize', '10000')
  await find(page).fill('3.987')
  await find(page).press('Enter')
  const chosen = page.getByRole('option', { selected: true })
  await expect(chosen).toContainText('3.987')
  await expect(chosen).toBeInViewport()
  await expect(chosen).toHaveAttribute('aria-posinset', String(10_000 - 1234))
  expect(await rows(page).count()).toBeLessThan(120)
  await chosen.press('ArrowDown')
  await expect(page.getByRole('option', { selected: true })).toHaveAttribute('aria-posinset', String(10_001 - 1234))
  await page.getByRole('listbox', { name: 'Messages' }).evaluate(async (list) => {
    for (const share of [0.2, 0.5, 0.9, 0]) {
      list.scrollTop = list.scrollHeight * share
      await new Promise(requestAnimationFrame)
    }
  })
  await expect(rows(page).first()).toHaveAttribute('aria-posinset', '1')
  // Covers searching, stepping and scrolling. An unvirtualised list of ten thousand rows took seconds.
  expect(await longest()).toBeLessThan(500)
  await device.end()
})

/** Records from now on how long the page is busy at a time; returns a function that returns the longest time in ms. */
async function watchTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const seen: number[] = []
    Object.assign(window, { tasks: seen })
    new PerformanceObserver((list) => seen.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    })
  })
  return () => page.evaluate(() => Math.max(0, ...(window as unknown as { tasks: number[] }).tasks))
}

test('a developer sees requested and reported values side by side, and only differences are highlighted', async ({
  pageOf,
}) => {
  const light = await addDevice('northgate', '--product', 'EM')
  const device = await connectDevice(light)
  await device.publish('state', { firmware: '2.4', networkJoined: false })
  await device.publish('telemetry', { ts: Date.now(), values: { nonsense: 1 } })
  const page = await pageOf(developer)
  await page.goto(`/northgate/EmergencyLights/${light.deviceId}/debug`)
  const state = page.getByRole('region', { name: 'State' })
  const row = (name: string) =>
    state.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) })
  await expect(row('firmware')).toContainText('"2.4"')
  await expect(row('deviceId')).toContainText(light.deviceId)
  await expect(row('networkJoined')).not.toHaveAttribute('data-differs')
  const link = page.getByRole('region', { name: 'Link' })
  await expect(link).toContainText('Open')
  await expect(link).toContainText(/Rejected in 24 h\s*1/)
  await expect(link).toContainText(/unknown metric\s*1/)
  const asked = { tenant: 'northgate', deviceId: light.deviceId }
  expect((await ask(page, emeredJoinNetwork, { body: asked })).status).toBe(200)
  await expect(row('networkJoined')).toHaveAttribute('data-differs')
  await expect(row('networkJoined')).toContainText(/true\s*false/)
  await state.getByRole('button', { name: 'Only differences 1' }).click()
  await expect(row('firmware')).toHaveCount(0)
  await device.replyToCommands('confirmed')
  await device.publish('state', { networkJoined: true })
  await expect(state.getByRole('button', { name: 'Only differences 0' })).toBeVisible()
  await device.end()
})
