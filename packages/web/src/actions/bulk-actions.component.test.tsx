import { expect, test } from 'vitest'
import type { Locator } from 'vitest/browser'
import { page, userEvent } from 'vitest/browser'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import {
  bulkAddTags,
  getBulkAction,
  getBulkActionAnswers,
  getBulkActions,
  getSelectionTags,
  previewSelection,
  setDeviceAccessRightsTags,
  startBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import { getStandardLuminaires } from '@caretaker/contract/equipment.ts'
import { runT0Test } from '@caretaker/contract/lighting.ts'
import { getAccessRightsTags, getTenantTags, tenantCreateTag } from '@caretaker/contract/tags.ts'
import { noAnswers } from '@caretaker/rules/commands/answers.ts'
import type { DeviceStatus } from '@caretaker/rules/devices/status.ts'
import { expectConsoleError } from '../testing/console.ts'
import { aPageOf, aRow, idOf, listingsOf, rowsOf } from '../testing/examples/devices.ts'
import { expectCount, expectTexts, textsOf } from '../testing/expect.ts'
import { answer, answerStatus, exampleOf, hold, refuse } from '../testing/network.ts'
import { showWarning } from '../ui/toasts.tsx'
import { openPortal } from '../testing/portal.tsx'
import { bulkBar, choose, dialog, menuItem, rows, selectRows, toast, loading } from '../testing/device-screen.ts'

/** Several journeys in one test: on a busy machine they need longer than a usual test. */
const slow = { timeout: 60_000 }

const somethingWrong = 'Something has gone wrong, please try again'
const waits = 'You can close this when every device has answered.'
const action = (name: string) => bulkBar.getByRole('button', { name, exact: true })
const anyDialog = page.getByRole('dialog')
const lines = anyDialog.getByCss('li[data-device]')
const lineOf = (id: string) => anyDialog.getByCss(`li[data-device="${id}"]`)
const close = anyDialog.getByRole('button', { name: 'Close', exact: true }).last()

const run: BulkRun = {
  ...exampleOf(startBulkAction),
  bulkActionId: idOf(77),
  action: 'add tags',
  names: ['Stairwell'],
  finishedAt: null,
  total: 2,
  done: 0,
  failed: 0,
  canUndo: false,
  undone: false,
}
const stairwell = { id: idOf(11), name: 'Stairwell' }
const remedials = { id: idOf(12), name: 'Remedials' }
const tags = answer(getTenantTags, { tags: [stairwell, remedials], alerts: [] })
const started = answer(startBulkAction, run)
const added = answer(bulkAddTags, ({ body: { deviceIds } }) => ({
  bulkActionId: run.bulkActionId,
  results: deviceIds.map((deviceId) => ({ deviceId, state: 'done', message: null })),
}))

/** Wide enough for all buttons of the bar in one row, with their counts. */
const wide = { width: 1800, height: 900 }
type Options = Parameters<typeof openPortal>[1]

function openLights(devices = rowsOf(3), { answers = [], ...options }: Options = {}) {
  return openPortal('/northgate/EmergencyLights', {
    viewport: wide,
    ...options,
    answers: [...listingsOf(devices), tags, started, added, ...answers],
  })
}

async function addStairwell(): Promise<void> {
  await action('Add tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Stairwell' }).click()
  await anyDialog.getByRole('button', { name: 'Add tags' }).click()
}

/** The labels of the bar, including the access rights menu, with the reason for each disabled action. */
async function barOf(): Promise<Record<string, string>> {
  const offered: Record<string, string> = {}
  for (const button of bulkBar.getByRole('button').elements() as HTMLElement[]) {
    const name = button.innerText.trim()
    if (name === '' || name.startsWith('Select only')) continue
    if (name !== 'Access rights') {
      offered[name] = button.getAttribute('aria-description') ?? ''
      continue
    }
    await page.elementLocator(button).click()
    await expect.element(page.getByRole('menuitem').first()).toBeVisible()
    for (const item of page.getByRole('menuitem').elements() as HTMLElement[]) {
      const [label = '', reason = ''] = item.innerText.split('\n').map((text) => text.trim())
      offered[label] = reason
    }
    await userEvent.keyboard('{Escape}')
    await expectCount(page.getByRole('menu'), 0)
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
const { 'Flick Test': _flick, ...notLighting } = everything
const { 'Join Network': _join, 'Leave Network': _leave, ...boilers } = notLighting

test.each([
  { role: 'Manager', listing: 'EmergencyLights', product: 'EM', offered: everything },
  { role: 'LightingEngineer', listing: 'EmergencyLights', product: 'EM', offered: engineerOnly },
  { role: 'Manager', listing: 'NetworkingDevices', product: 'ZG', offered: notLighting },
  { role: 'Manager', listing: 'Boilers', product: 'BX', offered: boilers },
  { role: 'BoilerEngineer', listing: 'Boilers', product: 'BX', offered: { Uninstall: '' } },
  {
    role: 'BoilerEngineer',
    listing: 'NetworkingDevices',
    product: 'ZG',
    offered: { 'Join Network': '', 'Leave Network': '', Uninstall: '' },
  },
] as const)(
  'the bar of $listing offers a $role what the role allows [dev-6bulk-1 dev-6bulk-2 dev-6bulk-3 dev-6bulk-4 dev-6bulk-5 dev-6bulk-6 dev-6bulk-7 dev-6bulk-8]',
  async ({ role, listing, product, offered }) => {
    await openPortal(`/northgate/${listing}`, {
      role,
      viewport: wide,
      answers: listingsOf(rowsOf(2, { deviceProductId: product })),
    })
    await selectRows(2)
    expect(await barOf()).toEqual(offered)
  },
)

test('a read-only user cannot select rows and has no bulk actions [dev-6bulk-1 dev-6bulk-2]', async () => {
  await openLights(rowsOf(2, { userHasReadOnlyAccess: true }), { role: 'Guest' })
  await expectCount(rows, 2)
  await expectCount(rows.getByCss('input[type=checkbox]:enabled'), 0)
  await expectCount(bulkBar, 0)
  await page.getByRole('button', { name: /Logged in as/ }).click()
  await expect.element(page.getByRole('menuitem', { name: 'My Account' }), loading).toBeVisible()
  await expectCount(page.getByRole('menuitem', { name: 'My bulk actions' }), 0)
})

test.each([
  ['on a desktop', { width: 1440, height: 900 }],
  ['where the window has just room for its buttons', { width: 1376, height: 800 }],
  ['on a laptop', { width: 1280, height: 720 }],
  ['on a phone', { width: 390, height: 844 }],
  ['in a narrow window', { width: 320, height: 640 }],
] as const)('%s the bar is whole, and no toast covers the bar or the pager', async (_, viewport) => {
  await openLights(rowsOf(20), {
    viewport,
    answers: [
      ...listingsOf(rowsOf(20), { total: 300, outOf: 300 }),
      refuse(previewSelection, 'refused', { message: 'These are too many.' }),
    ],
  })
  await selectRows(1)
  expect(bulkBar.element().scrollWidth - bulkBar.element().clientWidth).toBe(0)
  await page.getByRole('button', { name: /^Select all/ }).click()
  const toasts = page.getByCss('.mantine-Notification-root')
  await expectCount(toasts, 1)
  await toasts.hover()
  showWarning('Another message.')
  await expectCount(toasts, 2)
  const boxesOf = (what: Locator) => what.elements().map((one) => one.getBoundingClientRect())
  const [bar, foot] = [...boxesOf(bulkBar), ...boxesOf(page.getByCss('[data-foot]'))]
  for (const one of boxesOf(toasts)) {
    for (const other of [bar!, foot!]) expect(one.bottom <= other.top || one.top >= other.bottom).toBe(true)
    expect(one.top).toBeGreaterThanOrEqual(0)
  }
})

test('an action that a selected device does not allow is disabled, with the reason [dev-6bulk-3 dev-6bulk-4 dev-6bulk-5 dev-6bulk-6 dev-6bulk-7 dev-6bulk-8]', async () => {
  const narrowing = bulkBar.getByRole('button', { name: /^Select only/ })
  const offeredWith = async (...statuses: DeviceStatus[]) => {
    await openLights(statuses.map((deviceStatus, at) => aRow({ deviceId: idOf(at + 1), deviceStatus })))
    await selectRows(3)
    return barOf()
  }
  const reasonFor = (one: string) => `1 selected device is ${one}`
  expect(await offeredWith('Ok', 'FailedDevice', 'PreventativeMaintenance')).toEqual(everything)
  // An allocated device can have access rights tags, but all other actions need an installed device.
  const allowed = {
    'Add tags': '',
    'Remove tags': '',
    'Add Access Rights Tags': '',
    'Remove Access Rights Tags': '',
  }
  expect(await offeredWith('Ok', 'Allocated', 'Ok')).toEqual({
    ...allowed,
    'Flick Test': reasonFor('not joined to the network'),
    'Join Network': reasonFor('not installed'),
    'Leave Network': reasonFor('not joined to the network'),
    Uninstall: reasonFor('not installed'),
  })
  for (const name of ['Flick Test', 'Join Network', 'Leave Network', 'Uninstall']) {
    await expect.element(action(name)).toHaveAttribute('aria-disabled', 'true')
    await action(name).click({ force: true })
  }
  await expectCount(anyDialog, 0)
  await expectTexts(narrowing, ['Select only the 2 that are'])
  expect(await offeredWith('Inventory', 'Inventory', 'AwaitingRecycling')).toEqual({
    ...allowed,
    'Add Access Rights Tags': '3 selected devices are not installed or allocated',
    'Remove Access Rights Tags': '3 selected devices are not installed or allocated',
    'Flick Test': '3 selected devices are not joined to the network',
    'Join Network': '3 selected devices are not installed',
    'Leave Network': '3 selected devices are not joined to the network',
    Uninstall: '3 selected devices are not installed',
  })
  await expect.element(action('Uninstall')).toHaveAttribute('aria-disabled', 'true')
  await action('Uninstall').click({ force: true })
  await expectCount(anyDialog, 0)
  await expect.element(page.getByRole('tooltip')).toHaveTextContent('3 selected devices are not installed')
  // None of the devices qualifies.
  await expectCount(narrowing, 0)
})

test('one click narrows a selection to the devices that allow the action [dev-6bulk-5 dev-6bulk-6 dev-6bulk-7 dev-6bulk-8]', async () => {
  const devices = rowsOf(12).map((row, at) => (at < 5 ? { ...row, deviceStatus: 'Inventory' as const } : row))
  const ids = devices.map(({ deviceId }) => deviceId).slice(5)
  const answers = ids.map((deviceId, at) => ({
    deviceId,
    answer: (['confirmed', 'refused'] as const)[at] ?? ('queued' as const),
    message: at === 1 ? 'Battery is charging' : null,
  }))
  const portal = await openLights(devices, {
    answers: [
      answer(runT0Test, { status: 'queued', commandId: 'one' }),
      answer(getBulkActionAnswers, {
        counts: { ...noAnswers, confirmed: 1, refused: 1, queued: 5 },
        devices: answers,
      }),
    ],
  })
  await selectRows(12)
  await expect.element(bulkBar).toMatchTextContent('5 selected devices are not installed.')
  await bulkBar.getByRole('button', { name: 'Select only the 7 that are' }).click()
  await expect.element(bulkBar.getByText('7 selected', { exact: true })).toBeVisible()
  await expectCount(rows.getByRole('checkbox', { checked: true }), 7)
  expect(await barOf()).toEqual(everything)
  await action('Flick Test').click()
  await dialog('Flick test 7 devices').getByRole('button', { name: 'Flick test' }).click()
  await expect.element(page.getByText('7 of 7', { exact: true })).toBeVisible()
  // A sent test is not finished: each light answers separately.
  await expect
    .element(anyDialog.getByRole('status'))
    .toMatchTextContent(/^1 confirmed\s*5 queued\s*1 refused\s*7 of 7$/)
  await expectCount(lines.filter({ hasText: 'Confirmed' }), 1)
  await expect.element(lines.filter({ hasText: 'Battery is charging' })).toMatchTextContent('Refused')
  await expectCount(lines.filter({ hasText: 'Queued' }), 5)
  expect(
    portal
      .sentTo(runT0Test)
      .map(({ form }) => form.deviceId)
      .toSorted(),
  ).toEqual(ids)
})

test('a selection of a whole listing is narrowed by status, together with the listing', async () => {
  const joined = ['Ok', 'RepairedDevice', 'RepairedEquipment', 'Installed', 'FailedDevice', 'FailedEquipment']
  const isNarrowed = (filters: readonly { fieldId: string }[] = []) => filters.some((one) => one.fieldId === 'status')
  const devices = rowsOf(20).map((row, at) => (at < 2 ? { ...row, deviceStatus: 'Inventory' as const } : row))
  const portal = await openLights(devices, {
    answers: [
      answer(fetchViewData, ({ body: { filters } }) =>
        isNarrowed(filters)
          ? aPageOf(devices.slice(2), { total: 4990, outOf: 5000 })
          : aPageOf(devices, { total: 5000, outOf: 5000 }),
      ),
      answer(previewSelection, ({ body: { selection } }) => {
        if (!('query' in selection)) throw new Error('the selection is a question')
        const total = isNarrowed(selection.query.filters) ? 4990 : 5000 - selection.except.length
        const unsuitable = total - 4990
        const reason = unsuitable ? `${unsuitable} selected devices are not joined to the network` : null
        return { total, readOnly: 0, actions: [{ action: 'leave network', suitable: 4990, reason }] }
      }),
    ],
  })
  await expect.element(rows.first(), loading).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select page' }).click()
  await page.getByRole('button', { name: /select all/i }).click()
  // This device is deselected, and narrowing the selection would drop it anyway.
  await rows.first().getByRole('checkbox').click()
  await expect.element(bulkBar.getByText('4,999 selected')).toBeVisible()
  await expect.element(action('Leave Network')).toHaveAttribute('aria-disabled', 'true')
  await bulkBar.getByRole('button', { name: 'Select only the 4,990 that are' }).click()
  await expect.element(bulkBar.getByText('4,990 selected')).toBeVisible()
  await expect.element(action('Leave Network')).toHaveAttribute('aria-disabled', 'false')
  await expectCount(rows.getByRole('checkbox', { checked: true }), 18)
  await action('Leave Network').click()
  await dialog('Make 4,990 devices leave the network').getByRole('button', { name: 'Leave Network' }).click()
  await expect.poll(() => portal.sentTo(startBulkAction).length).toBe(1)
  const { selection } = portal.sentTo(startBulkAction)[0]!.body
  expect(selection).toMatchObject({
    query: {
      listing: 'EmergencyLights',
      filters: [{ fieldId: 'status', filterOp: 'anyof', value: expect.arrayContaining(joined) }],
    },
    except: [],
  })
})

test('lights get a standard luminaire in one dialog, and the server runs the action', async () => {
  const luminaire = { ...exampleOf(getStandardLuminaires)[0]!, luminaireId: idOf(20), name: 'Escape 3 h' }
  const portal = await openLights(rowsOf(3), { answers: [answer(getStandardLuminaires, [luminaire])] })
  await selectRows(3)
  await bulkBar.getByRole('button', { name: 'Change lights' }).click()
  await menuItem('Standard luminaire').click()
  const question = dialog('Set the luminaire of 3 devices')
  const verb = question.getByRole('button', { name: 'Set luminaire' })
  await expect.element(verb).toBeDisabled()
  await question.getByRole('combobox', { name: 'Standard luminaire' }).click()
  await page.getByRole('option', { name: 'Escape 3 h' }).click()
  await verb.click()
  await expect
    .poll(() => portal.sentTo(startBulkAction).map(({ body }) => body))
    .toMatchObject([
      {
        action: 'set luminaire',
        settings: { luminaireId: idOf(20) },
        selection: { deviceIds: [idOf(1), idOf(2), idOf(3)] },
      },
    ])
})

test('a missing tag is created where it is needed; removing offers the tags of the selection', async () => {
  const night = { id: idOf(13), name: 'NightRound' }
  const portal = await openLights(rowsOf(3), {
    answers: [answer(tenantCreateTag, night), answer(getSelectionTags, [{ ...night, devices: 2 }])],
  })
  await selectRows(2)
  await action('Add tags').click()
  const field = page.getByRole('combobox', { name: 'Tags' })
  await field.fill('Night round')
  await expect.element(page.getByText('No spaces in tag')).toBeVisible()
  await field.fill('NightRound')
  await expectTexts(page.getByRole('option'), ["Create tag 'NightRound'"])
  await userEvent.keyboard('{ArrowDown}{Enter}')
  await expect.element(toast('Tag created successfully!')).toBeVisible()
  await dialog('Add tags to 2 devices').getByRole('button', { name: 'Add tags' }).click()
  await expect.element(page.getByText('2 done')).toBeVisible()
  expect(portal.sentTo(tenantCreateTag)[0]!.body.name).toBe('NightRound')
  expect(portal.sentTo(bulkAddTags)[0]!.body).toMatchObject({ deviceIds: [idOf(1), idOf(2)], tags: [night.id] })
  await close.click()
  await rows.nth(2).getByRole('checkbox').click()
  await action('Remove tags').click()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await expectTexts(page.getByRole('option'), ['NightRound (2 devices)'])
})

test(
  'a bulk change is undone from its dialog by the keyboard, and by Ctrl Z while its page is open',
  slow,
  async () => {
    const portal = await openLights(rowsOf(3), {
      answers: [
        answer(undoBulkAction, { restored: 2, skipped: 0 }),
        answer(getBulkActions, [{ ...run, done: 2, canUndo: true, finishedAt: run.startedAt }]),
      ],
    })
    const undone = toast('The change was undone on 2 devices.')
    const add = async () => {
      await addStairwell()
      await expect.element(page.getByText('2 done')).toBeVisible()
    }
    const dismiss = async () => {
      await expect.element(undone).toBeVisible()
      await undone.getByRole('button', { name: 'Dismiss' }).click()
      await expectCount(undone, 0)
    }
    const undos = () => portal.sentTo(undoBulkAction).length
    await selectRows(2)
    await add()
    const undo = anyDialog.getByRole('button', { name: 'Undo' })
    for (let presses = 0; presses < 10 && undo.query() !== document.activeElement; presses++) await userEvent.tab()
    await expect.element(undo).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    await dismiss()
    await expectCount(anyDialog, 0)
    expect(undos()).toBe(1)

    await add()
    await close.click()
    await expectCount(anyDialog, 0)
    await userEvent.keyboard('{Control>}z{/Control}')
    await dismiss()
    expect(undos()).toBe(2)
    // Nothing is left to undo.
    await userEvent.keyboard('{Control>}z{/Control}')

    // In a field, Ctrl Z undoes typing; on another page it does nothing.
    await add()
    await close.click()
    await expectCount(anyDialog, 0)
    await page.getByRole('searchbox', { name: 'Search this view' }).fill('EM')
    await userEvent.keyboard('{Control>}z{/Control}')
    await portal.go('/northgate/BulkActions')
    const kept = page.getByRole('region', { name: 'Add tags: 2 devices' })
    await expect.element(kept.getByRole('button', { name: 'Undo' }), loading).toBeVisible()
    await userEvent.keyboard('{Control>}z{/Control}')
    expect(undos()).toBe(2)
    await kept.getByRole('button', { name: 'Undo' }).click()
    await expect.element(undone).toBeVisible()
    expect(undos()).toBe(3)
  },
)

test('the bar closes with × and with Escape, and Escape first closes an open menu or dialog', async () => {
  await openLights()
  await expect.element(rows.first(), loading).toBeVisible()
  await expectCount(bulkBar, 0)
  await selectRows(2)
  await action('Add tags').click()
  await expect.element(dialog('Add tags to 2 devices')).toBeVisible()
  await page.getByRole('combobox', { name: 'Tags' }).click()
  await expect.element(page.getByRole('listbox')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expectCount(page.getByRole('listbox'), 0)
  await expect.element(dialog('Add tags to 2 devices')).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expectCount(anyDialog, 0)
  await expect.element(bulkBar).toBeVisible()
  await userEvent.keyboard('{Escape}')
  await expectCount(bulkBar, 0)
  await selectRows(1)
  await action('Clear selection').click()
  await expectCount(bulkBar, 0)
  await selectRows(1)
  // A checkbox clicked with a pointer is not a cell entered by keyboard.
  await userEvent.keyboard('{Escape}')
  await expectCount(bulkBar, 0)
  await expectCount(rows.getByRole('checkbox', { checked: true }), 0)
})

test('adding tags shows the progress of each device, can be retried for failures, and can be undone [dev-4status-9 dev-4status-10 dev-4status-11 dev-5val-17 dev-5val-18 dev-5val-21 dev-8err-1]', async () => {
  const busy = idOf(2)
  const failing = hold(
    bulkAddTags,
    answer(bulkAddTags, ({ body: { deviceIds } }) => ({
      bulkActionId: run.bulkActionId,
      results: deviceIds.map((deviceId) =>
        deviceId === busy
          ? { deviceId, state: 'failed', message: 'The gateway was busy' }
          : { deviceId, state: 'done', message: null },
      ),
    })),
  )
  const portal = await openLights(rowsOf(4), {
    answers: [failing, answer(undoBulkAction, { restored: 3, skipped: 0 })],
  })
  await selectRows(3)
  await action('Add tags').click()
  const question = dialog('Add tags to 3 devices')
  const submit = question.getByRole('button', { name: 'Add tags' })
  await expect.element(submit).toBeDisabled()
  await question.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Stairwell' }).click()
  await expectTexts(page.getByRole('option'), ['Remedials'])
  await expect.element(submit).toBeEnabled()
  expect(portal.sentTo(bulkAddTags)).toEqual([])

  await submit.click()
  await expectCount(anyDialog.getByCss('li[data-device][data-state=loading]'), 3)
  await expect.element(page.getByText('3 in progress')).toBeVisible()
  await expect.element(page.getByText(waits)).toBeVisible()
  await expect.element(close).toBeDisabled()
  await userEvent.keyboard('{Escape}')
  await expect.element(question).toBeVisible()
  failing.release()
  await expect.element(lineOf(busy)).toHaveAttribute('data-state', 'error')
  await expect.element(lineOf(busy)).toMatchTextContent('The gateway was busy')
  for (const id of [idOf(1), idOf(3)]) await expect.element(lineOf(id)).toHaveAttribute('data-state', 'success')
  await expect.element(page.getByText('2 done')).toBeVisible()
  await expect.element(page.getByText('1 failed', { exact: true })).toBeVisible()
  await expect.element(page.getByRole('progressbar', { name: 'Progress' })).toHaveAttribute('aria-valuetext', '3 of 3')
  await expect.element(toast(somethingWrong)).toBeVisible()
  await expectCount(page.getByText(waits), 0)

  // Only the failed device is retried.
  portal.use(added)
  await page.getByRole('button', { name: 'Retry 1 failed' }).click()
  await expect.element(lineOf(busy)).toHaveAttribute('data-state', 'success')
  expect(portal.sentTo(bulkAddTags).map(({ body }) => body.deviceIds)).toEqual([[idOf(1), busy, idOf(3)], [busy]])
  await toast('Request Successful').getByRole('button', { name: 'Undo' }).click()
  await expect.element(toast('The change was undone on 3 devices.')).toBeVisible()
  expect(portal.sentTo(undoBulkAction)).toHaveLength(1)
  await expectCount(anyDialog, 0)

  await action('Remove tags').click()
  const removing = dialog('Remove tags from 3 devices')
  await expect.element(removing.getByRole('button', { name: 'Remove tags' })).toBeDisabled()
})

test('a device that failed is sent again by its own button [dev-4status-11]', async () => {
  expectConsoleError('500')
  const portal = await openLights(rowsOf(2), { answers: [answerStatus(bulkAddTags, 500)] })
  await selectRows(2)
  await addStairwell()
  await expectCount(anyDialog.getByCss('li[data-device][data-state=error]'), 2)
  for (const text of textsOf(lines)) expect(text).toContain(somethingWrong)
  portal.use(added)
  await lineOf(idOf(1))
    .getByRole('button', { name: /^Retry/ })
    .click()
  await expect.element(lineOf(idOf(1))).toHaveAttribute('data-state', 'success')
  await expect.element(lineOf(idOf(2))).toHaveAttribute('data-state', 'error')
  expect(portal.sentTo(bulkAddTags).at(-1)!.body.deviceIds).toEqual([idOf(1)])
})

test('adding access rights tags needs one, removing none, with a call for each device [dev-5val-19 dev-5val-20]', async () => {
  const west = { id: idOf(21), displayName: 'West Patch', protected: false }
  const portal = await openLights(rowsOf(2), {
    answers: [
      answer(getAccessRightsTags, [west]),
      answer(setDeviceAccessRightsTags, { tags: [], accessRightsTag: null, version: 2 }),
    ],
  })
  await selectRows(2)
  await action('Access rights').click()
  await menuItem('Add Access Rights Tags').click()
  const submit = dialog('Add access rights tags to 2 devices').getByRole('button', { name: 'Add', exact: true })
  await expect.element(submit).toBeDisabled()
  await choose('Access rights tag', 'West Patch')
  await submit.click()
  await expect.element(page.getByText('2 done')).toBeVisible()
  await expect.element(toast('Access Tag Updated Successfully')).toBeVisible()
  const { bulkActionId } = run
  const sent = () => portal.sentTo(setDeviceAccessRightsTags).map(({ body }) => body)
  const adding = { accessRightsTags: [{ id: west.id }], bulkActionId }
  expect(sent()).toEqual([adding, adding])
  await close.click()
  await action('Access rights').click()
  await menuItem('Remove Access Rights Tags').click()
  await dialog('Remove access rights tags from 2 devices').getByRole('button', { name: 'Remove' }).click()
  await expect.element(page.getByText('2 done')).toBeVisible()
  const removing = { accessRightsTags: [], bulkActionId }
  expect(sent().slice(2)).toEqual([removing, removing])
})

test('a flick test is sent once for each selected light, and a toast counts them [dev-7actions-9 dev-8err-7 dev-8err-18 dev-8err-19]', async () => {
  expectConsoleError('500')
  const sends = answer(runT0Test, { status: 'queued', commandId: 'one' })
  const fails = answerStatus(runT0Test, 500)
  const portal = await openLights(rowsOf(3), {
    answers: [sends, answer(getBulkActionAnswers, { counts: noAnswers, devices: [] })],
  })
  const flick = async () => {
    await action('Flick Test').click()
    await dialog('Flick test 3 devices').getByRole('button', { name: 'Flick test' }).click()
    await expect.element(page.getByText('3 of 3', { exact: true })).toBeVisible()
  }
  await selectRows(3)
  await flick()
  await expect.element(toast('Flick tests for all selected devices were sent successfully.')).toBeVisible()
  expect(
    portal
      .sentTo(runT0Test)
      .map(({ form }) => form.deviceId)
      .toSorted(),
  ).toEqual([1, 2, 3].map(idOf))
  await close.click()

  portal.use({
    route: runT0Test,
    respond: (sent) =>
      ((sent.form as unknown as { deviceId: string }).deviceId === idOf(2) ? fails : sends).respond(sent),
  })
  await flick()
  await expect.element(toast('Something went wrong, only 2 flick tests out of 3 were successful.')).toBeVisible()
  await close.click()
  portal.use(fails)
  await flick()
  await expect.element(toast('Something went wrong, no flick tests were successful.')).toBeVisible()
})

test('all rows of a listing are selected as one query, which the server processes while the user visits other pages', async () => {
  let now: BulkRun = { ...run, names: ['Stairwell'], total: 5001 }
  const portal = await openLights(rowsOf(20), {
    answers: [
      ...listingsOf(rowsOf(20), { total: 5001, outOf: 5001 }),
      answer(previewSelection, {
        total: 5001,
        readOnly: 0,
        actions: [{ action: 'add tags', suitable: 5001, reason: null }],
      }),
      answer(startBulkAction, () => now),
      answer(getBulkAction, () => ({ run: now, failures: [] })),
      answer(getBulkActions, () => [now]),
    ],
  })
  await expect.element(rows.first(), loading).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select page' }).click()
  await page.getByRole('button', { name: /select all/i }).click()
  await expect.element(bulkBar.getByText('5,001 selected')).toBeVisible()
  await addStairwell()
  await expect.element(anyDialog.getByText('0 of 5,001', { exact: true })).toBeVisible()
  expect(portal.sentTo(startBulkAction)[0]!.body.selection).toMatchObject({
    query: { listing: 'EmergencyLights', filters: [], search: '' },
    except: [],
  })
  now = { ...now, done: 4000, failed: 1 }
  await expect.element(anyDialog.getByText('4,001 of 5,001')).toBeVisible()
  await close.click()
  await toast('The bulk action continues in the background.').getByRole('button', { name: 'My bulk actions' }).click()
  await expect.poll(() => portal.address()).toBe('/northgate/BulkActions')
  const card = page.getByRole('region', { name: 'Add tags: 5,001 devices' })
  await expect.element(card, loading).toMatchTextContent('4,000 done')
  now = { ...now, done: 5000, finishedAt: run.startedAt, canUndo: true }
  await expect.element(card.getByRole('button', { name: 'Undo' })).toBeVisible()
  await expect.element(card.getByRole('button', { name: 'Retry 1 failed' })).toBeVisible()
})
