import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getAlertDefinitions, getAlertPreviews } from '@caretaker/contract/alerts.ts'
import type { AccessRightsTag, Tag } from '@caretaker/contract/tags.ts'
import {
  createAccessRightsTag,
  deleteAccessRightsTag,
  getAccessRightsTags,
  getTenantTags,
  tenantCreateTag,
  tenantDeleteTag,
  tenantUpdateTag,
} from '@caretaker/contract/tags.ts'
import { features } from '@caretaker/rules/identity/features.ts'
import { expectCount, textsOf } from '../../testing/expect.ts'
import { dialog, rows, toast } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, answerStatus, hold, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button, main, refused, rowWith, sidebar } from '../../testing/screen.ts'

const tagsPage = '/northgate/Settings/tags'
const accessPage = '/northgate/Settings/accessRightsTags'
const name = dialog.getByRole('textbox', { name: 'Name' })
const save = dialog.getByRole('button', { name: 'Save' })
const idOf = (at: number) => `0d8a6c1e-3f5b-4c2d-9e7a-${String(at).padStart(12, '0')}`

/** A server that keeps tags in memory. */
function tagServer(names: readonly string[]): ServerAnswer[] {
  let tags: Tag[] = names.map((one, at) => ({ id: idOf(at), name: one }))
  return [
    answer(getTenantTags, () => ({ tags, alerts: [] })),
    answer(tenantCreateTag, ({ body }) => {
      const tag = { id: idOf(tags.length), name: body.name }
      tags = [...tags, tag]
      return tag
    }),
    answer(tenantUpdateTag, ({ body: { id, name: later } }) => {
      tags = tags.map((tag) => (tag.id === id ? { id, name: later } : tag))
      return { id, name: later }
    }),
    answer(tenantDeleteTag, ({ body: { id } }) => {
      tags = tags.filter((tag) => tag.id !== id)
      return { id }
    }),
  ]
}

const accessTags = (...all: (string | AccessRightsTag)[]) =>
  answer(
    getAccessRightsTags,
    all.map((one, at) => (typeof one === 'string' ? { id: idOf(at), displayName: one, protected: false } : one)),
  )

async function add(text: string): Promise<void> {
  await main.getByRole('button', { name: /^Add/ }).click()
  await name.fill(text)
  await dialog.getByRole('button', { name: 'Add' }).click()
}

async function remove(text: string): Promise<void> {
  await button(`Delete: ${text}`).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
}

/** Closes a dialog and discards the typed text. */
async function discard(): Promise<void> {
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
}

async function edit(text: string): Promise<void> {
  await button(`Edit: ${text}`).click()
  await expect.element(name).toHaveValue(text)
}

test('the settings open on their first page, and every tab has an address of its own [core-2.4-52 core-2.4-53 dev-2settings-2 dev-2settings-3 est-2.5-20 est-2.5-23]', async () => {
  const portal = await openPortal('/northgate/Dashboard', { features })
  await sidebar.getByRole('link', { name: 'Settings' }).click()
  await expect.poll(portal.address).toBe('/northgate/Settings')
  await expect.element(page.getByRole('heading', { name: 'Settings' })).toBeVisible()
  const current = page.getByRole('navigation', { name: 'Sections of this page' }).getByCss('[aria-current=page]')
  await expectCount(current, 1)
  for (const [address, tab] of [
    [tagsPage, 'Tags'],
    ['/northgate/Settings/luminaire', 'Standard Luminaires'],
    ['/northgate/Settings/residents', 'Resident app settings'],
    ['/northgate/Settings/apiKeys', 'API keys'],
    ['/northgate/Settings/webhooks', 'Webhooks'],
    [accessPage, 'Access rights tags'],
  ] as const) {
    await portal.go(address)
    await expect.element(current).toHaveTextContent(tab)
    await expect.element(main.getByRole('grid').first()).toBeVisible()
  }
  await expect.element(page.getByRole('grid', { name: 'Access rights tags' })).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Access Rights Tags', exact: true })).toBeVisible()
  await expect.poll(() => document.title).toMatch(/^Access Rights Tags – /)
  await portal.go(tagsPage)
  await expect.element(page.getByRole('grid', { name: 'Tags', exact: true })).toBeVisible()
})

test('restricted users have no settings, neither in the sidebar nor by address [core-1-6 core-2.4-57 est-6-6]', async () => {
  const portal = await openPortal('/northgate/Settings', { tags: [idOf(0)] })
  for (const address of ['/northgate/Settings', tagsPage, accessPage, '/northgate/settings/TAGS']) {
    await portal.go(address)
    await expect.element(refused).toBeVisible()
    await expect.element(page.getByRole('grid')).not.toBeInTheDocument()
    await expect.element(sidebar.getByRole('link', { name: 'Dashboard' })).toBeVisible()
    await expect.element(sidebar.getByRole('link', { name: 'Settings' })).not.toBeInTheDocument()
  }
  expect([...portal.sentTo(getTenantTags), ...portal.sentTo(getAccessRightsTags)]).toEqual([])

  await openPortal(tagsPage)
  await expect.element(page.getByRole('grid', { name: 'Tags' })).toBeVisible()
  await expect.element(sidebar.getByRole('link', { name: 'Settings' })).toBeVisible()
})

test('a tag is created and deleted, and the list updates without a reload [core-4.4-12 core-7.4-2 core-8-23 core-8-24]', async () => {
  const portal = await openPortal(tagsPage, { answers: tagServer(['Present']) })
  await expect.element(button('Add tag')).toBeEnabled()
  const reads = portal.sentTo(getTenantTags).length
  await add('Fresh')
  await expect.element(toast('Tag created successfully!')).toBeVisible()
  await expect.element(rowWith('Fresh')).toBeVisible()
  await expect.element(dialog).not.toBeInTheDocument()
  await remove('Fresh')
  await expect.element(toast('Tag deleted!')).toBeVisible()
  await expect.element(rowWith('Fresh')).not.toBeInTheDocument()
  expect(portal.sentTo(getTenantTags)).toHaveLength(reads)
  expect(portal.sentTo(tenantDeleteTag)).toMatchObject([{ body: { id: idOf(1) } }])
})

test('the name of a tag is validated, with a message for each rule [dev-5val-44 dev-5val-45 dev-5val-46 dev-5val-47 dev-5val-48 dev-5val-49]', async () => {
  await openPortal(tagsPage, { answers: tagServer(['Taken']) })
  await button('Add tag').click()
  for (const [text, fault] of [
    ['two words', 'No spaces in tag'],
    ['semi-detached', 'Tag name can only have letters and numbers'],
    ['what?', 'Tag name can only have letters and numbers'],
    ['x'.repeat(21), 'Tag name can only 20 characters'],
    ['TAKEN', 'Tag name has already been used'],
    ['', 'Tag name is required!'],
  ] as const) {
    await name.fill(text)
    await userEvent.keyboard('{Tab}')
    await expect.element(dialog.getByText(fault)).toBeVisible()
    await expect.element(dialog.getByRole('button', { name: 'Add' })).toBeDisabled()
  }
  await name.fill('x'.repeat(20))
  await expect.element(dialog.getByRole('button', { name: 'Add' })).toBeEnabled()
  await expect.element(dialog.getByText('Tag name can only 20 characters')).not.toBeInTheDocument()
})

test('a changed tag name is sent once, and not again after the server has refused it [dev-5val-50 dev-5val-51 dev-5val-52]', async () => {
  const portal = await openPortal(tagsPage, { answers: tagServer(['Former']) })
  await edit('Former')
  await expect.element(save).toBeDisabled()
  await name.fill('Later')
  await expect.element(save).toBeEnabled()
  await name.fill('Former')
  await expect.element(save).toBeDisabled()

  await name.fill('Later')
  const held = hold(tenantUpdateTag, answer(tenantUpdateTag, { id: idOf(0), name: 'Later' }))
  portal.use(held)
  await save.click()
  await expect.element(save).toBeDisabled()
  name.element().focus()
  await userEvent.keyboard('{Enter}')
  held.release()
  await expect.element(rowWith('Later')).toBeVisible()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.sentTo(tenantUpdateTag)).toHaveLength(1)

  portal.use(answerStatus(tenantUpdateTag, 500), answerStatus(tenantCreateTag, 500))
  await edit('Later')
  await name.fill('Refused')
  await save.click()
  await expect.element(toast('Server error.')).toBeVisible()
  await expect.element(name).toHaveValue('Refused')
  await expect.element(save).toBeDisabled()
  name.element().focus()
  await userEvent.keyboard('{Enter}')
  await name.fill('Refused2')
  await expect.element(save).toBeEnabled()
  expect(portal.sentTo(tenantUpdateTag)).toHaveLength(2)
  await discard()

  // A new tag is refused in the same way.
  await add('Refused')
  await expect.element(dialog.getByRole('button', { name: 'Add' })).toBeDisabled()
  await name.fill('Refused2')
  await expect.element(dialog.getByRole('button', { name: 'Add' })).toBeEnabled()
})

test('a tag that cannot be deleted stays, and the error is shown [core-7.4-3 core-8-22]', async () => {
  const portal = await openPortal(tagsPage, { answers: [...tagServer(['Stays']), answerStatus(tenantDeleteTag, 500)] })
  await remove('Stays')
  await expect.element(toast('Failed to delete tag!')).toBeVisible()
  await expect.element(toast('Tag deleted!')).not.toBeInTheDocument()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(rowWith('Stays')).toBeVisible()
  portal.use(answer(tenantDeleteTag, { id: idOf(0) }))
  await remove('Stays')
  await expect.element(rowWith('Stays')).not.toBeInTheDocument()
})

test("an alert's delay is shown as delay and unit [core-3-11]", async () => {
  const tags = ['First', 'Second', 'Third'].map((one, at) => ({ id: idOf(at), name: one }))
  const alert = { alertId: 'a', tagId: idOf(0), tagName: 'First', delay: 5, delayUnit: 'mins' } as const
  const alerts = [alert, { ...alert, alertId: 'b', tagId: idOf(1), delay: 2, delayUnit: 'days' } as const]
  await openPortal(tagsPage, { answers: [answer(getTenantTags, { tags, alerts })] })
  await expect.element(rowWith('First').getByText('5 mins')).toBeVisible()
  await expect.element(rowWith('Second').getByText('2 days')).toBeVisible()
  await expect.element(rowWith('Third').getByText(/mins|days/)).not.toBeInTheDocument()
})

test('without tags or alerts the page reads No Tags; a list that fails to load has its own message [dev-2settings-11 dev-2settings-12 core-2.7-2 core-8-33]', async () => {
  const portal = await openPortal('/northgate/Settings', {
    answers: [
      ...tagServer([]),
      answer(getAlertDefinitions, { alerts: [], missingDefaults: 0, voidProperties: 0 }),
      answer(getAlertPreviews, []),
    ],
  })
  await expect.element(page.getByRole('grid', { name: 'Alerts' })).toBeVisible()
  await expect.element(main.getByText('No Tags')).toBeVisible()
  await portal.go(tagsPage)
  await expect.element(main.getByText('No Tags')).toBeVisible()

  const failing = await openPortal(tagsPage, { answers: [answerStatus(getTenantTags, 500)] })
  await expect.element(main.getByText('Failed to Load')).toBeVisible()
  await expect.element(page.getByText('No Tags')).not.toBeInTheDocument()
  failing.use(...tagServer([]))
  await button('Retry').click()
  await expect.element(main.getByText('No Tags')).toBeVisible()
})

test('a guest can read the settings but not change them [core-6-29 dev-6other-12 est-5-38 dev-2settings-10]', async () => {
  const answers = [...tagServer(['Night']), accessTags('East Patch')]
  const guest = await openPortal(tagsPage, { role: 'Guest', answers })
  for (const [address, text] of [
    [tagsPage, 'Night'],
    [accessPage, 'East Patch'],
  ] as const) {
    await guest.go(address)
    await expect.element(rowWith(text)).toBeVisible()
    await expect.element(main.getByRole('button', { name: /^(Add|Edit|Delete)/ })).not.toBeInTheDocument()
  }

  const manager = await openPortal(tagsPage, { answers })
  await expect.element(button('Delete: Night')).toBeVisible()
  await manager.go(accessPage)
  await expect.element(button('Add access rights tag')).toBeVisible()
  await expect.element(button('Delete: East Patch')).toBeVisible()

  // A developer with a tag sees the page but may not add: the tag decides.
  await openPortal(accessPage, { role: 'Developer', answers })
  await expect.element(button('Add access rights tag')).toBeVisible()
  await openPortal(accessPage, { role: 'Developer', tags: [idOf(0)], answers })
  await expect.element(rowWith('East Patch')).toBeVisible()
  await expect.element(button('Add access rights tag')).not.toBeInTheDocument()
})

test('a protected access rights tag has no delete button [core-6-32 est-5-39]', async () => {
  await openPortal(accessPage, {
    answers: [accessTags('East Patch', { id: idOf(1), displayName: 'Guarded', protected: true })],
  })
  await expect.element(rowWith('Guarded')).toBeVisible()
  await expect.element(button('Delete: Guarded')).not.toBeInTheDocument()
  await expect.element(button('Delete: East Patch')).toBeVisible()
})

test('any other failure of an access rights tag reports that something went wrong, and changes nothing [core-7.4-3 core-8-25 core-8-28 est-8-4]', async () => {
  const portal = await openPortal(accessPage, {
    answers: [accessTags('East Patch'), answerStatus(createAccessRightsTag, 500)],
  })
  await add('Patch')
  await expect.element(toast('Something went wrong!')).toBeVisible()
  await expect.element(toast('already exists')).not.toBeInTheDocument()
  await discard()
  await expectCount(rows, 1)
  // A tag that a user has: the server returns the reason for keeping it.
  await button('Dismiss').click()
  await expect.element(toast('Something went wrong!')).not.toBeInTheDocument()
  portal.use(refuse(deleteAccessRightsTag, 'conflict', { message: 'A user carries this tag.' }))
  await remove('East Patch')
  await expect.element(toast('Something went wrong!')).toBeVisible()
  await expect.element(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect.element(rowWith('East Patch')).toBeVisible()
})

test('an access rights tag that no longer exists counts as deleted [core-7.2-4]', async () => {
  await openPortal(accessPage, { answers: [accessTags('East Patch'), refuse(deleteAccessRightsTag, 'gone')] })
  await remove('East Patch')
  await expect.element(rowWith('East Patch')).not.toBeInTheDocument()
  await expect.element(toast('Tag deleted!')).toBeVisible()
  await expect.element(toast('Something went wrong!')).not.toBeInTheDocument()
})

test('the generic table has ten rows per page, and its sorting, filter and page are in the address [dev-2list-44 dev-2list-45 dev-2list-46 dev-2list-47 dev-2list-48 dev-2list-49]', async () => {
  const names = Array.from({ length: 23 }, (_, index) => `Tag${String(index + 1).padStart(2, '0')}`)
  const answers = tagServer(names)
  const portal = await openPortal(tagsPage, { answers })
  const shown = () => textsOf(page.getByCss('tbody tr[data-row] td[data-named]'))
  const press = (text: string) => page.getByRole('button', { name: text, exact: true }).click()
  const range = (text: string) => expect.element(page.getByText(text)).toBeVisible()
  await expectCount(rows, 10)
  await range('1 - 10 of 23')
  await expect.element(button('First page')).toBeDisabled()
  await expect.element(button('Previous page')).toBeDisabled()
  await press('Next page')
  await range('11 - 20 of 23')
  expect(shown()).toEqual(names.slice(10, 20))
  await press('Last page')
  await range('21 - 23 of 23')
  await expectCount(rows, 3)
  await expect.element(button('Next page')).toBeDisabled()
  await press('Previous page')
  await range('11 - 20 of 23')
  // The address alone leads to the same page of the table.
  await openPortal(portal.address(), { answers })
  await range('11 - 20 of 23')
  await press('First page')
  await range('1 - 10 of 23')

  await press('Name')
  await press('Name')
  await expect.element(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'descending')
  expect(shown()).toEqual(names.toReversed().slice(0, 10))

  const filter = page.getByRole('searchbox')
  await expect.element(button('Clear')).toBeDisabled()
  await filter.fill('tag1')
  await range('1 - 10 of 10')
  expect(shown()).toEqual(names.slice(9, 19).toReversed())
  await filter.fill('nothing like it')
  await expect.element(main.getByText('No data available')).toBeVisible()
  await expectCount(rows, 0)
  await button('Clear').click()
  await expect.element(filter).toHaveValue('')
  await range('1 - 10 of 23')
})

test('five rows can be pinned and stay visible on every page; a sixth cannot [core-2.7-3 core-2.7-4]', async () => {
  await openPortal(tagsPage, { answers: tagServer(Array.from({ length: 15 }, (_, index) => `Tag${index + 10}`)) })
  const pin = (text: string) => rowWith(text).getByRole('button', { name: /in row/ })
  const pinned = page.getByCss('tr[data-pinned]')
  for (const text of ['Tag12', 'Tag13', 'Tag14', 'Tag15', 'Tag16']) await pin(text).click()
  await expectCount(pinned, 5)
  await expect.element(pin('Tag17')).toHaveAttribute('aria-disabled', 'true')
  await pin('Tag17').click({ force: true })
  await expectCount(pinned, 5)
  await button('Next page').click()
  await expect.element(rowWith('Tag24')).toBeVisible()
  await expect.element(rowWith('Tag12')).toBeVisible()
  await pin('Tag12').click()
  await expect.element(rowWith('Tag12')).not.toBeInTheDocument()
  await pin('Tag20').click()
  await expectCount(pinned, 5)
})
