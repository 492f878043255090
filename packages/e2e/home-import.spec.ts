import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from '@playwright/test'
import { findings } from './fixtures/axe.ts'
import { newClient } from './fixtures/client.ts'
import { caretaker } from './fixtures/operator.ts'
import { rows } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const samples = path.join(import.meta.dirname, '../server/src/features/imports/samples')
const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
const choose = (page: Page, file: string | { name: string; mimeType: string; buffer: Buffer }) =>
  page.getByLabel('Choose a list').setInputFiles(file)
const csv = (name: string, ...lines: string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\n')),
})
/** Long enough for the worker to finish. */
const workerTimeout = { timeout: 120_000 }
const expectAccessible = async (page: Page) => expect(await findings(page)).toEqual([])

test('a new client imports its properties: it previews the rows and rejections, maps values and columns, and undoes the import', async ({
  page,
}) => {
  test.setTimeout(480_000)
  const { tenant } = await newClient(page, 'Cressing Homes')
  for (const name of ['PropertyCentric', 'VoidFlag'])
    await caretaker('feature', 'set', '--tenant', tenant, '--name', name, '--on')
  await caretaker('capability', 'set', '--tenant', tenant, '--name', 'ViewProperties', '--on')
  await page.goto(`/${tenant}/Properties`)
  await expect(page.getByText('No properties yet')).toBeVisible()
  await page.getByRole('link', { name: 'Import properties' }).first().click()
  await expect(page).toHaveURL(`/${tenant}/Properties/Import`)
  await expect(page.getByText('No imports yet')).toBeVisible()
  const template = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download the template' }).click()
  expect((await template).suggestedFilename()).toBe('Caretaker import template.xlsx')
  await expectAccessible(page)

  await choose(page, path.join(samples, '01-property-list.xlsx'))
  await expect(page).toHaveURL(/\/Properties\/Import\/[0-9a-f-]{36}$/)
  const preview = card(page, 'What the import will do')
  await expect(preview).toContainText('620 properties', workerTimeout)
  await expect(preview).toContainText('62 rows have unmapped values')
  const columns = page.getByRole('table', { name: 'Columns of Stock Export' })
  await expect(columns.getByRole('row', { name: /LGSR Date/ }).getByRole('combobox')).toHaveValue(
    'lastGasSafetyCheckDate',
  )
  await expect(columns.getByRole('row', { name: /Bedrooms/ }).getByRole('combobox')).toHaveValue('')
  const wrong = card(page, 'Rejected values').getByRole('row', { name: /Stock Export, rows 62, 63, 64 and 65/ })
  await expect(wrong).toContainText('O Floor Level')
  await expect(wrong).toContainText('-1')
  await expect(wrong).toContainText('Apartment level must be a whole number from 0 to 1000')
  await expect(wrong).toContainText('These fields are unchanged')

  await page.getByLabel('Meaning of Bungalow in Property Architype').selectOption('House Detached')
  await expect(page.getByLabel('Meaning of Bungalow in Property Architype')).toHaveValue('House Detached')
  await expect(preview).not.toContainText('62 rows have words', workerTimeout)
  await columns
    .getByRole('row', { name: /Bedrooms/ })
    .getByRole('combobox')
    .selectOption('numberOfRooms')
  const made = page.getByRole('table').getByRole('row', { name: /^BHC-001 / })
  await expect(made).toContainText('Number of rooms', workerTimeout)
  await expect(preview).toContainText('620 properties', workerTimeout)

  // The import continues while no page shows it.
  const address = page.url()
  const begun = page.waitForResponse(/\/api\/CommitImport$/)
  await preview.getByRole('button', { name: 'Import' }).click()
  expect((await begun).status()).toBe(200)
  await page.goto(`/${tenant}/Properties/Import`)
  await expect(card(page, 'Lists of the last 30 days').getByRole('listitem')).toContainText(
    '620 created or updated',
    workerTimeout,
  )
  await page.goto(address)
  await expect(card(page, 'Result')).toContainText('Created or updated620', workerTimeout)
  await page.getByRole('link', { name: 'Go to the properties' }).click()
  await expect(rows(page)).not.toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: /^620$/ })).toBeVisible()

  // The next month's list has unknown headings: columns are mapped by hand, and old and new values are shown together.
  await page.getByRole('link', { name: 'Import properties' }).click()
  await choose(page, csv('next.csv', 'Home;Band;Let?', 'BHC-001;A;nobody', 'CV-999999;B;nobody'))
  await expect(page.getByRole('alert').first()).toHaveText('Map the columns.')
  await expect(page.getByLabel('Header row')).toHaveValue('1')
  await expect(page.getByText(/^Row 1 is the header row. Choose the column/)).toBeVisible()
  // The incomplete mapping is kept.
  const kept = page.waitForResponse(/\/api\/PlanImport$/)
  await page.getByLabel('Band is').selectOption('epcRating')
  expect((await kept).status()).toBe(200)
  await page.reload()
  await expect(page.getByLabel('Band is')).toHaveValue('epcRating')
  await page.getByLabel('Home is').selectOption('propertyReference')
  await expect(preview).toContainText('Changed1 property', workerTimeout)
  await page.getByLabel('Let? is').selectOption('voidStatus')
  await page.getByLabel('Meaning of nobody in Void').selectOption('Void')
  await expect(preview).toContainText('1 property becomes void. No devices are in it', workerTimeout)
  await expect(card(page, 'Rejected values')).toContainText('No property has this reference')
  const change = page.getByRole('table').getByRole('row', { name: /^BHC-001 / })
  await expectAccessible(page)
  await expect(change).toContainText(/EPC rating\s*from\s*C.*to\s*A/)
  await expect(change).toContainText('Void')
  const faults = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download all' }).click()
  const content = await readFile(await (await faults).path(), 'utf8')
  expect(content).toContain('"3","A","Home","CV-999999","The row is skipped"')
  await preview.getByRole('button', { name: 'Import' }).click()
  await expect(card(page, 'Result')).toContainText('Created or updated1', workerTimeout)
  // Rejected rows can be corrected after the import.
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download rejected rows' }).click()
  expect((await download).suggestedFilename()).toBe('Rejected rows.xlsx')
  await page.getByRole('button', { name: 'Undo this import' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await expect(card(page, 'Undone')).toContainText('Undone1', workerTimeout)
})

test('the keys of imported devices are downloaded once, and replaced for devices that never reported', async ({
  page,
}) => {
  test.setTimeout(240_000)
  const { tenant } = await newClient(page, 'Marsh Lighting')
  await caretaker('feature', 'set', '--tenant', tenant, '--name', 'PropertyCentric', '--on')
  await caretaker('capability', 'set', '--tenant', tenant, '--name', 'ViewProperties', '--on')
  await page.goto(`/${tenant}/Properties/Import`)
  await choose(page, csv('devices.csv', 'Serial number', 'EM4990001X', 'EM4990002X'))
  await expect(card(page, 'What the import will do')).toContainText('2 devices', workerTimeout)
  await card(page, 'What the import will do').getByRole('button', { name: 'Import' }).click()
  const keys = card(page, 'Keys of the devices')
  await expect(keys).toContainText('2 devices of this list cannot connect yet', workerTimeout)
  await expectAccessible(page)
  const save = async (first: string, then: string) => {
    await keys.getByRole('button', { name: first }).click()
    const file = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: then }).click()
    const download = await file
    expect(download.suggestedFilename()).toBe('Device keys.csv')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    return (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  }
  const content = await save('Download keys', 'Download')
  expect(content[0]).toContain('"Serial number","User name","Password","Address"')
  expect(content[1]).toMatch(/^"EM4990001X","[0-9a-f-]{36}","[\w-]{32}","mqtts?:\/\/.+"$/)
  expect(content).toHaveLength(3)
  await expect(keys).toContainText('2 devices of this list have a key and have not connected yet')
  const newKeys = await save('Create new keys', 'Create new keys')
  expect(newKeys).toHaveLength(3)
  expect(newKeys[1]).not.toBe(content[1])
})

test('a property is added by hand, moved into a building, archived, found among the archived and restored', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@northgate.example')
  const reference = `HAND-${Date.now().toString(36)}`
  const more = async (entry: string) => {
    await page.getByRole('button', { name: 'More actions for properties' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  await page.goto('/northgate/Properties')
  await more('Add a property')
  await page.getByRole('button', { name: 'Add this property' }).click()
  await expect(page.getByText('Address line 1 is required')).toBeVisible()
  await expect(page.getByText('Postcode must be valid')).toBeVisible()
  await page.getByLabel('Property REF').fill(reference)
  await page.getByLabel('Postcode').fill('ZE1 0AA')
  await page.getByLabel('Address line 1').fill('1 Elm Road')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add this property' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(reference)
  const address = page.url()

  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions of this property' }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const dialog = page.getByRole('dialog', { name: 'Move to another building' })
  const place = page.getByText(/^Mill Court, /)
  await act('Move to another building')
  await dialog.getByLabel('Building').selectOption({ label: 'Mill Court' })
  await dialog.getByLabel('Floor').selectOption({ index: 2 })
  const floor = await dialog.getByLabel('Floor').evaluate((field: HTMLSelectElement) => field.selectedOptions[0]!.label)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Move' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(place).toHaveText(`Mill Court, ${floor}`)
  await page.reload()
  await expect(place).toHaveText(`Mill Court, ${floor}`)
  await act('Move to another building')
  await expect(dialog.getByLabel('Building')).toHaveValue(/./)
  await dialog.getByLabel('Building').selectOption({ label: 'None (standalone property)' })
  await expect(dialog.getByLabel('Floor')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Move' }).click()
  await expect(place).toHaveCount(0)

  await act('Archive')
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await expect(page.getByText('This property is archived')).toBeVisible()
  await page.goto(`/northgate/Properties?search=${reference}`)
  await expect(page.getByText(`No properties match '${reference}'`)).toBeVisible()
  await more('Archived properties')
  await rows(page).filter({ hasText: reference }).click()
  await expect(page).toHaveURL(address)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('This property is archived')).toHaveCount(0)
  await page.goto(`/northgate/Properties?search=${reference}`)
  await expect(rows(page)).toHaveCount(1)
})

test.describe('without the right to import', () => {
  test.use({ expectedErrors: [consoleText(403)] })

  test('a user is offered no import and refused its address; a manager imports on a phone, in dark mode', async ({
    pageOf,
  }) => {
    const engineer = await pageOf('boiler@northgate.example')
    await engineer.goto('/northgate/Properties')
    await expect(rows(engineer)).not.toHaveCount(0)
    await expect(engineer.getByRole('link', { name: 'Import properties' })).toHaveCount(0)
    await engineer.goto('/northgate/Properties/Import')
    await expect(engineer.getByText("You don't have permission.")).toBeVisible()

    const manager = await pageOf('manager@northgate.example', {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
    })
    await manager.goto('/northgate/Properties')
    await manager.getByRole('link', { name: 'Import properties' }).click()
    await choose(
      manager,
      csv('two.csv', 'Property Ref,Address 1,Postcode', 'NEW-1,1 Elm Road,LS1 4AB', 'NEW-2,2 Elm Road,LS1'),
    )
    await expect(card(manager, 'What the import will do')).toContainText('1 property', workerTimeout)
    await expectAccessible(manager)
    await expect
      .poll(() => manager.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
      .toBe(0)
  })
})
