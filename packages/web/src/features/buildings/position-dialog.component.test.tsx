import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getBuilding, getLatLong } from '@caretaker/contract/buildings.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedExampleOf } from '../../testing/varied.ts'

test('a position far from the post code is a question, with exchanged degrees mended by one press', async () => {
  const building = variedExampleOf(getBuilding)
  const place = { lat: 53.8, lng: -1.52, isApproximate: false, credit: null }
  await openPortal(`/northgate/Buildings/${building.building}`, {
    answers: [
      answer(getBuilding, { ...building, lat: 53.8, lng: -1.52, address: '1 Weavers Row, LS9 7QT' }),
      answer(getLatLong, place as never),
    ],
  })
  await page.getByRole('button', { name: 'Position Building' }).click()
  const dialog = page.getByRole('dialog', { name: 'Position Building' })
  await expect.element(dialog.getByRole('button', { name: 'Use this position' })).toBeVisible()
  await dialog.getByLabelText('Latitude').fill('-1.52')
  await dialog.getByLabelText('Longitude').fill('53.8')
  await expect
    .element(dialog.getByRole('alert'))
    .toHaveTextContent(/[\d,]+ km from LS9 7QT\. Latitude and longitude are exchanged\./)
  await expect.element(dialog.getByRole('button', { name: 'Use it anyway' })).toBeEnabled()
  await dialog.getByRole('button', { name: 'Exchange them' }).click()
  await expect.element(dialog.getByLabelText('Latitude')).toHaveValue('53.80000')
  await expect.element(dialog.getByRole('button', { name: 'Use this position' })).toBeVisible()
  await dialog.getByLabelText('Latitude').fill('0')
  await dialog.getByLabelText('Longitude').fill('0')
  await expect.element(dialog.getByRole('alert')).toHaveTextContent(/km from LS9 7QT\. Is it right\?/)
})
