import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getDocuments } from '@caretaker/contract/documents.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import type { ViewDefinition } from '@caretaker/contract/views.ts'
import {
  countStartPages,
  countViews,
  createViewDefinition,
  deleteViewDefinition,
  getViewDefinitions,
  setStartPage,
  updateViewDefinition,
} from '@caretaker/contract/views.ts'
import { expectNoViolations } from '../../testing/axe.ts'
import { loading } from '../../testing/device-screen.ts'
import { deviceList, listedDevices } from '../../testing/examples/device-list.ts'
import { homePages } from '../../testing/examples/homes.ts'
import { savedView, systemViews, viewDefinitions, viewDocuments } from '../../testing/examples/views.ts'
import { expectCount, expectTexts, textsOf } from '../../testing/expect.ts'
import {
  dialog,
  filtersParameter,
  header,
  manageView,
  openViewPicker,
  press,
  rows,
  shownView,
  toast,
  viewButton,
  viewPicker,
  viewTabs,
} from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, answerStatus, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const lights = '/northgate/EmergencyLights'
const addressOf = ({ viewId }: Pick<ViewDefinition, 'viewId'>) => `${lights}/Listing/${viewId}`
const managedEntries = ['Make private', 'Rename', 'Authors', 'Delete']
const entry = (name: string) => page.getByRole('menuitem', { name, exact: true })
const nameField = dialog.getByRole('textbox', { name: 'Name' })
const dialogButton = (name: string) => dialog.getByRole('button', { name, exact: true })
const devices = deviceList(listedDevices(6, (number) => (number > 4 ? { deviceStatus: 'FailedEquipment' } : {})))

const open = (address: string, answers: readonly ServerAnswer[], options: Parameters<typeof openPortal>[1] = {}) =>
  openPortal(address, { ...options, answers: [...devices, ...answers] })

/** Opens a view owned by the user. */
async function openOwn(view: ViewDefinition, search = '', ...more: ServerAnswer[]) {
  const portal = await open(`${addressOf(view)}${search}`, [...viewDefinitions(view), ...more])
  await expect.element(shownView).toMatchTextContent(view.label)
  return portal
}

test('a system view cannot be overwritten or managed [dev-2views-1 dev-2views-5 dev-2views-12]', async () => {
  const portal = await open(lights, viewDefinitions())
  await expect.element(shownView).toMatchTextContent('Emergency Lights')
  await expect.element(viewButton('Save')).toBeDisabled()
  await expect.element(viewButton('Save As')).toBeEnabled()
  await expect.element(viewButton('Manage')).toBeEnabled()
  const filters = filtersParameter([{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }])
  for (const change of ['columns=serial,name', filters]) {
    await portal.go(lights)
    await expect.element(shownView).not.toMatchTextContent('edited')
    await portal.go(`${lights}?${change}`)
    await expect.element(shownView).toMatchTextContent('edited')
    await expect.element(viewButton('Save')).toBeDisabled()
  }
  await viewButton('Manage').click()
  for (const name of managedEntries) await expect.element(entry(name)).toBeDisabled()
  await expect.element(entry('Make start page')).toBeEnabled()
})

test('Save As saves the columns and filters as a new view and selects it, without loading the views again [core-4.4-13 dev-2views-6]', async () => {
  const filters = [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }]
  const portal = await open(`${lights}?columns=serial,room,status&${filtersParameter(filters)}`, viewDefinitions())
  await expect.element(shownView).toMatchTextContent('edited')
  await viewButton('Save As').click()
  await nameField.fill('Walk round')
  await dialogButton('Save').click()
  await expect.element(toast('User view Walk round added successfully!')).toBeVisible()
  await expect.poll(portal.address).toMatch(/^\/northgate\/EmergencyLights\/Listing\/[0-9a-f-]{36}$/)
  await expect.element(shownView).toMatchTextContent('Walk round')
  await expect.element(shownView).not.toMatchTextContent('edited')
  await expect.element(viewButton('Save')).toBeDisabled()
  expect(portal.sentTo(createViewDefinition)).toEqual([
    {
      params: {},
      query: {},
      body: {
        tenant: 'northgate',
        view: {
          root: 'emered',
          label: 'Walk round',
          private: true,
          columns: ['serial', 'room', 'status'],
          filters,
          sorts: [],
        },
      },
    },
  ])
  expect(portal.sentTo(getViewDefinitions)).toHaveLength(1)
})

for (const [what, change, id] of [
  ['columns', 'columns=serial,name,status,room', 'dev-2views-2'],
  ['filters', filtersParameter([{ fieldId: 'status', filterOp: 'equals', value: 'FailedEquipment' }]), 'dev-2views-3'],
] as const)
  test(`Save waits for other ${what}; a saved view stays selected and the views are not loaded again [${id} dev-2views-4 core-4.4-14]`, async () => {
    const view = savedView()
    const answers = viewDefinitions(view)
    const portal = await open(addressOf(view), answers)
    await expect.element(shownView).toMatchTextContent(view.label)
    await expect.element(viewButton('Save')).toBeDisabled()
    // A sort order alone is not a change.
    await portal.go(`${addressOf(view)}?sort=-serial`)
    await expect.element(header('Serial')).toHaveAttribute('aria-sort', 'descending')
    await expect.element(shownView).not.toMatchTextContent('edited')
    await expect.element(viewButton('Save')).toBeDisabled()
    await portal.go(`${addressOf(view)}?${change}`)
    await expect.element(shownView).toMatchTextContent('edited')
    await viewButton('Save').click()
    await expect.poll(portal.address).toBe(addressOf(view))
    await expect.element(shownView).toMatchTextContent(view.label)
    await expect.element(shownView).not.toMatchTextContent('edited')
    await expect.element(viewButton('Save')).toBeDisabled()
    expect(portal.sentTo(updateViewDefinition).map(({ body }) => body.view)).toMatchObject([
      { viewId: view.viewId, version: 1 },
    ])
    expect(portal.sentTo(getViewDefinitions)).toHaveLength(1)

    await open(addressOf(view), answers)
    await expect.element(shownView).toMatchTextContent(view.label)
    await expect.element(rows.first()).toBeVisible()
    if (what === 'columns') await expect.element(header('Room')).toBeVisible()
    else for (const text of textsOf(rows)) expect(text).toContain('Failed')
  })

test('Save As and Rename need a unique name, and send nothing without one [dev-5val-1 dev-5val-2 dev-5val-3 dev-5val-4]', async () => {
  const other = savedView()
  const view = savedView()
  const portal = await open(addressOf(view), viewDefinitions(other, view))
  await expect.element(shownView).toMatchTextContent(view.label)
  for (const [openDialog, verb] of [
    [() => viewButton('Save As').click(), 'Save'],
    [() => manageView('Rename'), 'Rename'],
  ] as const) {
    await openDialog()
    await nameField.fill('')
    await userEvent.tab()
    await expect.element(dialog.getByText('Please enter view name')).toBeVisible()
    await expect.element(dialogButton(verb)).toBeDisabled()
    for (const taken of [other.label, ` ${other.label.toUpperCase()} `, 'Failed']) {
      await nameField.fill(taken)
      await userEvent.tab()
      await expect.element(dialog.getByText('View name already in use')).toBeVisible()
      await nameField.click()
      await press('{Enter}')
      await expect.element(dialogButton(verb)).toBeDisabled()
    }
    await dialogButton('Cancel').click()
    // A new view is kept as a draft; a rename asks first.
    if (verb === 'Rename') await dialogButton('Discard').click()
    await expect.element(dialog).not.toBeInTheDocument()
  }
  expect([portal.sentTo(createViewDefinition), portal.sentTo(updateViewDefinition)]).toEqual([[], []])
})

test('a name that another user has taken in the meantime shows an error at its field', async () => {
  const taken = refuse(createViewDefinition, 'invalid', { fields: { 'body.view.label': 'View name already in use' } })
  await open(lights, [...viewDefinitions(), taken])
  await viewButton('Save As').click()
  await nameField.fill('Taken')
  await dialogButton('Save').click()
  await expect.element(dialog.getByText('View name already in use')).toBeVisible()
  await expect.element(nameField).toHaveAttribute('aria-invalid', 'true')
})

test('a view of API Integration cannot be saved as another [dev-2views-7]', async () => {
  const portal = await open('/northgate/ThirdParty?columns=serial,status', viewDefinitions())
  await expect.element(shownView).toMatchTextContent('API Integration')
  await expect.element(viewButton('Save As')).toBeDisabled()
  // The counterpart: a listing that stores views offers it.
  await portal.go('/northgate/NetworkingDevices?columns=serial,status')
  await expect.element(shownView).toMatchTextContent('Networking Devices')
  await expect.element(viewButton('Save As')).toBeEnabled()
})

test('Manage renames a view and makes it public and private [dev-2views-8 dev-2views-9]', async () => {
  const view = savedView()
  const portal = await openOwn(view)
  await manageView('Rename')
  await nameField.fill('Renamed')
  await dialogButton('Rename').click()
  await expect.element(shownView).toMatchTextContent('Renamed')
  expect(portal.address()).toBe(addressOf(view))
  await manageView('Make public')
  await expect.element(shownView).toMatchTextContent('Public view')
  await manageView('Make private')
  await expect.element(shownView).toMatchTextContent('Private view')
  expect(portal.sentTo(updateViewDefinition).map(({ body }) => body.view)).toMatchObject([
    { viewId: view.viewId, version: 1, label: 'Renamed' },
    { viewId: view.viewId, version: 2, private: false },
    { viewId: view.viewId, version: 3, private: true },
  ])
})

test('Manage sets the authors of a view from the users of the client, without its owner [dev-2views-11]', async () => {
  const view = savedView()
  const people = [
    { id: 'member', name: 'Priya Nair' },
    { id: 'callum', name: 'Callum Hargreaves' },
  ].map((person) => ({ ...exampleOf(listUsers).results[0]!, ...person }))
  const portal = await openOwn(view, '', answer(listUsers, { results: people }))
  await manageView('Authors')
  await dialog.getByRole('combobox', { name: 'Authors' }).click()
  await expectTexts(page.getByRole('option'), ['Callum Hargreaves'])
  await page.getByRole('option', { name: 'Callum Hargreaves' }).click()
  await press('{Escape}')
  await dialogButton('Save').click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.sentTo(updateViewDefinition).map(({ body }) => body.view)).toMatchObject([
    { viewId: view.viewId, authors: ['callum'] },
  ])
})

test('an author may only save a view [dev-2views-11]', async () => {
  const view = savedView({ owner: 'somebody else', authors: ['member'] })
  await openOwn(view, '?columns=serial,room')
  await viewButton('Save').click()
  await expect.element(toast(`User view ${view.label} saved successfully!`)).toBeVisible()
  await viewButton('Manage').click()
  for (const name of ['Make public', 'Rename', 'Authors', 'Delete']) await expect.element(entry(name)).toBeDisabled()
})

test('a guest can use a public view of another user but not save or manage it', async () => {
  const view = savedView({ owner: 'somebody else', private: false })
  await open(`${addressOf(view)}?columns=serial,room`, viewDefinitions(view), { role: 'Guest' })
  await expect.element(shownView).toMatchTextContent(view.label)
  await expect.element(shownView).toMatchTextContent('edited')
  await expect.element(viewButton('Save')).toBeDisabled()
  await expect.element(viewButton('Save As')).toBeEnabled()
  await viewButton('Manage').click()
  for (const name of managedEntries) await expect.element(entry(name)).toBeDisabled()
})

test('a deleted view disappears from the list without a reload, and the main view opens [core-4.4-11 dev-2views-10]', async () => {
  const view = savedView()
  const portal = await openOwn(view)
  await manageView('Delete')
  await expect.element(dialog).toMatchTextContent(view.label)
  await dialogButton('Cancel').click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.sentTo(deleteViewDefinition)).toHaveLength(0)
  await manageView('Delete')
  await dialogButton('Delete').click()
  await expect.poll(portal.address).toBe(lights)
  await expect.element(shownView).toMatchTextContent('Emergency Lights')
  await expect.element(viewTabs.getByText(view.label)).not.toBeInTheDocument()
  await openViewPicker()
  await expect.element(viewPicker.getByRole('link', { name: 'Inventory' })).toBeVisible()
  await expect.element(viewPicker.getByRole('link', { name: view.label })).not.toBeInTheDocument()
  expect(portal.sentTo(deleteViewDefinition).map(({ body }) => body.viewId)).toEqual([view.viewId])
  expect(portal.sentTo(getViewDefinitions)).toHaveLength(1)
})

test('views are presented as system, public and private with their counts, in a list of 300 px that scrolls [dev-2views-14 dev-9const-3]', async () => {
  const mine = savedView({ label: 'Only mine' })
  const shared = savedView({ label: 'For everyone', private: false, ownerName: 'Callum Hargreaves' })
  const more = Array.from({ length: 4 }, () => savedView())
  const counts = Object.fromEntries([...systemViews(), mine].map(({ viewId }, at) => [viewId, 1200 + at]))
  await open(lights, [...viewDefinitions(mine, shared, ...more), answer(countViews, counts)])
  await openViewPicker()
  const group = (name: string) => viewPicker.getByRole('region', { name, exact: true })
  await expectTexts(group('System').getByRole('link'), [
    'System view: Emergency Lights 1,200',
    'System view: Inventory 1,201',
    'System view: Installed 1,202',
    'System view: Failed 1,203',
    'System view: Warning 1,204',
  ])
  await expectTexts(group('Public').getByRole('link'), [/For everyone.*Callum Hargreaves/])
  await expectCount(group('Private').getByRole('link'), 5)
  await expect.element(group('Private').getByRole('link', { name: 'Only mine' })).toBeVisible()
  const list = group('System').element().parentElement!
  expect(list.offsetHeight).toBe(300)
  expect(list.scrollHeight).toBeGreaterThan(300)
  const last = group('Private').getByRole('link').last()
  await expect.element(last).not.toBeInViewport()
  last.element().scrollIntoView()
  await expect.element(last).toBeInViewport()
  await viewPicker.getByRole('textbox', { name: 'Find a view' }).fill('no such view at all')
  await expect.element(viewPicker.getByText('No view is called ‘no such view at all’')).toBeVisible()
})

test('the second of two users who save the same view loads the other version or saves a new view', async () => {
  const view = savedView({ private: false })
  const conflict = refuse(updateViewDefinition, 'conflict')
  const portal = await openOwn(view, '?columns=serial,room', conflict)
  await viewButton('Save').click()
  await expect.element(dialog).toMatchTextContent(`${view.label} was saved by someone else`)
  await dialogButton('Save As').click()
  await expect.element(dialog).toMatchTextContent('Save view as')
  await nameField.fill('Mine instead')
  await dialogButton('Save').click()
  await expect.element(shownView).toMatchTextContent('Mine instead')
  await expect.element(header('Room')).toBeVisible()

  await viewTabs.getByRole('link', { name: view.label }).click()
  await expect.element(shownView).toMatchTextContent(view.label)
  await portal.go(`${addressOf(view)}?columns=serial,room`)
  await expect.element(shownView).toMatchTextContent('edited')
  const theirs = { ...view, columns: ['serial', 'building'], version: 2 }
  portal.use(answer(getViewDefinitions, { views: [...systemViews(), theirs], fields: {} }))
  await viewButton('Save').click()
  await dialogButton('Load theirs').click()
  await expect.element(dialog).not.toBeInTheDocument()
  expect(portal.address()).toBe(addressOf(view))
  await expect.element(header('Building')).toBeVisible()
  await expect.element(header('Room')).not.toBeInTheDocument()
})

test('a view that another user deleted during the edit can be left', async () => {
  const view = savedView()
  const portal = await openOwn(view, '?columns=serial,room', refuse(updateViewDefinition, 'not found'))
  portal.use(answer(getViewDefinitions, { views: systemViews(), fields: {} }))
  await viewButton('Save').click()
  await expect.element(dialog).toMatchTextContent(`${view.label} was deleted`)
  await dialogButton('Cancel').click()
  await expect.poll(portal.address).toBe(lights)
  await expect.element(viewTabs.getByText(view.label)).not.toBeInTheDocument()
})

for (const [status, text] of [
  [500, 'Server error.'],
  [403, "You don't have permission."],
] as const)
  test(`a save that is answered ${status} shows the text of the status and keeps the changes [core-8-11]`, async () => {
    const view = savedView()
    await openOwn(view, '?columns=serial,room', answerStatus(updateViewDefinition, status, '{}'))
    await viewButton('Save').click()
    await expect.element(toast(text)).toBeVisible()
    await expect.element(shownView).toMatchTextContent('edited')
    await expect.element(viewButton('Save')).toBeEnabled()
  })

test('views of a grid are documents of the person: added, saved and deleted without loading them again [core-4.4-11 core-4.4-13 core-4.4-14 dev-8err-15 dev-8err-16]', async () => {
  const portal = await open('/northgate/HomeHubs?columns=serial,status', viewDocuments(), { features: ['HomeHub'] })
  await expect.element(shownView).toMatchTextContent('edited')
  await viewButton('Save As').click()
  await expect.element(nameField).toBeVisible()
  await expect.element(dialog.getByRole('radio')).not.toBeInTheDocument()
  await nameField.fill('Hubs')
  await dialogButton('Save').click()
  await expect.element(toast('User view Hubs added successfully!')).toBeVisible()
  await expect.element(shownView).toMatchTextContent('Hubs')
  await expect.poll(portal.address).toMatch(/^\/northgate\/HomeHubs\?view=[0-9a-f-]{36}$/)
  const address = portal.address()
  await viewButton('Manage').click()
  await expect.element(entry('Rename')).toBeEnabled()
  await expect.element(entry('Authors')).not.toBeInTheDocument()
  await expect.element(entry('Make public')).not.toBeInTheDocument()
  await press('{Escape}')

  await portal.go(`${address}&columns=serial,name`)
  await viewButton('Save').click()
  await expect.element(toast('User view Hubs saved successfully!')).toBeVisible()
  await expect.poll(portal.address).toBe(address)
  await expect.element(header('Name')).toBeVisible()

  await manageView('Delete')
  await dialogButton('Delete').click()
  await expect.element(toast('User view Hubs deleted successfully!')).toBeVisible()
  await expect.poll(portal.address).toBe('/northgate/HomeHubs')
  await expect.element(viewTabs.getByText('Hubs', { exact: true })).not.toBeInTheDocument()
  expect(portal.sentTo(getDocuments)).toHaveLength(1)
})

test('Copy link copies only the address of the view, and states who can open a private one', async () => {
  const writeText = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  const view = savedView()
  const portal = await open(`${lights}/Listing/emered-failed?search=stair&columns=serial,name`, viewDefinitions(view))
  await manageView('Copy link')
  await expect.element(toast(/^Link copied$/)).toBeVisible()
  expect(writeText).toHaveBeenLastCalledWith(`${location.origin}${lights}/Listing/emered-failed`)
  await portal.go(addressOf(view))
  await expect.element(shownView).toMatchTextContent(view.label)
  await manageView('Copy link')
  await expect.element(toast('Link copied. Only you and the authors can open the view.')).toBeVisible()
  expect(writeText).toHaveBeenLastCalledWith(`${location.origin}${addressOf(view)}`)
})

for (const colourScheme of ['light', 'dark'] as const)
  test(`the views and their dialogs are accessible in ${colourScheme} colours`, async () => {
    const view = savedView()
    const shared = savedView({ private: false })
    const answers = viewDefinitions(view, shared)
    await open(`${addressOf(view)}?columns=serial,room`, answers, { colourScheme })
    await expect.element(shownView).toMatchTextContent('edited')
    expect(document.documentElement.dataset['mantineColorScheme']).toBe(colourScheme)
    await openViewPicker()
    await expectNoViolations(document.body)
    await press('{Escape}')
    await expect.element(viewPicker).not.toBeInTheDocument()
    await viewButton('Manage').click()
    await expect.element(entry('Rename')).toBeVisible()
    await expectNoViolations(document.body)
    await entry('Authors').click()
    await expect.element(dialog.getByRole('combobox')).toBeVisible()
    await expectNoViolations(document.body)
    await press('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    await viewButton('Save As').click()
    await expect.element(nameField).toBeVisible()
    await expectNoViolations(document.body)
  })

test('the menu of a view on a phone also saves, and is accessible', async () => {
  const view = savedView()
  await open(addressOf(view), viewDefinitions(view), { viewport: { width: 390, height: 844 } })
  await viewButton('Manage').click()
  await expect.element(entry('Save As')).toBeVisible()
  await expectNoViolations(document.body)
})

const homesView = (more: Partial<ViewDefinition> = {}) =>
  savedView({
    ...{
      root: 'property',
      category: 'device',
      label: 'Damp round',
      columns: ['propertyReference', 'damp'],
      filters: [],
    },
    ...more,
  })
const homesAddress = ({ viewId }: Pick<ViewDefinition, 'viewId'>) => `/northgate/Properties/Listing/${viewId}`
async function openHomes(view: ViewDefinition) {
  const answers = [...homePages(), ...viewDefinitions(view)]
  const portal = await open(homesAddress(view), answers, { features: ['PropertyCentric'] })
  await expect.element(shownView, loading).toMatchTextContent('Damp round')
  return portal
}

test('a view of properties has its own address and can be made public; its previous address redirects to it', async () => {
  const view = homesView()
  const portal = await openHomes(view)
  await expect.element(header('Damp and mould')).toBeVisible()
  await manageView('Make public')
  await expect.element(shownView).toMatchTextContent('Public view')
  expect(portal.sentTo(updateViewDefinition).map(({ body }) => body)).toMatchObject([{ view: { private: false } }])
  await viewButton('Manage').click()
  await expect.element(entry('Authors')).toBeEnabled()
  await press('{Escape}')
  await portal.go(`/northgate/Properties?view=${view.viewId}`)
  await expect.element(shownView).toMatchTextContent('Damp round')
})

test('a view of properties becomes the start page, is replaced by the Dashboard again, and is chosen in My Account', async () => {
  const view = homesView()
  const portal = await openHomes(view)
  await manageView('Make start page')
  await expect.element(toast('Sign-in now opens Damp round')).toBeVisible()
  await portal.go('/northgate/MyAccount')
  await expect.element(page.getByRole('combobox', { name: 'Start page' })).toHaveValue('Properties – Damp round')
  await portal.go(homesAddress(view))
  await manageView('No longer start page')
  await expect.element(toast('Sign-in now opens the Dashboard')).toBeVisible()
  expect(portal.sentTo(setStartPage).map(({ body }) => body.viewId)).toEqual([view.viewId, null])
})

test('deleting a view that is a start page shows a warning', async () => {
  const view = savedView({ private: false })
  await openOwn(view, '', answer(countStartPages, { people: 2, losingAccess: 2 }))
  await manageView('Delete')
  await expect.element(dialog).toMatchTextContent('It is the start page of 2 other people.')
  await dialogButton('Cancel').click()
  await manageView('Make start page')
  await expect.element(toast(/Sign-in now opens/)).toBeVisible()
  await manageView('Delete')
  await expect.element(dialog).toMatchTextContent('It is your start page and that of 2 other people.')
})

test('making a view private asks first if it is the start page of other users', async () => {
  const view = savedView({ private: false })
  const portal = await openOwn(view, '', answer(countStartPages, { people: 2, losingAccess: 1 }))
  await manageView('Make private')
  await expect.element(dialog).toMatchTextContent('It is the start page of 1 other person.')
  expect(portal.sentTo(updateViewDefinition)).toEqual([])
  await dialogButton('Make private').click()
  await expect.element(shownView).toMatchTextContent('Private view')
})
