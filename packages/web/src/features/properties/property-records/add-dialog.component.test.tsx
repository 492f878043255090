import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { saveDocument } from '@caretaker/contract/documents.ts'
import { loading } from '../../../testing/device-screen.ts'
import { aHome, homePages } from '../../../testing/examples/homes.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { main } from '../../../testing/screen.ts'

test('a file that is not a photograph is rejected when chosen and is not sent', async () => {
  const home = aHome()
  const portal = await openPortal(`/northgate/Properties/${home.propertyId}/propertyRecords`, {
    features: ['PropertyCentric', 'PropertyRecords'],
    answers: homePages(home),
  })
  const input = main.getByCss('input[type=file]')
  await expect.poll(() => input.elements().length, loading).toBeGreaterThan(0)
  await input.upload(new File(['no photograph'], 'Mould.heic', { type: 'image/heic' }))
  const dialog = page.getByRole('dialog')
  await expect
    .element(dialog.getByText('HEIC photographs cannot be displayed everywhere. Save the photograph as JPEG'))
    .toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Add', exact: true })).toBeDisabled()
  expect(portal.sentTo(saveDocument)).toEqual([])
})
