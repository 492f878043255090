import { expect, test } from './fixtures/test.ts'

const addresses = [
  'Settings',
  'Settings/tags',
  'Settings/accessRightsTags',
  'Settings/luminaire',
  'Settings/residents',
].concat(['Settings/Tenants', 'Settings/Tenants/Add', 'Settings/Tenants/northgate'])

test('limited people get no screen of the settings by its address, and others of their role do [core-6-23]', async ({
  pageOf,
}) => {
  const limited = await pageOf('limited@northgate.example')
  for (const address of addresses) {
    await limited.goto(`/northgate/${address}`)
    await expect(limited.getByRole('main').getByText("You don't have permission.")).toBeVisible()
    await expect(limited.getByRole('main').getByRole('button')).toHaveCount(0)
  }
  const manager = await pageOf('manager@northgate.example')
  await manager.goto('/northgate/Settings/tags')
  await expect(manager.getByRole('button', { name: 'Add tag' })).toBeVisible()
})
