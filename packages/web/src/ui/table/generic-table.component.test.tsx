import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getTenantBuildingSummary } from '@caretaker/contract/buildings.ts'
import { boxOf } from '../../testing/boxes.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const one = exampleOf(getTenantBuildingSummary)[0]!
const buildings = Array.from({ length: 24 }, (_, at) => ({
  ...one,
  building: { building: idOf(at + 1), name: `Building ${at}` },
}))

const open = async (height: number) => {
  await openPortal('/northgate/Buildings', {
    viewport: { width: 1440, height },
    answers: [answer(getTenantBuildingSummary, buildings)],
  })
  await expect.poll(() => rows.elements().length).toBe(10)
}
const rows = page.getByCss('tbody tr[data-row]')

test('ten rows fill the height of a tall screen, and keep their usual height on a small one', async () => {
  await open(900)
  const left = () => boxOf(page.getByCss('[data-foot]')).top - boxOf(rows.last()).bottom
  await expect.poll(left).toBeLessThan(100)
  expect(left()).toBeGreaterThanOrEqual(0)
  await page.viewport(1440, 500)
  await expect.poll(() => boxOf(rows.first()).height).toBe(38)
})

test('headings and names are aligned with the title of the page', async () => {
  await open(900)
  /** Within a pixel, because glyph sizes have fractional offsets. */
  const textLeft = (element: Element) => {
    const range = document.createRange()
    range.selectNodeContents(element)
    return Math.round(range.getBoundingClientRect().left)
  }
  const title = textLeft(page.getByRole('heading', { name: 'Buildings' }).element())
  expect(
    Math.abs(textLeft(page.getByRole('columnheader', { name: 'Name' }).getByText('Name').element()) - title),
  ).toBeLessThanOrEqual(1)
  expect(Math.abs(textLeft(rows.first().getByText('Building').element()) - title)).toBeLessThanOrEqual(1)
})
