import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Property } from '@caretaker/contract/properties.ts'
import { putPropertyDetails } from '@caretaker/contract/properties.ts'
import { getResidents } from '@caretaker/contract/residents.ts'
import type { PropertyVoid } from '@caretaker/contract/void-mode.ts'
import { getPropertyVoid } from '@caretaker/contract/void-mode.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHome, homePages } from '../../../testing/examples/homes.ts'
import { expectCount } from '../../../testing/expect.ts'
import { answer } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { region } from '../../../testing/screen.ts'

const flag = page.getByRole('switch', { name: 'Void Property Flag' })
const question = page.getByRole('dialog', { name: /^Turn void/ })
const resident = (auth0UserId: string, name: string, approved: boolean) => ({
  ...{ auth0UserId, name, email: null, savingsAndTipsAt: null },
  residences: [
    { residenceId: idOf(50), propertyReference: 'NG-0050', address: null, approved, since: '2026-03-01T00:00:00Z' },
  ],
})
const residents = [resident('auth0|ann', 'Ann Lee', true), resident('auth0|bob', 'Bob Roe', true)]
const noEffects: PropertyVoid = {
  ...{ isVoid: false, plan: [], effects: [], firings: [], lockedOut: [], mutedAlerts: 0, deviceCount: 1 },
}

async function open(
  more: Partial<Property> = {},
  { role = 'Manager', given = {} }: { role?: Role; given?: Partial<PropertyVoid> } = {},
) {
  const home = aHome(more)
  const features: Feature[] = ['PropertyCentric', 'VoidFlag', 'ManageResidentAccess']
  const portal = await openPortal(`/northgate/Properties/${home.propertyId}/info`, {
    ...{ features, role },
    answers: [
      ...homePages(home),
      answer(getPropertyVoid, { ...noEffects, isVoid: home.voidStatus === 'Void', ...given }),
      answer(getResidents, { results: [...residents, resident('auth0|cara', 'Cara Day', false)] }),
      answer(putPropertyDetails, home),
    ],
  })
  await expect.element(flag, loading).toBeVisible()
  return portal
}

for (const voidStatus of ['NotVoid', 'Void'] as const) {
  const word = voidStatus === 'Void' ? 'let again' : 'void'
  test(`before a property is ${word}, its approved residents are listed, and only selected residents keep their access`, async () => {
    const portal = await open({ voidStatus })
    await flag.click({ force: true })
    const list = question.getByRole('group', { name: 'Approved residents' })
    await expect.element(list, loading).toBeVisible()
    for (const { name } of residents) await expect.element(list.getByText(name, { exact: true })).toBeVisible()
    await expectCount(list.getByText('Cara Day'), 0)
    await list.getByRole('checkbox', { name: 'Keep access of Bob Roe' }).click()
    await question.getByRole('button', { name: 'Confirm' }).click()
    await expectCount(question, 0)
    const [sent] = portal.sentTo(putPropertyDetails)
    expect(sent!.body).toMatchObject({
      voidStatus: voidStatus === 'Void' ? 'NotVoid' : 'Void',
      keepAccessOf: ['auth0|bob'],
    })
  })
}

test('a void property with a locked-out boiler shows that the boiler does not fire and may freeze, and which alerts stay on', async () => {
  await open(
    { voidStatus: 'Void', voidSince: '2026-11-20T10:00:00Z' },
    {
      given: {
        lockedOut: [{ deviceId: idOf(51), serialNumber: 'BX000051', since: '2026-11-27T09:43:00Z' }],
        firings: [
          {
            ...{ deviceId: idOf(51), serialNumber: 'BX000051', at: '2026-11-30T09:00:00Z', standing: 'blocked' },
            reason: 'The boiler is locked out. It fires only if the lockout ends before then.',
          },
        ],
      },
    },
  )
  const panel = region('Void')
  const row = (text: string) => panel.getByRole('listitem').filter({ hasText: text })
  await expect
    .element(row('Boiler locked out: no firing, frost risk'), loading)
    .toMatchTextContent(/BX000051 since 27\/11\/2026 09:43.*Locked out$/)
  await expect.element(row('Boiler fires for 5 minutes')).toMatchTextContent(/Cannot fire$/)
  await expect.element(row('Device alerts muted, except frost, leak and carbon monoxide')).toBeVisible()
})
