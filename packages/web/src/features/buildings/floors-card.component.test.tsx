import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getBuilding } from '@caretaker/contract/buildings.ts'
import { boxOf } from '../../testing/boxes.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedExampleOf } from '../../testing/varied.ts'

test('the file of a plan takes one line, with its actions below', async () => {
  const building = variedExampleOf(getBuilding)
  const image = 'level-1-north-wing-emergency-lighting-as-built-revision-c.svg'
  const floors = building.floors.map((floor) => ({ ...floor, image, hasFloorPlan: true, lat: 53.7, long: -1.8 }))
  await openPortal(`/northgate/Buildings/${building.building}`, {
    answers: [answer(getBuilding, { ...building, floors })],
  })
  const file = page.getByTitle(image).first()
  await expect.element(file).toBeVisible()
  expect(boxOf(file).height).toBeLessThan(30)
  const row = page.getByRole('table', { name: 'Floors' }).getByCss('tbody tr').first()
  for (const control of [
    row.getByRole('button', { name: 'Upload' }),
    row.getByRole('link', { name: 'Position' }),
    row.getByRole('link', { name: 'Place devices' }),
  ])
    expect(boxOf(control).top).toBeGreaterThanOrEqual(boxOf(file).bottom - 1)
})
