import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { createUser } from '@caretaker/contract/people.ts'
import { tenantCreateTag } from '@caretaker/contract/tags.ts'
import { pass, stopClock } from '../../testing/clock.ts'
import { expectCount } from '../../testing/expect.ts'
import { dialog, press, toast, toasts } from '../../testing/list-screen.ts'
import { answerStatus } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const field = (name: string) => dialog.getByRole('textbox', { name })
const invalid = dialog.getByText('Please enter a valid e-mail address')
const create = dialog.getByRole('button', { name: 'Create' })

async function openUserForm() {
  const portal = await openPortal('/northgate/Users')
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect.element(field('Name')).toHaveFocus()
  return portal
}

async function chooseRole() {
  await dialog.getByRole('combobox', { name: 'Role' }).click()
  await page.getByRole('option', { name: 'Guest' }).click()
}

async function fillIn() {
  await field('Name').fill('Una Test')
  await field('E-mail').fill('una@new.example')
  await chooseRole()
}

async function addTag() {
  await page.getByRole('button', { name: 'Add tag' }).click()
  await field('Name').fill('Another')
  await dialog.getByRole('button', { name: 'Add' }).click()
}

test('an empty required field shows its own error text on blur [core-5-1 core-5-3]', async () => {
  await openPortal('/northgate/Settings/tags')
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect.element(field('Name')).toHaveFocus()
  await expect.element(dialog.getByText(/is required!/)).not.toBeInTheDocument()
  await userEvent.tab()
  await expect.element(dialog.getByText('Tag name is required!')).toBeVisible()
})

test("leaving a field shows the failing rule's own text at once, and correcting it removes the text at once [core-5-3 core-5-4]", async () => {
  await openUserForm()
  // The clock is stopped: a delayed error never appears.
  stopClock()
  await field('E-mail').fill('una@')
  await expect.element(invalid).not.toBeInTheDocument()
  await userEvent.tab()
  await pass(50)
  await expect.element(invalid).toBeVisible()
  await field('E-mail').fill('una@new.example')
  await pass(50)
  await expect.element(invalid).not.toBeInTheDocument()
})

test('a form is sent only when it is valid', async () => {
  const portal = await openUserForm()
  await expect.element(create).toBeDisabled()
  await field('Name').fill('Una Test')
  await field('E-mail').fill('una@new.example')
  // The role is still missing, although no error is shown.
  await expect.element(dialog.getByText(/required!/)).not.toBeInTheDocument()
  await expect.element(create).toBeDisabled()
  await press('{Enter}')
  await expect.element(field('E-mail')).toHaveValue('una@new.example')
  await chooseRole()
  await expect.element(create).toBeEnabled()
  await field('E-mail').fill('una')
  await expect.element(create).toBeDisabled()
  await press('{Enter}')
  expect(portal.sentTo(createUser)).toHaveLength(0)
  await field('E-mail').fill('una@new.example')
  await expect.element(create).toBeEnabled()
  await press('{Enter}')
  await expect
    .poll(() => portal.sentTo(createUser).map(({ body }) => body))
    .toMatchObject([{ name: 'Una Test', email: 'una@new.example', role: 'Guest' }])
})

test('domain and validation errors of the server are shown beside the errors of the form [core-5-8 core-5-9]', async () => {
  const portal = await openUserForm()
  await fillIn()
  const refusal = {
    message: 'Something went wrong!',
    domainErrors: ['There is no licence left.'],
    validationErrors: [
      { field: 'body.email', message: 'This e-mail cannot be reached.' },
      { field: 'body.owner', message: 'Owner is unknown.' },
    ],
  }
  portal.use(answerStatus(createUser, 422, JSON.stringify(refusal)))
  await create.click()
  await expect.element(toast('Failed to create user!')).toBeVisible()
  const alert = dialog.getByRole('alert')
  await expect.element(alert).toMatchTextContent('There is no licence left.')
  await expect.element(alert).toMatchTextContent('Owner is unknown.')
  await expect.element(alert).not.toMatchTextContent('Something went wrong!')
  const unreachable = dialog.getByText('This e-mail cannot be reached.')
  await expect.element(unreachable).toBeVisible()
  await expect.element(field('E-mail')).toHaveAttribute('aria-invalid', 'true')
  await field('Name').fill('')
  await userEvent.tab()
  await expect.element(dialog.getByText('Name is required!')).toBeVisible()
  await expect.element(unreachable).toBeVisible()
  await field('E-mail').fill('other@new.example')
  await expect.element(unreachable).not.toBeInTheDocument()
})

test('a failed call without a message shows the text of its status [core-5-10]', async () => {
  const portal = await openUserForm()
  await fillIn()
  for (const [status, text] of [
    [500, 'Server error.'],
    [403, "You don't have permission."],
    [418, 'Something went wrong!'],
  ] as const) {
    portal.use(answerStatus(createUser, status, '{}'))
    await create.click()
    await expect.element(dialog.getByRole('alert')).toHaveTextContent(text)
  }
})

const failed = { isSuccessful: false, data: null, reason: null, message: null }
for (const [what, body, text, id] of [
  ['its reason', { ...failed, reason: 'No room', message: 'Not this one' }, 'No room', 'core-7.1-21'],
  ['its message where it has no reason', { ...failed, message: 'Not this one' }, 'Not this one', 'core-7.1-22'],
  ['the fixed text where it has neither', failed, 'Failed to update device, please try again', 'core-7.1-23'],
] as const)
  test(`a version 1 call that fails shows ${what} [${id}]`, async () => {
    await openPortal('/northgate/Settings/tags', {
      answers: [answerStatus(tenantCreateTag, 200, JSON.stringify(body))],
    })
    await addTag()
    await expect.element(toast(text)).toBeVisible()
    await expectCount(toasts, 1)
    await expect.element(dialog).toBeVisible()
  })

test('the shared handler shows the message, each other error once, or the text of the status [core-8-7 core-8-8 core-8-9 core-8-11]', async () => {
  const refusal = {
    message: 'The tag is refused',
    domainErrors: ['The tag is refused', 'Too many tags'],
    validationErrors: [
      { field: 'name', message: 'Not a nice name' },
      { field: 'name', message: 'The tag is refused' },
    ],
  }
  await openPortal('/northgate/Settings/tags', {
    answers: [answerStatus(tenantCreateTag, 400, JSON.stringify(refusal))],
  })
  await addTag()
  for (const text of ['The tag is refused', 'Too many tags', 'Not a nice name']) await expectCount(toast(text), 1)
  await expectCount(toasts, 3)
  await openPortal('/northgate/Settings/tags', { answers: [answerStatus(tenantCreateTag, 404, '{}')] })
  await expect.element(toasts).not.toBeInTheDocument()
  await addTag()
  await expect.element(toast('Not found.')).toBeVisible()
  await expectCount(toasts, 1)
})
