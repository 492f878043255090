import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { User } from '@caretaker/contract/people.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import { getProperty } from '@caretaker/contract/properties.ts'
import type { PersonalDataRead } from '@caretaker/contract/reads.ts'
import { exportPersonalDataReads, getPersonalDataReads } from '@caretaker/contract/reads.ts'
import { notByHome } from '@caretaker/rules/audit/reads.ts'
import { expectNoViolations } from '../testing/axe.ts'
import { aHome, homePages } from '../testing/examples/homes.ts'
import { dialog } from '../testing/list-screen.ts'
import { answer } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { button } from '../testing/screen.ts'

const read = (more: Partial<PersonalDataRead> = {}): PersonalDataRead => ({
  ...{
    readId: 'one',
    personId: 'p1',
    name: 'Greta Vale',
    role: 'Guest',
    isKey: false,
    viewingAs: null,
    page: 'Property',
    kind: 'page',
  },
  ...{ question: null, properties: [], residents: 0, rows: 1, times: 3 },
  ...{ firstAt: '2026-06-01T09:00:00.000Z', lastAt: '2026-06-01T09:10:00.000Z', ...more },
})
const listed = (...results: PersonalDataRead[]) => answer(getPersonalDataReads, { results, total: results.length })

test('a manager sees who looked at a property, and exports it', async () => {
  const home = aHome()
  const portal = await openPortal(`/northgate/Properties/${home.propertyId}`, {
    features: ['PropertyCentric'],
    answers: [
      ...homePages(home),
      listed(
        read(),
        read({ readId: 'two', name: 'Import', isKey: true, role: 'Manager', kind: 'list', page: 'Property list' }),
      ),
      answer(exportPersonalDataReads, new File(['x'], 'who-looked.csv', { type: 'text/csv' })),
    ],
  })
  await button('Actions of this property').click()
  await page.getByRole('menuitem', { name: 'Views of personal data' }).click()
  await expect.element(dialog.getByText('Greta Vale (Guest)')).toBeVisible()
  await expect.element(dialog.getByText('Import (API key)')).toBeVisible()
  await expect.element(dialog.getByText(/3 times/).first()).toBeVisible()
  await expect.element(dialog.getByText(notByHome)).toBeVisible()
  expect(portal.sentTo(getPersonalDataReads)[0]!.query).toMatchObject({ propertyId: home.propertyId, page: 1 })
  await dialog.getByRole('button', { name: 'Export CSV' }).click()
  await expect.poll(() => portal.sentTo(exportPersonalDataReads).length).toBe(1)
  await expectNoViolations(document.body)
})

test('engineers and guests are not offered it', async () => {
  const home = aHome()
  const portal = await openPortal(`/northgate/Properties/${home.propertyId}`, {
    role: 'Guest',
    features: ['PropertyCentric'],
    answers: homePages(home),
  })
  await expect.poll(() => portal.sentTo(getProperty).length).toBeGreaterThan(0)
  await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect.element(button('Actions of this property')).not.toBeInTheDocument()
})

test('the entries of a person name the properties', async () => {
  const greta: User = {
    ...{ id: '0d8a6c1e-3f5b-4c2d-9e7a-000000000009', name: 'Greta Vale', email: 'greta@mill.example', role: 'Guest' },
    ...{
      tags: [],
      accessRightsTag: null,
      canChange: true,
      isVendorStaff: false,
      hasSignedIn: true,
      isProvisioned: false,
    },
  }
  const properties = Array.from({ length: 7 }, (_, at) => ({ propertyId: String(at), reference: `NG-${at}` }))
  await openPortal('/northgate/Users', {
    answers: [
      answer(listUsers, { results: [greta] }),
      listed(read({ page: 'Property list', kind: 'list', properties })),
    ],
  })
  await button('More actions: Greta Vale').click()
  await page.getByRole('menuitem', { name: 'Views of personal data by this user' }).click()
  await expect.element(dialog.getByText('List, NG-0, NG-1, NG-2, NG-3, NG-4, 2 more')).toBeVisible()
})
