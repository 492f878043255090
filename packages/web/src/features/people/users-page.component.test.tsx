import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { User } from '@caretaker/contract/people.ts'
import {
  createUser,
  deleteUser,
  listUsers,
  updateUserDetails,
  updateUserRole,
  updateUserTags,
} from '@caretaker/contract/people.ts'
import { getAccessRightsTags } from '@caretaker/contract/tags.ts'
import { provisionedText } from '@caretaker/rules/people/users.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { expectCount, expectTexts } from '../../testing/expect.ts'
import { dialog, rows, toast } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, answerStatus, refuse } from '../../testing/network.ts'
import type { Portal } from '../../testing/portal.tsx'
import { openPortal } from '../../testing/portal.tsx'
import { button, main, refused, rowWith, sidebar } from '../../testing/screen.ts'

const tag = '0d8a6c1e-3f5b-4c2d-9e7a-000000000001'
const table = page.getByRole('grid', { name: 'Users' })
const groups = table.getByCss('th[scope=rowgroup]')
const option = (name: string) => page.getByRole('option', { name, exact: true })

const user = (name: string, role: Role, more: Partial<User> = {}): User => ({
  ...{ id: name.toLowerCase().replace(' ', '-'), name, email: `${name.split(' ')[0]!.toLowerCase()}@mill.example` },
  ...{ role, tags: [], accessRightsTag: null, canChange: true, isVendorStaff: false, hasSignedIn: true },
  ...{ isProvisioned: false, ...more },
})
const ada = user('Ada Marsh', 'Manager', { canChange: false })
const greta = user('Greta Vale', 'Guest')
const dean = user('Dean Short', 'Manager', { tags: [tag], accessRightsTag: tag })
const alma = user('Alma Reid', 'Admin', { isVendorStaff: true, canChange: false })

const listOf = (...results: User[]) => answer(listUsers, { results })

interface Opened {
  role?: Role
  tags?: string[]
  answers?: ServerAnswer[]
  viewport?: { width: number; height: number }
}

/** The users page of a client with the access rights tag East Patch, with rows loaded. */
async function openUsers({ answers = [], ...more }: Opened = {}): Promise<Portal> {
  const known = answer(getAccessRightsTags, [{ id: tag, displayName: 'East Patch', protected: false }])
  const portal = await openPortal('/northgate/Users', {
    ...more,
    answers: [known, listOf(ada, greta, dean, alma), ...answers],
  })
  await expect.element(rowWith('Ada Marsh')).toBeVisible()
  return portal
}

async function choose(field: string, name: string): Promise<void> {
  await dialog.getByRole('combobox', { name: field }).click()
  await option(name).click()
}

async function fillNewUser(): Promise<void> {
  await button('Create user').click()
  await dialog.getByLabelText('Name').fill('Una Test')
  await dialog.getByLabelText('E-mail').fill('una.test@new.example')
  await choose('Role', 'Boiler engineer')
}

/** The heading of a row's group. */
function groupOf(name: string): string | undefined {
  let one = rowWith(name).element().previousElementSibling
  while (one && !one.querySelector('th[scope=rowgroup]')) one = one.previousElementSibling
  return one?.querySelector('th')?.firstChild?.textContent?.trim()
}

test('users are grouped by restriction, and vendor staff have a group of their own [core-2.4-50 core-6-39 est-9-33]', async () => {
  await openUsers()
  for (const name of ['Name', 'E-mail', 'Role', 'Access rights tag', 'Actions'])
    await expect.element(table.getByRole('columnheader', { name })).toBeVisible()
  await expectTexts(groups, [/^No restrictions/, /^East Patch/, /^Vendor staff/])
  expect(groupOf('Greta Vale')).toBe('No restrictions')
  expect(groupOf('Dean Short')).toBe('East Patch')
  expect(groupOf('Alma Reid')).toBe('Vendor staff')
})

test('vendor staff are recognised by e-mail address on the server, not by role [core-6-39]', async () => {
  await openUsers({ answers: [listOf(ada, { ...greta, isVendorStaff: true }, { ...alma, isVendorStaff: false })] })
  expect(groupOf('Greta Vale')).toBe('Vendor staff')
  expect(groupOf('Alma Reid')).toBe('No restrictions')
})

describe('only users who may administer users have the screen [core-1-5 core-2.3-26 core-2.4-51]', () => {
  test.each(['Guest', 'LightingEngineer', 'BoilerEngineer'] as const)('not for %s', async (role) => {
    const portal = await openPortal('/northgate/Users', { role })
    await expect.element(refused).toBeVisible()
    await expect.element(sidebar.getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect.element(sidebar.getByRole('link', { name: 'Users' })).not.toBeInTheDocument()
    await expect.element(page.getByRole('grid')).not.toBeInTheDocument()
    expect(portal.sentTo(listUsers)).toEqual([])
  })

  test.each(['Manager', 'Admin', 'Developer'] as const)('for %s', async (role) => {
    await openUsers({ role })
    await expect.element(sidebar.getByRole('link', { name: 'Users' })).toBeVisible()
    await expect.element(button('Create user')).toBeEnabled()
  })
})

test(
  'a user is created by one call, and the list is fetched again [core-7.3-3 core-4.4-6 core-7.4-1]',
  { timeout: 60_000 },
  async () => {
    const una = user('Una Test', 'BoilerEngineer', { tags: [tag], accessRightsTag: tag, hasSignedIn: false })
    const portal = await openUsers({ answers: [answer(createUser, una)] })
    await fillNewUser()
    await choose('Access rights tag', 'East Patch')
    const before = portal.sentTo(listUsers).length
    portal.use(listOf(ada, greta, dean, alma, una))
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect.element(toast('User created successfully!')).toBeVisible()
    await expect.element(rowWith('Una Test')).toMatchTextContent(/Boiler engineer/)
    expect(groupOf('Una Test')).toBe('East Patch')
    await expect.element(dialog).not.toBeInTheDocument()
    expect(portal.sentTo(createUser).map(({ body }) => body)).toEqual([
      {
        ...{ name: 'Una Test', email: 'una.test@new.example', role: 'BoilerEngineer' },
        tags: [{ type: 'AccessRight', value: tag }],
      },
    ])
    expect(portal.sentTo(listUsers).length).toBe(before + 1)
  },
)

test('neither Developer nor Admin can be chosen as role; no restrictions can be chosen [core-6-34 core-6-38]', async () => {
  await openUsers({ role: 'Developer' })
  await button('Create user').click()
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await expectTexts(page.getByRole('option'), ['Lighting engineer', 'Boiler engineer', 'Manager', 'Guest'])
  await option('Guest').click()
  await dialog.getByRole('combobox', { name: 'Access rights tag' }).click()
  await expectTexts(page.getByRole('option'), ['No restrictions', 'East Patch'])
})

test('restricted users grant no more than they have', async () => {
  await openUsers({ tags: [tag] })
  await button('Create user').click()
  await dialog.getByRole('combobox', { name: 'Access rights tag' }).click()
  await expectTexts(page.getByRole('option'), ['East Patch'])
})

test('a deleted user disappears from the list without a reload, after a confirmation [core-4.4-10 core-7.4-1]', async () => {
  const portal = await openUsers()
  const before = portal.sentTo(listUsers).length
  await button('Delete: Greta Vale').click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.sentTo(deleteUser)).toEqual([])
  await button('Delete: Greta Vale').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.element(toast('User deleted!')).toBeVisible()
  await expectCount(rowWith('Greta Vale'), 0)
  expect(portal.sentTo(deleteUser).map(({ params }) => params.id)).toEqual([greta.id])
  expect(portal.sentTo(listUsers).length).toBe(before)
})

test(
  'a failed change is named and leaves the list unchanged [core-7.4-3 core-8-16 core-8-17 core-8-18 core-8-19 core-8-20 core-5-10]',
  { timeout: 60_000 },
  async () => {
    const all = [createUser, updateUserDetails, updateUserRole, updateUserTags, deleteUser]
    await openUsers({ answers: all.map((route) => answerStatus(route, 500, '{}')) })
    const shown = () => rows.elements().map((row) => (row as HTMLElement).innerText)
    const before = shown()
    await fillNewUser()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect.element(toast('Failed to create user!')).toBeVisible()
    await expect.element(dialog.getByRole('alert')).toMatchTextContent(/Server error\./)
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await button('Edit: Greta Vale').click()
    await dialog.getByLabelText('Name').fill('Someone else')
    await choose('Role', 'Lighting engineer')
    await choose('Access rights tag', 'East Patch')
    await dialog.getByRole('button', { name: 'Save' }).click()
    for (const part of ['details', 'role', 'tag'])
      await expect.element(toast(`Failed to update user ${part}!`)).toBeVisible()
    await expectCount(toast('User updated successfully!'), 0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()

    await button('Delete: Greta Vale').click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect.element(toast('Failed to delete user.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(shown()).toEqual(before)
  },
)

test(
  'if some of several changes fail, the others are kept and the form names the failures [core-4.4-8 core-8-17]',
  { timeout: 60_000 },
  async () => {
    await openUsers({ answers: [refuse(updateUserTags, 'refused', { message: 'Not today.' })] })
    await button('Edit: Greta Vale').click()
    await choose('Role', 'Manager')
    await choose('Access rights tag', 'East Patch')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect.element(toast('Failed to update user tag!')).toBeVisible()
    await expect.element(dialog.getByRole('alert')).toMatchTextContent(/Not today\./)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(rowWith('Greta Vale')).toMatchTextContent(/Manager/)
    expect(groupOf('Greta Vale')).toBe('No restrictions')
  },
)

test('a list of users that fails to load shows that, and can be loaded again [core-2.7-2 core-8-12 core-8-33 est-8-22]', async () => {
  const portal = await openPortal('/northgate/Users', { answers: [answerStatus(listUsers, 500)] })
  await expect.element(main.getByText('Failed to Load')).toBeVisible()
  await expect.element(toast('An error occurred while fetching users.')).toBeVisible()
  await expect.element(page.getByText('No data available')).not.toBeInTheDocument()
  await expectCount(rows, 0)
  portal.use(listOf(ada))
  await button('Retry').click()
  await expect.element(rowWith('Ada Marsh')).toBeVisible()
  await expect.element(page.getByText('Failed to Load')).not.toBeInTheDocument()
})

test('a user has buttons only where the server allows changes [core-6-40 core-6-41]', async () => {
  await openUsers()
  const actions = (name: string) => rowWith(name).getByRole('button', { name: /^(Edit|Delete|Reset password): / })
  for (const name of ['Greta Vale', 'Dean Short']) await expectCount(actions(name), 3)
  for (const name of ['Ada Marsh', 'Alma Reid']) await expectCount(actions(name), 0)
  await openUsers({ answers: [listOf(ada, { ...alma, canChange: true })] })
  await expectCount(actions('Alma Reid'), 3)
})

test('on a phone every action is available', async () => {
  await openUsers({ viewport: { width: 390, height: 844 } })
  await button('Actions: Greta Vale').click()
  for (const name of ['Reset password', 'Edit', 'Delete'])
    await expect.element(page.getByRole('menuitem', { name })).toBeVisible()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await expect.element(dialog.getByLabelText('Name')).toHaveValue('Greta Vale')
  await userEvent.keyboard('{Escape}')
  await expect.element(dialog).not.toBeInTheDocument()
  await button('Create user').click()
  await expect.element(dialog.getByLabelText('Name')).toHaveFocus()
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
})

test('a user from the directory is marked and not edited here, and the directory does not restore a deleted one', async () => {
  const paul = user('Paul Kerr', 'Guest', { isProvisioned: true })
  await openUsers({ answers: [listOf(ada, greta, dean, alma, paul)] })
  const row = rowWith('Paul Kerr')
  await expect.element(row.getByText('From the directory')).toBeVisible()
  const edit = row.getByRole('button', { name: 'Edit: Paul Kerr' })
  await expect.element(edit).toBeDisabled()
  await expect.element(edit).toHaveAttribute('title', provisionedText)
  await expect.element(row.getByRole('button', { name: 'Reset password: Paul Kerr' })).toBeEnabled()
  await expect.element(rowWith('Greta Vale').getByRole('button', { name: 'Edit: Greta Vale' })).toBeEnabled()
  await expectCount(rowWith('Greta Vale').getByText('From the directory'), 0)
  await row.getByRole('button', { name: 'Delete: Paul Kerr' }).click()
  await expect
    .element(dialog)
    .toMatchTextContent('Your directory gives Paul Kerr no access until you create the user here again.')
})
