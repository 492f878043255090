import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import { exportInspectionSheet, startInspectionSheets } from '@caretaker/contract/inspection.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const dialog = page.getByRole('dialog', { name: 'Inspector’s sheet' })
const aBuilding = exampleOf(getTenantBuildings)[0]!
const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
const buildings = answer(getTenantBuildings, [
  { ...aBuilding, building: ids[0]!, name: 'Alder House' },
  { ...aBuilding, building: ids[1]!, name: 'Beech Hill Court' },
])

test('sheets of several or all buildings are queued like reports; a disabled button shows the reason', async () => {
  const portal = await openPortal('/northgate/EmergencyLightSchedules', {
    role: 'LightingEngineer',
    answers: [buildings, answer(startInspectionSheets, { runId: ids[0]! })],
  })
  await page.getByRole('button', { name: 'Inspector’s sheet' }).click()
  const download = dialog.getByRole('button', { name: 'Download' })
  await expect.element(download).toBeDisabled()
  await expect.element(download).toHaveAccessibleDescription('Choose a building to download its sheet.')
  const field = dialog.getByRole('combobox', { name: 'Buildings' })
  await field.click()
  await page.getByRole('option', { name: 'Alder House' }).click()
  await expect.element(download).toBeEnabled()
  await page.getByRole('option', { name: 'Beech Hill Court' }).click()
  await dialog.getByRole('button', { name: 'Create sheets' }).click()
  await expect.poll(() => portal.sentTo(startInspectionSheets).map(({ body }) => body.buildingIds)).toEqual([ids])
  await expect.element(page.getByText('The sheets are being prepared.')).toBeVisible()
  await page.getByRole('button', { name: 'Inspector’s sheet' }).click()
  await field.click()
  await page.getByRole('option', { name: 'All buildings' }).click()
  await dialog.getByRole('button', { name: 'Create sheets' }).click()
  await expect.poll(() => portal.sentTo(startInspectionSheets).at(-1)!.body.buildingIds).toBe(null)
  expect(portal.sentTo(exportInspectionSheet)).toEqual([])
})
