import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { BulkRun } from '@caretaker/contract/actions.ts'
import {
  getBulkAction,
  previewPropertySelection,
  startBulkAction,
  startPropertyBulkAction,
  undoBulkAction,
} from '@caretaker/contract/actions.ts'
import { fetchProperties } from '@caretaker/contract/properties.ts'
import { getAccessRightsTags, getTenantTags } from '@caretaker/contract/tags.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { dialog, loading } from '../../../testing/device-screen.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHomeRow } from '../../../testing/examples/homes.ts'
import { viewDefinitions } from '../../../testing/examples/views.ts'
import { expectCount } from '../../../testing/expect.ts'
import { rows } from '../../../testing/list-screen.ts'
import { answer, exampleOf } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'

const bar = page.getByRole('toolbar', { name: 'Selected properties' })
const homes = [50, 51, 52].map((id) => aHomeRow({ propertyId: idOf(id), propertyReference: `NG-${id}` }))
const east = { id: idOf(21), displayName: 'East Patch', protected: false }
const preview = {
  ...{ total: 3, occupied: 1, openCases: 0, devices: 4 },
  actions: [
    { action: 'add tags' as const, suitable: 4, reason: null },
    { action: 'remove tags' as const, suitable: 4, reason: null },
    { action: 'archive properties' as const, suitable: 2, reason: '1 selected property has devices' },
    { action: 'set access rights tag of properties' as const, suitable: 3, reason: null },
    { action: 'remove access rights tag of properties' as const, suitable: 3, reason: null },
  ],
}
const run: BulkRun = {
  ...exampleOf(startPropertyBulkAction),
  ...{ bulkActionId: idOf(77), subject: 'property', action: 'archive properties', names: [] },
  ...{ finishedAt: '2026-11-29T12:00:00Z', total: 2, done: 2, failed: 0, canUndo: true, undone: false },
}

async function open(role: Role = 'Manager', counted = preview) {
  const portal = await openPortal('/northgate/Properties', {
    ...{ role, viewport: { width: 1800, height: 900 }, features: ['PropertyCentric'] },
    answers: [
      ...viewDefinitions(),
      answer(fetchProperties, {
        ...exampleOf(fetchProperties),
        rows: homes,
        total: 120,
        outOf: 120,
        page: 1,
        pageSize: 25,
      }),
      answer(previewPropertySelection, counted),
      answer(startPropertyBulkAction, run),
      answer(getBulkAction, { run, failures: [] }),
      answer(undoBulkAction, { restored: 2, skipped: 0 }),
      answer(getAccessRightsTags, [east]),
      answer(getTenantTags, { tags: [], alerts: [] }),
    ],
  })
  await expect.element(rows.first(), loading).toBeVisible()
  return portal
}
async function pick(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await rows.nth(at).getByRole('checkbox').click()
}
const picked = { propertyIds: homes.map(({ propertyId }) => propertyId) }

test('selected properties are archived with a reason; the dialog shows how many, and that properties with devices stay', async () => {
  const portal = await open()
  await pick(3)
  await expect.element(bar.getByText('3 selected')).toBeVisible()
  expect(portal.sentTo(previewPropertySelection).at(-1)!.body.selection).toEqual(picked)
  await bar.getByRole('button', { name: 'Archive' }).click()
  const question = dialog('Archive 2 properties')
  await expect.element(question.getByText('1 property with devices stays as it is')).toBeVisible()
  const archive = question.getByRole('button', { name: 'Archive', exact: true })
  await expect.element(archive).toBeDisabled()
  await question.getByRole('textbox', { name: 'Reason' }).fill('Sold')
  await archive.click()
  await expect.element(dialog('Archive 2 properties').getByText('2 of 2')).toBeVisible()
  expect(portal.sentTo(startPropertyBulkAction)[0]!.body).toEqual({
    ...{ tenant: 'northgate', action: 'archive properties', selection: picked, reason: 'Sold', suitableOnly: true },
  })
  await dialog('Archive 2 properties').getByRole('button', { name: 'Undo' }).click()
  await expect.element(page.getByText('The change was undone on 2 properties.')).toBeVisible()
})

test.each([
  [1, "1 property has an open Awaab's Law case and is left out."],
  [3, "3 properties have an open Awaab's Law case and are left out."],
])("the dialog names %i selected homes with an open Awaab's Law case", async (openCases, expected) => {
  await open('Manager', { ...preview, total: 3 + openCases, openCases })
  await pick(3)
  await bar.getByRole('button', { name: 'Archive' }).click()
  const question = dialog('Archive 2 properties')
  await expect.element(question.getByText('1 property with devices stays as it is')).toBeVisible()
  await expect.element(question.getByText(expected)).toBeVisible()
})

test('all properties that match the query get an access rights tag, except those deselected', async () => {
  const portal = await open()
  await pick(3)
  await page.getByRole('button', { name: 'Select all 120' }).click()
  await bar.getByRole('button', { name: 'Access rights' }).click()
  await page.getByRole('menuitem', { name: 'Set access rights tag' }).click()
  const question = dialog('Set the access rights tag of 3 properties')
  await question.getByRole('combobox', { name: 'Access rights tag' }).click()
  await page.getByRole('option', { name: 'East Patch' }).click()
  await question.getByRole('button', { name: 'Set tag' }).click()
  await expect
    .poll(() => portal.sentTo(startPropertyBulkAction)[0]?.body)
    .toMatchObject({
      ...{ action: 'set access rights tag of properties', accessRightsTagId: east.id },
      selection: { query: { listing: 'Properties' }, except: [] },
    })
})

test('tags are added to the devices in the properties', async () => {
  const portal = await open()
  portal.use(answer(getTenantTags, { tags: [{ id: idOf(11), name: 'Damp' }], alerts: [] }))
  await pick(3)
  await bar.getByRole('button', { name: 'Add tags to devices' }).click()
  const question = dialog('Add tags to 4 devices')
  await question.getByRole('combobox', { name: 'Tags' }).click()
  await page.getByRole('option', { name: 'Damp' }).click()
  await question.getByRole('button', { name: 'Add tags' }).click()
  await expect
    .poll(() => portal.sentTo(startBulkAction)[0]?.body)
    .toMatchObject({ action: 'add tags', tags: [idOf(11)], selection: { properties: picked } })
})

test('a guest cannot select properties', async () => {
  await open('Guest')
  await expectCount(rows.first().getByRole('checkbox'), 0)
})
