import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { GroupAccessRow } from '@caretaker/contract/group-access.ts'
import { getGroupAccess, setGroupAccess } from '@caretaker/contract/group-access.ts'
import type { Provisioning } from '@caretaker/contract/provisioning.ts'
import {
  createProvisioningKey,
  getProvisioning,
  revokeProvisioningKey,
  setProvisioning,
} from '@caretaker/contract/provisioning.ts'
import { getAccessRightsTags } from '@caretaker/contract/tags.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { expectCount, expectTexts } from '../../../testing/expect.ts'
import { dialog } from '../../../testing/list-screen.ts'
import { answer, exampleOf, refuse } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { main } from '../../../testing/screen.ts'

const address = '/northgate/Settings/signIn'
const east = { id: idOf(1), displayName: 'East Patch', protected: false }
const rows: GroupAccessRow[] = [
  { group: 'Housing managers', role: 'Manager', tags: [] },
  { group: 'East patch', role: 'LightingEngineer', tags: [east.id] },
]
const state: Provisioning = {
  ...exampleOf(getProvisioning),
  ...{ address: 'https://caretaker.example/scim/v2', invites: false, users: 3, members: 2, groups: 1 },
  keys: [{ id: idOf(2), createdAt: '2026-11-02T09:30:00Z', createdBy: 'Ada Marsh', lastUsedAt: null }],
  withoutAccess: [{ id: idOf(3), name: 'Paul Kerr', userName: 'paul@north.example', reason: 'No group gives access' }],
}

function open(options: NonNullable<Parameters<typeof openPortal>[1]> = {}) {
  return openPortal(address, {
    role: 'Manager',
    ...options,
    answers: [
      answer(getAccessRightsTags, [east]),
      answer(getGroupAccess, { rows }),
      answer(getProvisioning, state),
      ...(options.answers ?? []),
    ],
  })
}

const groups = main.getByRole('region', { name: 'Groups of your directory' })
const listed = groups.getByRole('listitem')
const provisioning = main.getByRole('region', { name: 'Provisioning' })
const button = (name: string) => page.getByRole('button', { name, exact: true })

test('groups are listed in their order, with role and access rights tag', async () => {
  await open()
  await expectTexts(listed, [/Housing managers Manager, No restrictions/, /East patch Lighting engineer, East Patch/])
})

test('a group is added, moved up, changed and deleted; each saves the whole list', { timeout: 60_000 }, async () => {
  const sent: GroupAccessRow[][] = []
  await open({ answers: [answer(setGroupAccess, ({ body }) => void sent.push(body.rows))] })
  await button('Add group').click()
  await dialog.getByLabelText('Group').fill('east PATCH')
  await expect.element(dialog.getByText('Another row has this group.')).toBeVisible()
  await dialog.getByLabelText('Group').fill('Readers')
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await expectCount(page.getByRole('option', { name: 'Developer' }), 0)
  await page.getByRole('option', { name: 'Guest', exact: true }).click()
  await dialog.getByRole('button', { name: 'Add' }).click()
  const readers = { group: 'Readers', role: 'Guest', tags: [] }
  await expect.poll(() => sent.at(-1)).toEqual([...rows, readers])
  await expectCount(listed, 3)

  await button('Move up: Readers').click()
  await expect.poll(() => sent.at(-1)).toEqual([rows[0], readers, rows[1]])
  await expectTexts(listed, [/^Housing managers/, /^Readers/, /^East patch/])

  await button('Edit: East patch').click()
  await dialog.getByRole('combobox', { name: 'Access rights tag' }).click()
  await page.getByRole('option', { name: 'No restrictions' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => sent.at(-1)?.[2]?.tags).toEqual([])

  await button('Delete: Readers').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => sent.at(-1)?.map(({ group }) => group)).toEqual(['Housing managers', 'East patch'])
})

test('a change that would leave no manager is refused in its dialog', async () => {
  const message = 'A client needs at least one manager without restrictions.'
  await open({ answers: [refuse(setGroupAccess, 'conflict', { message })] })
  await button('Delete: Housing managers').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.element(dialog.getByText(message)).toBeVisible()
  await expectCount(listed, 2)
})

test('provisioning shows its address, numbers, keys and the users without access', async () => {
  await open()
  await expect.element(provisioning.getByText(state.address)).toBeVisible()
  await expect.element(provisioning.getByText('3 users, 2 with access; 1 group')).toBeVisible()
  await expect.element(provisioning.getByText('Created 02/11/2026 by Ada Marsh')).toBeVisible()
  const without = provisioning.getByRole('region', { name: 'Users without a role from a group' })
  await expectTexts(without.getByRole('listitem'), [/Paul Kerr paul@north.example No group gives access/])
})

test('a key is shown once, and revoked after a question', async () => {
  const revoked: string[] = []
  await open({
    answers: [
      answer(createProvisioningKey, { id: idOf(4), key: 'scim_northgate_secret' }),
      answer(revokeProvisioningKey, ({ params }) => void revoked.push(params.keyId)),
    ],
  })
  await provisioning.getByRole('button', { name: 'Add key' }).click()
  await expect.element(dialog.getByText('scim_northgate_secret')).toBeVisible()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await provisioning.getByRole('button', { name: 'Revoke the key created 02/11/2026' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect.poll(() => revoked).toEqual([idOf(2)])
})

test('with two keys none can be added', async () => {
  const keys = [state.keys[0]!, { ...state.keys[0]!, id: idOf(5) }]
  await open({ answers: [answer(getProvisioning, { ...state, keys })] })
  await expect.element(provisioning.getByText('To add another key, revoke the older one.')).toBeVisible()
  await expectCount(provisioning.getByRole('button', { name: 'Add key' }), 0)
})

test('invitations by e-mail are switched', async () => {
  const sent: boolean[] = []
  await open({ answers: [answer(setProvisioning, ({ body }) => void sent.push(body.invites))] })
  await provisioning.getByRole('checkbox', { name: 'Invite new users by e-mail' }).click()
  await expect.poll(() => sent).toEqual([true])
  await expect.element(provisioning.getByRole('checkbox', { name: 'Invite new users by e-mail' })).toBeChecked()
})
