import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createUser } from '@caretaker/contract/people.ts'
import { lifeOf, pass, stopClock } from '../../testing/clock.ts'
import { refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const dialog = page.getByRole('dialog')
const field = (name: string) => dialog.getByRole('textbox', { name })
const invalid = dialog.getByText('Please enter a valid e-mail address')

async function openForm() {
  const portal = await openPortal('/northgate/Users', { answers: [refuse(createUser, 'unavailable')] })
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect.element(field('Name')).toHaveFocus()
  return portal
}

test('an empty required field shows its own error text on blur [core-5-1 core-5-3]', async () => {
  await openForm()
  await expect.element(dialog.getByText(/is required!/)).not.toBeInTheDocument()
  await userEvent.keyboard('{Tab}')
  await expect.element(dialog.getByText('Name is required!')).toBeVisible()
  await expect.element(field('Name')).toHaveAttribute('aria-invalid', 'true')
})

test('while typing, a new error appears one second after the last keystroke [core-5-4 core-5-5 dev-5val-59]', async () => {
  await openForm()
  stopClock()
  await field('E-mail').click()
  for (const key of 'una') {
    await userEvent.keyboard(key)
    await pass(900)
    await expect.element(invalid).not.toBeInTheDocument()
  }
  await pass(100)
  await expect.element(invalid).toBeVisible()
})

test('a refusal is a toast that disappears after four seconds [core-4.4-9]', async () => {
  await openForm()
  await field('Name').fill('Una Test')
  await field('E-mail').fill('una@new.example')
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Guest' }).click()
  const life = await lifeOf(page.getByText('Failed to create user!'), () =>
    dialog.getByRole('button', { name: 'Create' }).click(),
  )
  expect(life).toBeGreaterThanOrEqual(3_900)
  expect(life).toBeLessThanOrEqual(4_700)
})
