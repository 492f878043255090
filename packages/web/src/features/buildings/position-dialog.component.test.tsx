import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getLatLong } from '@caretaker/contract/buildings.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedAnswers } from '../../testing/varied.ts'

test(
  'a position far from the postcode asks for confirmation, and one click swaps latitude and longitude',
  { timeout: 60_000 },
  async () => {
    const place = { lat: 53.8, lng: -1.52, isApproximate: true, credit: null }
    await openPortal('/northgate/Buildings/Add', {
      viewport: { width: 1440, height: 960 },
      answers: [...variedAnswers(), answer(getLatLong, place as never)],
    })
    await expect.element(page.getByLabelText('Post code')).toBeVisible()
    await page.getByLabelText('Post code').fill('ls97qt')
    await page.getByRole('button', { name: 'Check Post Code' }).click()
    await page.getByRole('button', { name: 'Position Building' }).click()
    const dialog = page.getByRole('dialog', { name: 'Position Building' })
    await expect.element(dialog.getByRole('button', { name: 'Use this position' })).toBeVisible()
    await dialog.getByLabelText('Latitude').fill('-1.52')
    await dialog.getByLabelText('Longitude').fill('53.8')
    await expect.element(dialog.getByText(/km from LS9 7QT\. Latitude and longitude are exchanged/)).toBeVisible()
    await expect.element(dialog.getByRole('button', { name: 'Use it anyway' })).toBeEnabled()
    await dialog.getByRole('button', { name: 'Swap them' }).click()
    await expect.element(dialog.getByLabelText('Latitude')).toHaveValue('53.80000')
    await expect.element(dialog.getByRole('button', { name: 'Use this position' })).toBeVisible()
    await dialog.getByLabelText('Latitude').fill('0')
    await dialog.getByLabelText('Longitude').fill('0')
    await expect.element(dialog.getByText(/km from LS9 7QT\. Is this correct/)).toBeVisible()
  },
)
