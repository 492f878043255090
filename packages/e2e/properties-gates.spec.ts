import { withHomes } from './fixtures/clients.ts'
import { rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

// For content that depends on features, capabilities and states, see
// packages/web/src/features/properties/property-gates.component.test.tsx.

test("the access rights tag of a property's device is edited in its row and kept [est-2.3-61]", async ({
  newClient,
}) => {
  const client = await newClient(withHomes)
  const home = await client.home()
  const device = await client.device('MD', { home })
  await client.accessRightsTag('East Patch')
  const page = await client.pageOf('Manager')
  await page.goto(client.at(`Properties/${home.propertyId}/devices`))
  const tag = rows(page).filter({ hasText: device.serial }).getByRole('gridcell').nth(2)
  await expect(tag).toContainText('Not set')
  await page.getByRole('button', { name: `Edit access rights tag of ${device.serial}` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').or(dialog.getByRole('combobox')).first().click()
  await page.getByRole('option', { name: 'East Patch' }).click()
  await dialog.getByRole('button', { name: /Save|Update/ }).click()
  await expect(dialog).toHaveCount(0)
  await page.reload()
  await expect(tag).toContainText('East Patch')
})
