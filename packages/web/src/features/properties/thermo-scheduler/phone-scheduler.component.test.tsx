import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getThermostatSchedules } from '@caretaker/contract/schedules.ts'
import { boxOf } from '../../../testing/boxes.ts'
import { aHome, aHomeDevice, homePages } from '../../../testing/examples/homes.ts'
import { answer } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'

test('a set point at midnight stays within the day: neither its time nor its handle hangs over the edge', async () => {
  const home = aHome()
  const noWeek = { heating: null, hotWater: null }
  await openPortal(`/northgate/Properties/${home.propertyId}/thermoScheduler`, {
    features: ['PropertyCentric'],
    viewport: { width: 390, height: 844 },
    answers: [
      ...homePages(home, [aHomeDevice({ product: 'TH', deviceType: 'V-Stat' })]),
      answer(getThermostatSchedules, { takesSchedules: true, desired: noWeek, reported: noWeek }),
    ],
  })
  const handle = page.getByRole('slider', { name: /set point 1$/ }).first()
  await expect.element(handle).toBeVisible()
  const day = handle.element().parentElement!.getBoundingClientRect()
  expect(handle.element().getAttribute('aria-valuetext')).toMatch(/^00:00/)
  expect(boxOf(handle.getByCss('i')).left).toBeGreaterThanOrEqual(day.left - 1)
  expect(boxOf(handle.getByText('00:00', { exact: true })).left).toBeGreaterThanOrEqual(day.left - 1)
})
