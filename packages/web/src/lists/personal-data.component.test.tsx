import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { listingNames } from '@caretaker/rules/devices/list.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { loading } from '../testing/device-screen.ts'
import { listingsOf, rowsOf } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import { header, rows, toast } from '../testing/list-screen.ts'
import { openPortal } from '../testing/portal.tsx'

const addressColumns = ['Address', 'Postcode']
const withNewer: Feature[] = ['PropertyCentric', 'HomeHub', 'NewListingView']

test.each(listingNames.flatMap((listing) => [[listing, true] as const, [listing, false] as const]))(
  'the columns and filters of %s name address and postcode, unless personal data is hidden: %s [dev-6other-19]',
  async (listing, isHidden) => {
    const features: Feature[] = isHidden ? [...withNewer, 'HideCustomerPersonalData'] : withNewer
    const count = isHidden ? 0 : 1
    await openPortal(`/northgate/${listing}?columns=serial,name,address,postcode`, {
      ...{ role: 'Developer', features },
      answers: listingsOf(rowsOf(1)),
    })
    await expect.element(rows.first(), loading).toBeVisible()
    for (const name of addressColumns) await expectCount(header(name), count)
    await page.getByRole('button', { name: 'Columns' }).click()
    const menu = page.getByRole('dialog', { name: 'Columns' })
    await expect.element(menu.getByRole('checkbox', { name: 'Serial' }).first()).toBeVisible()
    for (const name of addressColumns) await expectCount(menu.getByRole('checkbox', { name }), count)
    await userEvent.keyboard('{Escape}')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    const filter = page.getByRole('dialog')
    await expect.element(filter.getByRole('button', { name: /^(Device )?Status$/ })).toBeVisible()
    for (const name of addressColumns) await expectCount(filter.getByRole('button', { name, exact: true }), count)
  },
)

test('a filter by postal address is removed from the list address with a message where personal data is hidden [dev-6other-19]', async () => {
  const address = `/northgate/EmergencyLights?filters=${encodeURIComponent('[{"fieldId":"address","filterOp":"present","value":true}]')}`
  for (const isHidden of [true, false]) {
    await openPortal(address, {
      features: isHidden ? ['HideCustomerPersonalData'] : [],
      answers: listingsOf(rowsOf(1)),
    })
    await expect.element(rows.first(), loading).toBeVisible()
    await expectCount(toast('Ignored in the web address'), isHidden ? 1 : 0)
  }
})
