import { noAnswers } from '@caretaker/rules/commands/answers.ts'
import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import {
  bulkAddTags,
  bulkUninstall,
  getBulkAction,
  getBulkActions,
  getDeviceTags,
} from '@caretaker/contract/actions.ts'
import { getTenantTags, tenantCreateTag } from '@caretaker/contract/tags.ts'
import { bulkBar, bendRows, dialog, menuItem, selectRows, standInRun } from './fixtures/actions.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { answer, choose, counted, stay, toast } from './fixtures/lists.ts'
import { addDevices } from './fixtures/operator.ts'
import { bend, hold, rowIds, rows, userMenu } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// Clients of their own are made by the operator's command, which takes its time.
test.describe.configure({ timeout: 120_000 })

const manager = 'manager@northgate.example'
const somethingWrong = 'Something has gone wrong, please try again'
const action = (page: Page, name: string) => bulkBar(page).getByRole('button', { name, exact: true })
const lines = (page: Page) => page.getByRole('dialog').locator('li[data-device]')
const close = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last()
const waits = 'You can close this when every device has answered.'

/** The labels of the bar, those in the menu of access rights included, with the reason of each that cannot be done. */
async function barOf(page: Page): Promise<Record<string, string>> {
  const offered: Record<string, string> = {}
  for (const button of await bulkBar(page).getByRole('button').all()) {
    const name = (await button.innerText()).trim()
    if (name === '') continue
    if (name !== 'Access rights') {
      offered[name] = (await button.getAttribute('aria-description')) ?? ''
      continue
    }
    await button.click()
    await expect(page.getByRole('menuitem')).not.toHaveCount(0)
    for (const item of await page.getByRole('menuitem').all()) {
      const [label = '', reason = ''] = (await item.innerText()).split('\n').map((text) => text.trim())
      offered[label] = reason
    }
    // The menu takes the focus a moment after it is there.
    await page.getByRole('menu').press('Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
  }
  return offered
}

const everything = {
  'Add tags': '',
  'Remove tags': '',
  'Add Access Rights Tags': '',
  'Remove Access Rights Tags': '',
  'Flick Test': '',
  'Join Network': '',
  'Leave Network': '',
  Uninstall: '',
}
const engineerOnly = { 'Flick Test': '', 'Join Network': '', 'Leave Network': '', Uninstall: '' }

test('the bar offers what the role allows [dev-6bulk-1 dev-6bulk-2 dev-6bulk-3 dev-6bulk-4 dev-6bulk-5 dev-6bulk-6 dev-6bulk-7 dev-6bulk-8]', async ({
  pageOf,
}) => {
  const { 'Flick Test': _, ...notLighting } = everything
  const { 'Join Network': _join, 'Leave Network': _leave, ...boilers } = notLighting
  for (const [email, listing, offered] of [
    [manager, 'EmergencyLights', everything],
    ['lighting@northgate.example', 'EmergencyLights', engineerOnly],
    [manager, 'NetworkingDevices', notLighting],
    [manager, 'Boilers', boilers],
    ['boiler@northgate.example', 'Boilers', { Uninstall: '' }],
    ['boiler@northgate.example', 'NetworkingDevices', { 'Join Network': '', 'Leave Network': '', Uninstall: '' }],
  ] as const) {
    const page = await pageOf(email)
    await bendRows(page, (row) => (row.deviceStatus = 'Ok'))
    await page.goto(`/northgate/${listing}`)
    await selectRows(page, 2)
    expect(await barOf(page), `${email} ${listing}`).toEqual(offered)
  }
  // Who only reads cannot even select.
  const page = await pageOf('guest@northgate.example')
  await page.goto('/northgate/EmergencyLights')
  await expect(rows(page)).not.toHaveCount(0)
  await expect(rows(page).getByRole('checkbox').and(page.locator(':enabled'))).toHaveCount(0)
  await expect(bulkBar(page)).toHaveCount(0)
  await page.getByRole('button', { name: /Logged in as/ }).click()
  await expect(page.getByRole('menuitem', { name: 'My Account' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'My bulk actions' })).toHaveCount(0)
})

for (const [where, viewport] of [
  ['on a desktop', { width: 1440, height: 900 }],
  ['where it has just room for its buttons', { width: 1376, height: 800 }],
  ['on a laptop', { width: 1280, height: 720 }],
  ['on a phone', { width: 390, height: 844 }],
  ['in a narrow window', { width: 320, height: 640 }],
] as const)
  test(`${where} the bar is whole, and no toast covers it or the pager`, async ({ pageOf }) => {
    const page = await pageOf(manager, { viewport })
    const refusal = { isSuccessful: false, data: null, reason: 'These are too many.', message: null }
    await answer(page, 'POST', '**/api/PreviewSelection', 200, refusal)
    await page.goto('/northgate/EmergencyLights')
    await selectRows(page, 1)
    expect(await bulkBar(page).evaluate((bar) => bar.scrollWidth - bar.clientWidth)).toBe(0)
    // Each question whose devices are not counted says so.
    await page.getByRole('button', { name: /^Select all/ }).click()
    await expect(page.locator('.mantine-Notification-root')).toHaveCount(1)
    await stay(page.locator('.mantine-Notification-root'))
    await rows(page).first().getByRole('checkbox').uncheck()
    await expect(page.locator('.mantine-Notification-root')).toHaveCount(2)
    const [bar, foot, ...toasts] = await page
      .locator('[role=toolbar][aria-label="Selected devices"], [data-foot], .mantine-Notification-root')
      .evaluateAll((all) =>
        ['[role=toolbar]', '[data-foot]', '.mantine-Notification-root'].flatMap((kind) =>
          all.filter((one) => one.matches(kind)).map((one) => one.getBoundingClientRect().toJSON() as DOMRect),
        ),
      )
    expect(toasts).toHaveLength(2)
    for (const one of toasts)
      for (const other of [bar!, foot!]) expect(one.bottom <= other.top || one.top >= other.bottom).toBe(true)
    for (const one of toasts) expect(one.top).toBeGreaterThanOrEqual(0)
  })

test('what a selected device does not allow is disabled and says why [dev-6bulk-3 dev-6bulk-4 dev-6bulk-5 dev-6bulk-6 dev-6bulk-7 dev-6bulk-8]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  // Wide enough for all of them beside each other, their numbers included.
  await page.setViewportSize({ width: 1800, height: 900 })
  let statuses: string[] = []
  await bendRows(page, (row, at) => (row.deviceStatus = (statuses[at] ?? 'Ok') as never))
  const offeredWith = async (...given: string[]) => {
    statuses = given
    await page.goto('/northgate/EmergencyLights')
    await selectRows(page, 3)
    return barOf(page)
  }
  const reasonFor = (one: string) => `1 selected device is ${one}`
  expect(await offeredWith('Ok', 'FailedDevice', 'PreventativeMaintenance')).toEqual(everything)
  // Allocated is no reason for access rights tags, and one for all that needs an installed device: only the rest is offered.
  const { 'Add tags': add, 'Remove tags': remove, ...rights } = everything
  const tags = { 'Add tags': add, 'Remove tags': remove }
  expect(await offeredWith('Ok', 'Allocated', 'Ok')).toEqual({
    ...tags,
    'Add Access Rights Tags': rights['Add Access Rights Tags'],
    'Remove Access Rights Tags': rights['Remove Access Rights Tags'],
    'Flick Test 2 of 3': reasonFor('not joined to the network'),
    'Join Network 2 of 3': reasonFor('not installed'),
    'Leave Network 2 of 3': reasonFor('not joined to the network'),
    'Uninstall 2 of 3': reasonFor('not installed'),
  })
  expect(await offeredWith('Inventory', 'Inventory', 'AwaitingRecycling')).toEqual({
    ...tags,
    'Add Access Rights Tags': '3 selected devices are not installed or allocated',
    'Remove Access Rights Tags': '3 selected devices are not installed or allocated',
    'Flick Test': '3 selected devices are not joined to the network',
    'Join Network': '3 selected devices are not installed',
    'Leave Network': '3 selected devices are not joined to the network',
    Uninstall: '3 selected devices are not installed',
  })
  await expect(action(page, 'Uninstall')).toHaveAttribute('aria-disabled', 'true')
  await action(page, 'Uninstall').click({ force: true })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('tooltip')).toHaveText('3 selected devices are not installed')
})

test('the rest of a selection is done, and those left out are named with their reasons', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.setViewportSize({ width: 1800, height: 900 })
  const tested: string[] = []
  await standInRun(page)
  await page.route('**/api/RunT0Test', (route) => {
    tested.push(/name="deviceId"\s+(\S+)/.exec(route.request().postData() ?? '')?.[1] ?? '')
    return route.fulfill({
      json: { isSuccessful: true, data: { status: 'queued', commandId: '1' }, reason: null, message: null },
    })
  })
  await bendRows(page, (row, at) => (row.deviceStatus = at < 5 ? 'Inventory' : 'Ok'))
  await page.goto('/northgate/EmergencyLights')
  await selectRows(page, 12)
  const ids = (await rowIds(page)).slice(0, 12)
  await page.route('**/api/GetBulkActionAnswers', (route) => {
    const devices = ids.slice(5).map((deviceId, at) => ({
      deviceId,
      answer: (['confirmed', 'refused'] as const)[at] ?? 'queued',
      message: at === 1 ? 'Battery is charging' : null,
    }))
    const data = { counts: { ...noAnswers, confirmed: 1, refused: 1, queued: 5 }, devices }
    return route.fulfill({ json: { isSuccessful: true, data, reason: null, message: null } })
  })
  await action(page, 'Flick Test 7 of 12').click()
  const asking = dialog(page, 'Flick test 7 of 12 devices')
  await expect(asking).toContainText('5 devices are left out:')
  const left = asking.getByRole('list', { name: 'Left out' }).getByRole('listitem')
  await expect(left).toHaveCount(5)
  for (const one of await left.all()) await expect(one).toContainText('not joined to the network (Inventory)')
  await asking.getByRole('button', { name: 'Flick test' }).click()
  await expect(page.getByText('7 of 7', { exact: true })).toBeVisible()
  // What was sent is not done: each light tells how it has answered.
  await expect(page.getByRole('dialog').getByRole('status')).toHaveText(/^1 confirmed5 queued1 refused7 of 7$/)
  await expect(lines(page).filter({ hasText: 'Confirmed' })).toHaveCount(1)
  await expect(lines(page).filter({ hasText: 'Battery is charging' })).toContainText('Refused')
  await expect(lines(page).filter({ hasText: 'Queued' })).toHaveCount(5)
  expect(tested.toSorted()).toEqual(ids.slice(5).toSorted())
})

test('a tag that is missing is made where it is needed; removing offers what the selection has', async ({ page }) => {
  const { tenant, ids } = await withLights(page, 3, ['Stairwell', 'Remedials'])
  await selectRows(page, 2)
  await action(page, 'Add tags').click()
  const tags = page.getByRole('combobox', { name: 'Tags' })
  await tags.fill('Night round')
  await expect(page.getByText('No spaces in tag')).toBeVisible()
  await tags.fill('NightRound')
  // By the keyboard alone.
  await expect(page.getByRole('option')).toHaveText(["Create tag 'NightRound'"])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(toast(page, 'Tag created successfully!')).toBeVisible()
  await dialog(page, 'Add tags to 2 devices').getByRole('button', { name: 'Add tags' }).click()
  await expect(page.getByText('2 done')).toBeVisible()
  for (const id of ids.slice(0, 2)) expect(await tagsOf(page, tenant, id)).toEqual(['NightRound'])
  const made = (await ask(page, getTenantTags, { body: { tenant } })).data as { tags: { name: string }[] }
  expect(made.tags.map(({ name }) => name).toSorted()).toEqual(['NightRound', 'Remedials', 'Stairwell'])
  await close(page).click()
  await rows(page).nth(2).getByRole('checkbox').check()
  await action(page, 'Remove tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await expect(page.getByRole('option')).toHaveText(['NightRound (2 devices)'])
})

test('a bulk change is taken back from its dialog by the keyboard, and by Ctrl Z while its page is open', async ({
  page,
}) => {
  const { tenant, ids } = await withLights(page, 3, ['Stairwell'])
  const add = async () => {
    await action(page, 'Add tags').click()
    await page.getByRole('combobox', { name: 'Tags' }).click()
    await page.getByRole('option', { name: 'Stairwell' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
    await expect(page.getByText('2 done')).toBeVisible()
    expect(await tagsOf(page, tenant, ids[0]!)).toEqual(['Stairwell'])
  }
  const undone = toast(page, 'The change was taken back on 2 devices.')
  const takenBack = async () => {
    await stay(undone)
    for (const id of ids) expect(await tagsOf(page, tenant, id)).toEqual([])
    await undone.getByRole('button', { name: 'Dismiss' }).click()
    await expect(undone).toHaveCount(0)
  }
  await selectRows(page, 2)
  await add()
  const undo = page.getByRole('dialog').getByRole('button', { name: 'Undo' })
  for (let presses = 0; presses < 10; presses++) {
    if (await undo.evaluate((button) => button === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await expect(undo).toBeFocused()
  await page.keyboard.press('Enter')
  await takenBack()
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await add()
  await close(page).click()
  await page.keyboard.press('Control+z')
  await takenBack()
  // There is nothing left to take back.
  const asked = counted(page, 'POST', '/api/UndoBulkAction')
  await page.keyboard.press('Control+z')

  // What was typed is first, and another page takes nothing back.
  await add()
  await close(page).click()
  await page.getByRole('searchbox', { name: 'Search this view' }).fill('EM')
  await page.keyboard.press('Control+z')
  await page.goto(`/${tenant}/EmergencyLights`)
  await userMenu(page, 'My bulk actions')
  await page.keyboard.press('Control+z')
  const run = page.getByRole('region', { name: 'Add tags: 2 devices' }).first()
  await expect(run.getByRole('button', { name: 'Undo' })).toBeVisible()
  expect(asked()).toBe(0)
  await run.getByRole('button', { name: 'Undo' }).press('Enter')
  await takenBack()
})

test('the bar goes with × and with Escape, and Escape is first for what is open', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/EmergencyLights')
  await expect(bulkBar(page)).toHaveCount(0)
  await selectRows(page, 2)
  await action(page, 'Add tags').click()
  await expect(dialog(page, 'Add tags to 2 devices')).toBeVisible()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await expect(page.getByRole('listbox')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listbox')).toHaveCount(0)
  await expect(dialog(page, 'Add tags to 2 devices')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(bulkBar(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(bulkBar(page)).toHaveCount(0)
  await selectRows(page, 1)
  await action(page, 'Clear selection').click()
  await expect(bulkBar(page)).toHaveCount(0)
  await selectRows(page, 1)
  await expect(bulkBar(page)).toBeVisible()
  // Pressed with a pointer, a box is no cell that somebody went into.
  await page.keyboard.press('Escape')
  await expect(bulkBar(page)).toHaveCount(0)
  await expect(rows(page).getByRole('checkbox', { checked: true })).toHaveCount(0)
})

/** A client of its own with lights and tags, at its listing. */
async function withLights(page: Page, count: number, tags: readonly string[]) {
  const { tenant } = await newClient(page, 'Bulk Lettings')
  await addDevices(tenant, count, '--product', 'EM')
  for (const name of tags) await ask(page, tenantCreateTag, { body: { tenant, name } })
  await page.goto(`/${tenant}/EmergencyLights`)
  await expect(rows(page)).toHaveCount(count)
  return { tenant, ids: await rowIds(page) }
}

async function tagsOf(page: Page, tenant: string, deviceId: string): Promise<string[]> {
  const { data } = await ask(page, getDeviceTags, { body: { tenant, deviceId } })
  return (data as { tags: { name: string }[] }).tags.map(({ name }) => name)
}

test('tags are added to devices one can watch, again to those that failed, and taken back [dev-4status-9 dev-4status-10 dev-4status-11 dev-5val-17 dev-5val-18 dev-5val-21 dev-8err-1]', async ({
  page,
}) => {
  const { tenant, ids } = await withLights(page, 4, ['Stairwell', 'Remedials'])
  await selectRows(page, 3)
  await action(page, 'Add tags').click()
  const asking = dialog(page, 'Add tags to 3 devices')
  const submit = asking.getByRole('button', { name: 'Add tags' })
  const sent = counted(page, 'POST', '/api/BulkAddTags')
  await expect(submit).toBeDisabled()
  await submit.click({ force: true })
  await asking.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Stairwell' }).click()
  await expect(page.getByRole('option')).toHaveText(['Remedials'])
  await expect(submit).toBeEnabled()
  expect(sent()).toBe(0)

  // The first answer is held, and says that one device failed.
  const busy = ids[1]!
  const refuse = ({ data }: { data: { results: { deviceId: string; state: string; message: string | null }[] } }) => {
    const result = data.results.find(({ deviceId }) => deviceId === busy)
    if (result) Object.assign(result, { state: 'failed', message: 'The gateway was busy' })
  }
  await bend(page, '**/api/BulkAddTags', refuse)
  const release = await hold(page, '**/api/BulkAddTags')
  await submit.click()
  await expect(lines(page)).toHaveCount(3)
  for (const line of await lines(page).all()) await expect(line).toHaveAttribute('data-state', 'loading')
  await expect(page.getByText('3 in progress')).toBeVisible()
  await expect(page.getByText(waits)).toBeVisible()
  await expect(close(page)).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(asking).toBeVisible()
  release()
  await expect(page.locator(`li[data-device="${busy}"]`)).toHaveAttribute('data-state', 'error')
  await expect(page.locator(`li[data-device="${busy}"]`)).toContainText('The gateway was busy')
  for (const id of [ids[0]!, ids[2]!])
    await expect(page.locator(`li[data-device="${id}"]`)).toHaveAttribute('data-state', 'success')
  await expect(page.getByText('2 done')).toBeVisible()
  await expect(page.getByText('1 failed', { exact: true })).toBeVisible()
  await expect(page.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('aria-valuetext', '3 of 3')
  await expect(toast(page, somethingWrong)).toBeVisible()
  await expect(page.getByText(waits)).toHaveCount(0)

  // Again: only for the one that failed.
  await page.unrouteAll({ behavior: 'wait' })
  const again = page.waitForRequest('**/api/BulkAddTags')
  await page.getByRole('button', { name: 'Retry 1 failed' }).click()
  expect(((await again).postDataJSON() as { deviceIds: string[] }).deviceIds).toEqual([busy])
  await expect(page.locator(`li[data-device="${busy}"]`)).toHaveAttribute('data-state', 'success')
  await stay(toast(page, 'Request Successful'))
  for (const id of ids.slice(0, 3)) expect(await tagsOf(page, tenant, id)).toEqual(['Stairwell'])
  expect(await tagsOf(page, tenant, ids[3]!)).toEqual([])

  await toast(page, 'Request Successful').getByRole('button', { name: 'Undo' }).click()
  await expect(toast(page, 'The change was taken back on 3 devices.')).toBeVisible()
  for (const id of ids) expect(await tagsOf(page, tenant, id)).toEqual([])
  // What told of the change went with it.
  await expect(page.getByRole('dialog')).toHaveCount(0)

  await action(page, 'Remove tags').click()
  const removing = dialog(page, 'Remove tags from 3 devices')
  await expect(removing.getByRole('button', { name: 'Remove tags' })).toBeDisabled()
})

test('one device that failed is sent again by its own button [dev-4status-11]', async ({ page, expectedErrors }) => {
  expectedErrors.push(consoleText(500))
  const { tenant, ids } = await withLights(page, 2, ['Stairwell'])
  await selectRows(page, 2)
  await action(page, 'Add tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Stairwell' }).click()
  await answer(page, 'POST', '**/api/BulkAddTags', 500)
  await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
  for (const line of await lines(page).all()) {
    await expect(line).toHaveAttribute('data-state', 'error')
    await expect(line).toContainText(somethingWrong)
  }
  await page.unrouteAll()
  const first = page.locator(`li[data-device="${ids[0]!}"]`)
  await first.getByRole('button', { name: /^Retry/ }).click()
  await expect(first).toHaveAttribute('data-state', 'success')
  await expect(page.locator(`li[data-device="${ids[1]!}"]`)).toHaveAttribute('data-state', 'error')
  expect(await tagsOf(page, tenant, ids[0]!)).toEqual(['Stairwell'])
  expect(await tagsOf(page, tenant, ids[1]!)).toEqual([])
})

test('access rights tags: adding needs one, removing none, a call for each device [dev-5val-19 dev-5val-20]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const bodies: unknown[] = []
  const bulkActionId = await standInRun(page)
  await page.route('**/api/tenants/northgate/devices/*/tags', async (route) => {
    bodies.push(route.request().postDataJSON())
    await route.fulfill({ json: { tags: [], accessRightsTag: null } })
  })
  await bendRows(page, (row) => (row.deviceStatus = 'Ok'))
  await page.goto('/northgate/EmergencyLights')
  await selectRows(page, 2)
  await action(page, 'Access rights').click()
  await menuItem(page, 'Add Access Rights Tags').click()
  const adding = dialog(page, 'Add access rights tags to 2 devices')
  const submit = adding.getByRole('button', { name: 'Add', exact: true })
  await expect(submit).toBeDisabled()
  await choose(page, 'Access rights tag', 'West Patch')
  await submit.click()
  await expect(page.getByText('2 done')).toBeVisible()
  await expect(toast(page, 'Access Tag Updated Successfully')).toBeVisible()
  expect(bodies).toHaveLength(2)
  const id = expect.stringMatching(/-/) as unknown as string
  expect(bodies[0]).toEqual({ accessRightsTags: [{ id }], bulkActionId })
  await close(page).click()
  await action(page, 'Access rights').click()
  await menuItem(page, 'Remove Access Rights Tags').click()
  await dialog(page, 'Remove access rights tags from 2 devices').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('2 done')).toBeVisible()
  const removal = { accessRightsTags: [], bulkActionId }
  expect(bodies.slice(2)).toEqual([removal, removal])
})

test('a flick test is sent once for each selected light, and says how many were [dev-7actions-9 dev-8err-7 dev-8err-18 dev-8err-19]', async ({
  page,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const { ids } = await withLights(page, 3, [])
  const tested: string[] = []
  page.on('request', (request) => {
    const found = /name="deviceId"\s+(\S+)/.exec(request.postData() ?? '')?.[1]
    if (request.url().endsWith('/api/RunT0Test') && found) tested.push(found)
  })
  const flick = async () => {
    await action(page, 'Flick Test').click()
    await dialog(page, 'Flick test 3 devices').getByRole('button', { name: 'Flick test' }).click()
    await expect(page.getByText('3 of 3', { exact: true })).toBeVisible()
  }
  await selectRows(page, 3)
  await flick()
  await expect(toast(page, 'Flick tests for all selected devices were sent successfully.')).toBeVisible()
  expect(tested.toSorted()).toEqual(ids.toSorted())
  await close(page).click()

  await page.route('**/api/RunT0Test', (route) =>
    route.request().postData()?.includes(ids[1]!) ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
  )
  await flick()
  const some = 'Something went wrong, only 2 flick tests out of 3 were successful.'
  await expect(toast(page, some)).toBeVisible()
  await close(page).click()
  await page.unrouteAll()
  await answer(page, 'POST', '**/api/RunT0Test', 500)
  await flick()
  await expect(toast(page, 'Something went wrong, no flick tests were successful.')).toBeVisible()
})

test('devices are uninstalled together after a question, and the rows say so', async ({ page }) => {
  const { ids } = await withLights(page, 3, [])
  await selectRows(page, 2)
  await action(page, 'Uninstall').click()
  const asked = dialog(page, 'Uninstall 2 devices')
  await expect(asked).toContainText('permanently removed')
  await asked.getByRole('button', { name: 'Uninstall' }).click()
  await expect(page.getByText('2 done')).toBeVisible()
  await expect(toast(page, 'Uninstalled successfully!')).toBeVisible()
  await close(page).click()
  for (const id of ids.slice(0, 2)) await expect(page.locator(`tr[data-row="${id}"]`)).toContainText('Not installed')
  await expect(page.locator(`tr[data-row="${ids[2]!}"]`)).not.toContainText('Not installed')
})

test('what was sent in parts is one action to look up, with its failures, Retry and Undo', async ({ page }) => {
  const { tenant, ids } = await withLights(page, 60, ['Stairwell'])
  await page.getByRole('checkbox', { name: 'Select page' }).check()
  const sent = counted(page, 'POST', '/api/BulkAddTags')
  await action(page, 'Add tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Stairwell' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
  await expect(page.getByRole('dialog').getByText('60 of 60')).toBeVisible()
  expect(sent()).toBe(3)
  await close(page).click()
  const runs = (await ask(page, getBulkActions, { body: { tenant } })).data as BulkRun[]
  expect(runs).toMatchObject([{ action: 'add tags', names: ['Stairwell'], total: 60, done: 60, failed: 0 }])

  await userMenu(page, 'My bulk actions')
  await expect(page).toHaveURL(`/${tenant}/BulkActions`)
  const run = page.getByRole('region', { name: 'Add tags: 60 devices' })
  await expect(run).toContainText('60 done')
  await expect(run).toContainText('Stairwell')
  await run.getByRole('button', { name: 'Undo' }).click()
  await expect(run).toContainText('This change was taken back.')
  expect(await tagsOf(page, tenant, ids[7]!)).toEqual([])

  // Nobody else finds it, in this client or another.
  expect(
    (await ask(page, getBulkAction, { body: { tenant: 'northgate', bulkActionId: runs[0]!.bulkActionId } })).status,
  ).toBe(404)
})

test('all of a listing is one question, done by the server while one goes elsewhere', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const run: BulkRun = {
    bulkActionId: '00000000-0000-4000-9000-000000000001',
    action: 'add tags',
    names: ['NightTest'],
    startedBy: 'Priya Nair',
    startedAt: new Date().toISOString(),
    finishedAt: null,
    total: 5001,
    done: 0,
    failed: 0,
    canUndo: false,
    undone: false,
  }
  const told = (data: unknown) => ({ isSuccessful: true, data, reason: null, message: null })
  let started: unknown
  const preview = { total: 5001, readOnly: 0, actions: [{ action: 'add tags', suitable: 5001, reason: null }] }
  await page.route('**/api/PreviewSelection', (route) => route.fulfill({ json: told(preview) }))
  await page.route('**/api/StartBulkAction', (route) => {
    started = (route.request().postDataJSON() as { selection: unknown }).selection
    return route.fulfill({ json: told(run) })
  })
  await page.route('**/api/GetBulkAction', (route) => route.fulfill({ json: told({ run, failures: [] }) }))
  await page.route('**/api/GetBulkActions', (route) => route.fulfill({ json: told([run]) }))
  await page.goto('/northgate/EmergencyLights')
  await page.getByRole('checkbox', { name: 'Select page' }).check()
  await page.getByRole('button', { name: /select all/i }).click()
  await expect(bulkBar(page).getByText('5,001 selected')).toBeVisible()
  await action(page, 'Add tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'NightTest' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').getByRole('button', { name: 'Add tags' }).click()
  await expect(page.getByText('0 of 5,001')).toBeVisible()
  expect(started).toEqual({ query: { listing: 'EmergencyLights', filters: [], search: '' }, except: [] })
  run.done = 4000
  run.failed = 1
  await expect(page.getByText('4,001 of 5,001')).toBeVisible()
  await close(page).click()
  await toast(page, 'The bulk action goes on.').getByRole('button', { name: 'My bulk actions' }).click()
  await expect(page).toHaveURL('/northgate/BulkActions')
  const card = page.getByRole('region', { name: 'Add tags: 5,001 devices' })
  await expect(card).toContainText('4,000 done')
  Object.assign(run, { done: 5000, finishedAt: new Date().toISOString(), canUndo: true })
  await expect(card.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expect(card.getByRole('button', { name: 'Retry 1 failed' })).toBeVisible()
})

test('whoever is not offered a bulk action gets nothing done by hand', async ({ pageOf }) => {
  const { livelyLight, untaggedLight, harbourLight } = demoDevices
  const managers = await pageOf(manager)
  const { tags } = (await ask(managers, getTenantTags, { body: { tenant: 'northgate' } })).data as {
    tags: { id: string; name: string }[]
  }
  const free = tags.find(({ name }) => name === 'OutOfHours' || name === 'DampWatch')!
  const before = await tagsOf(managers, 'northgate', livelyLight.deviceId)
  for (const [email, deviceId] of [
    ['guest@northgate.example', livelyLight.deviceId],
    ['lighting@northgate.example', livelyLight.deviceId],
    ['boiler@northgate.example', livelyLight.deviceId],
    ['limited@northgate.example', untaggedLight.deviceId],
    ['manager@harbour.example', livelyLight.deviceId],
    [manager, harbourLight.deviceId],
  ] as const) {
    const page = await pageOf(email)
    const body = { tenant: 'northgate', deviceIds: [deviceId] }
    const answers = [await ask(page, bulkAddTags, { body: { ...body, tags: [free.id] } })]
    if (email !== 'lighting@northgate.example') answers.push(await ask(page, bulkUninstall, { body }))
    for (const { status, data } of answers) {
      const results = (data as { results?: { state: string }[] } | undefined)?.results
      expect(status >= 400 || results?.every(({ state }) => state === 'failed'), email).toBe(true)
    }
  }
  expect(await tagsOf(managers, 'northgate', livelyLight.deviceId)).toEqual(before)
})
