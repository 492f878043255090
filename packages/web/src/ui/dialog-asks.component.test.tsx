import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createUser } from '@caretaker/contract/people.ts'
import { expectCount } from '../testing/expect.ts'
import { dialog } from '../testing/list-screen.ts'
import { openPortal } from '../testing/portal.tsx'

const name = dialog.getByRole('textbox', { name: 'Name' })
const asked = page.getByRole('dialog', { name: 'Discard what you have typed?' })

async function addTag() {
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect.element(name).toHaveFocus()
}

test('a short dialog asks before Escape, Cancel or Back discards typed text, and not without text', async () => {
  const portal = await openPortal('/northgate/Settings')
  await portal.go('/northgate/Settings/tags')
  await addTag()
  await userEvent.keyboard('{Escape}')
  await expectCount(dialog, 0)
  await addTag()
  await name.fill('Stairs')
  await userEvent.keyboard('{Escape}')
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(name).toHaveValue('Stairs')
  await page.getByRole('dialog', { name: 'Add tag' }).getByRole('button', { name: 'Cancel' }).click()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  history.back()
  await expect.element(asked).toBeVisible()
  expect(portal.address()).toBe('/northgate/Settings/tags')
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await userEvent.keyboard('{Escape}')
  await asked.getByRole('button', { name: 'Discard' }).click()
  await expectCount(page.getByRole('dialog'), 0)
})

test('an invitation draft is kept only in the tab until it is sent or discarded, and not shown to other users', async () => {
  const open = async (options: Parameters<typeof openPortal>[1] = {}) => {
    const portal = await openPortal('/northgate/Users', options)
    await page.getByRole('button', { name: 'Create user' }).click()
    await expect.element(name).toBeVisible()
    return portal
  }
  await open()
  await name.fill('Una Test')
  await expect.element(dialog).toMatchTextContent('Draft saved in this browser')
  await userEvent.keyboard('{Escape}')
  await expectCount(dialog, 0)
  expect(Object.values(localStorage).join()).not.toContain('Una Test')
  await open({ isReload: true, session: { userId: 'another' } })
  await expect.element(name).toHaveValue('')
  const portal = await open({ isReload: true })
  await expect.element(name).toHaveValue('Una Test')
  await dialog.getByRole('textbox', { name: 'E-mail' }).fill('una@new.example')
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Guest' }).click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect.poll(() => portal.sentTo(createUser).length).toBe(1)
  await expectCount(dialog, 0)
  await open({ isReload: true })
  await expect.element(name).toHaveValue('')
})
