import { readFile } from 'node:fs/promises'
import type { Download, Page } from '@playwright/test'
import { demoBuildings } from '@caretaker/demo/fixtures.ts'
import { deleteEmeredGroup, getEmeredGroup, getEmeredGroups, updateEmeredGroup } from '@caretaker/contract/groups.ts'
import type { Group, GroupRow } from '@caretaker/contract/groups.ts'
import { ask } from './fixtures/api.ts'
import { answer, counted, rowOf } from './fixtures/lists.ts'
import { hold, sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const engineer = 'lighting@northgate.example'
const schedules = '/northgate/EmergencyLightSchedules'
const dialog = (page: Page) => page.getByRole('dialog')
const table = (page: Page) => page.getByRole('grid', { name: 'Groups' })
const view = (page: Page, group: string) => page.getByRole('region', { name: `Schedule for ${group}` })
const cell = (page: Page, group: string) => table(page).getByRole('gridcell', { name: group, exact: true }).first()
const refused = (page: Page) => page.getByRole('main').getByText("You don't have permission.")

test('the sidebar leads to the groups, each with its schedule, and to a report of the loaded data [core-2.4-24 dev-2emerg-5 dev-2groups-1 dev-3ent-39 est-7.6-3]', async ({
  pageOf,
}) => {
  const page = await pageOf(engineer)
  await page.goto('/northgate/EmergencyLights')
  await sidebar(page).getByRole('link', { name: 'Test Schedules' }).click()
  await expect(page).toHaveURL(schedules)
  const rows = table(page).locator('tbody tr[data-row]')
  // Other tests may add more groups.
  await expect(cell(page, 'Calder Wharf east')).toBeVisible()
  const views = page.getByRole('region', { name: /^Schedule for / })
  await expect.poll(async () => (await views.count()) - (await rows.count())).toBe(0)

  const group = view(page, 'Beech Hill Court A')
  await group.getByRole('button', { name: 'Beech Hill Court A' }).click()
  const next = group.getByRole('table', { name: 'Next runs' })
  await expect(next.getByRole('columnheader')).toHaveText(['Test date', 'Test', 'Lights'])
  await expect(next.locator('tbody tr').first()).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:\d\dT\d+\d+$/)
  await expect(group.getByRole('table', { name: 'Tests by month' })).toBeVisible()
  await expect(group.getByRole('link', { name: 'Stairwell B, level 2' })).toBeVisible()

  // Polling for changes is ignored, because other tests change data at the same time.
  const calls = counted(page, 'POST', /^\/api\/(?!ShouldUpdate)/)
  let file!: Download
  await expect(async () => {
    const before = calls()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download report' }).click()
    file = await download
    expect(calls()).toBe(before)
  }).toPass({ timeout: 15_000 })
  expect(file.suggestedFilename()).toMatch(/^\d\d-[A-Z][a-z]{2}-\d{4}-groups\.csv$/)
  const text = await readFile(await file.path(), 'utf8')
  expect(text).toMatch(/^\uFEFF"Group","Building",.*"T180 start"/)
  expect(text).toMatch(/"Calder Wharf east","Calder Wharf",.*"\d\d\/\d\d\/\d{4} 01:30"/)
})

test('a read-only user has neither Add Group nor delete buttons, and clicking a row opens nothing; developers see Synced [dev-2emerg-7 dev-2groups-2 dev-2groups-3 dev-2groups-4 dev-3ent-40]', async ({
  pageOf,
}) => {
  const guest = await pageOf('guest@northgate.example')
  await guest.goto(schedules)
  await cell(guest, 'Alder House').click()
  await expect(view(guest, 'Alder House').getByRole('table', { name: 'Next runs' })).toBeVisible()
  await expect(dialog(guest)).toHaveCount(0)
  await expect(guest.getByRole('button', { name: 'Download report' })).toBeVisible()
  await expect(guest.getByRole('button', { name: /Add Group|Delete Group|Update group/ })).toHaveCount(0)

  const developer = await pageOf('dev@caretaker.example')
  await developer.goto(schedules)
  const next = view(developer, 'Alder House').getByRole('table', { name: 'Next runs' })
  await expect(next.getByRole('columnheader', { name: 'Synced' })).toBeVisible()
  await expect(developer.getByRole('button', { name: 'Add Group' })).toBeVisible()
  await expect(developer.getByRole('button', { name: 'Delete Group: Alder House' })).toBeVisible()
  // A client without groups.
  await developer.goto('/meridian/EmergencyLightSchedules')
  await expect(developer.getByText('No tests scheduled')).toBeVisible()
  await developer.goto('/meridian/EmergencyLightSchedules/Plan')
  await expect(developer.getByText('No tests scheduled')).toBeVisible()
})

test('restricted users have no test schedules, neither in the sidebar nor by address [core-2.4-25 core-6-22 est-6-5]', async ({
  pageOf,
}) => {
  const page = await pageOf('limited@northgate.example')
  await page.goto('/northgate/EmergencyLights')
  await expect(sidebar(page).getByRole('link', { name: 'Emergency Lights' })).toBeVisible()
  await expect(sidebar(page).getByRole('link', { name: 'Test Schedules' })).toHaveCount(0)
  for (const address of [schedules, `${schedules}/Plan`]) {
    await page.goto(address)
    await expect(refused(page)).toBeVisible()
  }
})

/** Deletes the group that a failed attempt has left, so that its light is without a group again. */
async function deleteNewGroups(page: Page): Promise<void> {
  const { data } = await ask(page, getEmeredGroups, { body: { tenant: 'northgate' } })
  const { groups } = data as { groups: GroupRow[] }
  for (const { groupName } of groups.filter((one) => one.groupName.startsWith('New group ')))
    await ask(page, deleteEmeredGroup, { body: { tenant: 'northgate', groupName } })
}

/** 22:00 on the day after tomorrow: at night, and before the demo's other groups are tested. */
const quietHour = () => `${new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)}T22:00`

/** The first half hour of the coming year that daylight saving skips in the client's time zone. */
function findSkippedHalfHour(): string {
  const year = new Date().getUTCFullYear() + 1
  const march = new Date(Date.UTC(year, 2, 31))
  return `${year}-03-${31 - march.getUTCDay()}T01:00`
}

test('a group is added, changed and deleted in its dialogs [dev-2groups-2 dev-2groups-3 dev-2groups-4 dev-2groups-5 dev-2groups-6 dev-2groups-7 dev-2groups-8 dev-2groups-9 dev-2groups-10 dev-2groups-11 dev-2groups-12 dev-2groups-13 dev-2groups-14 dev-2groups-15 dev-5val-54 dev-5val-55 dev-5val-57 dev-5val-58 dev-8err-17 dev-8err-35 dev-4alerts-6 dev-4alerts-7]', async ({
  pageOf,
  expectedErrors,
}) => {
  test.slow()
  const page = await pageOf(engineer)
  await page.goto(schedules)
  await expect(table(page)).toBeVisible()
  await deleteNewGroups(page)
  await page.getByRole('button', { name: 'Add Group' }).click()
  await expect(dialog(page).getByLabel('T180 start')).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:00$/)
  // A start in the hour that daylight saving skips is moved, and the dialog shows a note.
  let hour = findSkippedHalfHour()
  await page.route('**/api/GetEmeredGroups', async (route) => {
    const response = await route.fetch()
    const json = (await response.json()) as { data: object }
    await route.fulfill({ response, json: { ...json, data: { ...json.data, hour } } })
  })
  await page.reload()
  await page.getByRole('button', { name: 'Add Group' }).click()
  await dialog(page).getByLabel('Group Name').fill('Never made')
  await dialog(page).getByRole('combobox', { name: 'Building' }).fill(demoBuildings.failedT180)
  await expect(dialog(page).getByText(/has no 01:00\. The test starts at 02:00 BST\.$/)).toBeVisible()
  await expect(dialog(page).getByRole('button', { name: 'Save' })).toBeEnabled()
  hour = quietHour()
  await page.reload()
  const newGroup = `New group ${Date.now()}`
  await page.getByRole('button', { name: 'Add Group' }).click()
  const name = dialog(page).getByLabel('Group Name')
  const building = dialog(page).getByRole('combobox', { name: 'Building' })
  const save = dialog(page).getByRole('button', { name: 'Save' })
  // Text typed before a reload is restored as a draft.
  const discard = dialog(page).getByRole('button', { name: 'Discard draft' })
  await expect(name).toHaveValue('Never made')
  await discard.click()
  await expect(save).toBeDisabled()

  await name.fill('alder house')
  await expect(dialog(page).getByText('Group Name already being used')).toBeVisible()
  await name.fill('')
  await expect(dialog(page).getByText('Group Name is required')).toBeVisible()
  await name.fill(newGroup)
  await building.fill('Nowhere')
  await expect(dialog(page).getByText('Building is not in list')).toBeVisible()
  await building.fill('')
  await expect(dialog(page).getByText('Building is required')).toBeVisible()
  await building.fill(demoBuildings.failedT180)

  // List and map share one selection.
  await expect(dialog(page).getByRole('tab', { name: 'Devices' })).toHaveAttribute('aria-selected', 'true')
  const legend = dialog(page).getByRole('list', { name: 'Legend' })
  await expect(legend).toContainText('No group 1')
  // Lights of other groups are marked as such.
  await expect(legend).toContainText(/Another group [1-9]/)
  await expect(
    dialog(page)
      .getByRole('region', { name: 'Another group' })
      .getByRole('button', { name: 'Add: Stairwell B, level 2' }),
  ).toBeVisible()
  // One click adds all search results.
  const search = dialog(page).getByRole('searchbox', { name: 'Search lights' })
  await search.fill('Stairwell')
  const another = dialog(page).getByRole('region', { name: 'Another group' })
  const found = await another.getByRole('button', { name: /^Add: / }).count()
  await dialog(page).getByRole('button', { name: 'Add all: Another group' }).click()
  await expect(legend).toContainText(`Added ${found}`)
  const undo = dialog(page).getByRole('button', { name: /^Undo: / })
  while (await undo.count()) await undo.first().click()
  await search.fill('')
  await expect(legend).toContainText('Added 0')
  // The group also gets the 1-hour yearly test when it is requested.
  const nextRuns = dialog(page).getByRole('region', { name: 'Next runs with this start' })
  await expect(nextRuns.getByText(/^T180/).first()).toBeVisible()
  await expect(nextRuns.getByText(/^T(5|60) \d/)).toHaveCount(0)
  await nextRuns.getByRole('checkbox', { name: 'T5 monthly' }).check()
  await nextRuns.getByRole('checkbox', { name: 'T60 yearly' }).check()
  for (const type of ['T5', 'T60']) await expect(nextRuns.getByText(new RegExp(`^${type} \\d`))).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Add: Corridor 9' }).click()
  await expect(legend).toContainText('Added 1')
  await expect(dialog(page).getByRole('group', { name: 'Floor' }).getByRole('button', { pressed: true })).toHaveText(
    /^3/,
  )
  const pin = dialog(page)
    .getByRole('region', { name: 'Device map' })
    .getByRole('button', { name: 'Corridor 9: Added' })
  await expect(pin).toHaveAttribute('aria-pressed', 'true')
  // The lights are shown on the plan of their floor, with its shape and inside it.
  const plan = dialog(page).getByRole('img', { name: /^Plan of / })
  await expect(plan).toBeVisible()
  const [outline, corridor] = [(await plan.boundingBox())!, (await pin.boundingBox())!]
  const middle = { x: corridor.x + corridor.width / 2, y: corridor.y + corridor.height / 2 }
  expect(middle.x > outline.x && middle.x < outline.x + outline.width).toBe(true)
  expect(middle.y > outline.y && middle.y < outline.y + outline.height).toBe(true)
  await dialog(page).getByRole('tab', { name: 'Collisions' }).click()
  await expect(dialog(page).getByText('No collisions', { exact: true })).toBeVisible()

  const release = await hold(page, '**/api/AddEmeredGroup')
  await save.click()
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await expect(dialog(page)).toBeVisible()
  // The toast is visible for four seconds, so it is checked first.
  const confirmed = page.getByText('Request Successful').waitFor()
  release()
  await confirmed
  await expect(dialog(page)).toHaveCount(0)
  // The next time, the dialog opens empty.
  await page.getByRole('button', { name: 'Add Group' }).click()
  await expect(name).toHaveValue('')
  await expect(dialog(page).getByRole('button', { name: 'Cancel' })).toBeEnabled()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  // If someone else changes the group while the dialog is open, the second user is informed and overwrites nothing.
  const request = { body: { tenant: 'northgate', groupName: newGroup } }
  const made = (await ask(page, getEmeredGroup, request)).data as Group
  expect(made.alsoTypes).toEqual(['T5', 'T60'])
  await cell(page, newGroup).click()
  await dialog(page).getByRole('button', { name: 'Remove: Corridor 9' }).click()
  const other = await pageOf('manager@northgate.example')
  await other.goto(schedules)
  const { t180StartDate, deviceIds } = made
  const changed = { body: { ...request.body, t180StartDate, deviceIds, alsoTypes: [] } }
  expect((await ask(other, updateEmeredGroup, changed)).status).toBe(200)
  expectedErrors.push(consoleText(409))
  await save.click()
  await expect(dialog(page).getByText(/^Someone else has changed this group/)).toBeVisible()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect((await ask(page, getEmeredGroup, request)).data).toMatchObject({ deviceIds, alsoTypes: [] })

  await cell(page, newGroup).click()
  await expect(nextRuns.getByRole('checkbox', { name: 'T60 yearly' })).not.toBeChecked()
  for (const field of ['Group Name', 'Building'])
    await expect(dialog(page).getByRole('textbox', { name: field })).toHaveAttribute('readonly')
  await dialog(page).getByRole('button', { name: 'Remove: Corridor 9' }).click()
  await expect(dialog(page).getByRole('status').filter({ hasText: '1 removed: 0 lights' })).toBeVisible()
  await save.click()
  await expect(dialog(page)).toHaveCount(0)
  await expect(rowOf(page, newGroup)).toContainText('No tests scheduled')

  const bin = page.getByRole('button', { name: `Delete Group: ${newGroup}` })
  const remove = dialog(page).getByRole('button', { name: 'Delete' })
  expectedErrors.push(consoleText(500))
  await answer(page, 'POST', '**/api/DeleteEmeredGroup', 500)
  await bin.click()
  await expect(dialog(page).getByRole('heading', { name: 'Delete Group' })).toBeVisible()
  await remove.click()
  await expect(dialog(page).getByText('Something went wrong')).toBeVisible()
  await page.unroute('**/api/DeleteEmeredGroup')
  const letGo = await hold(page, '**/api/DeleteEmeredGroup')
  await remove.click()
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toBeVisible()
  const deleted = page.getByText('Group deleted successfully').waitFor()
  letGo()
  await deleted
  await expect(rowOf(page, newGroup)).toHaveCount(0)
})

test('the plan shows a collision as a night by the hour, and offers another start', async ({ pageOf }) => {
  const page = await pageOf(engineer)
  await page.goto(schedules)
  await page.getByRole('link', { name: 'Show' }).click()
  const night = page.getByRole('region', { name: /^Night of / })
  await expect(night).toContainText(/All 9 lights of Calder Wharf run their T180 from 01:30 to 04:30\./)
  await expect(page.getByRole('table', { name: 'Plan' })).toBeVisible()
  await night.getByRole('button', { name: /^Move Calder Wharf/ }).click()
  await expect(dialog(page).getByRole('heading', { name: 'Update Group' })).toBeVisible()
  await expect(dialog(page).getByLabel('T180 start')).toHaveText(/01:30$/)
  await expect(dialog(page).getByRole('button', { name: 'Save' })).toBeEnabled()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  // If lights of another group are tested at the same time, the dialog shows the conflicting group.
  await page.goto(schedules)
  await cell(page, 'Calder Wharf east').click()
  await expect(dialog(page).getByRole('list', { name: 'Legend' })).toContainText(/Conflicting group [1-9]/)
  await expect(dialog(page).getByRole('region', { name: 'Conflicting group' })).toContainText('Calder Wharf west')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()

  // If all lights of a building are in one group, no other start helps, but a second group does.
  await page.goto(schedules)
  await cell(page, 'Riverside Point').click()
  const foot = dialog(page)
    .getByRole('status')
    .filter({ hasText: /lights/ })
  await expect(foot).toContainText('All 9 lights of Riverside Point would be tested at once')
  await dialog(page).getByRole('tab', { name: 'Collisions' }).click()
  await dialog(page).getByRole('button', { name: 'Leave every second light' }).click()
  await expect(dialog(page).getByText('No collisions', { exact: true })).toBeVisible()
  await expect(foot.filter({ hasText: '4 removed: 5 lights' })).toContainText(
    '4 lights are then no longer tested by any group',
  )
})

test('the next test of a group and its delete button are in sight at any width', async ({ pageOf }) => {
  const page = await pageOf(engineer)
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(schedules)
    const row = table(page).locator('tbody tr[data-row]').filter({ hasText: 'Riverside Point' })
    // Its lights missed the T180 last night.
    await expect(row).toContainText(/T180 of \d\d\/\d\d\/\d{4} missed by 9 lights/)
    for (const part of [row.getByText('All at once'), row.getByRole('button', { name: /^Delete Group/ })])
      await expect(part).toBeInViewport({ ratio: 1 })
  }
})
