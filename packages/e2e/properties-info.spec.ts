import type { Page } from '@playwright/test'
import type { Property } from '@caretaker/contract/properties.ts'
import { getProperty, putPropertyDetails } from '@caretaker/contract/properties.ts'
import { demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import { ask } from './fixtures/api.ts'
import { hold } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// These tests change the same demo rows, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const addressOf = (reference: string, tab = 'info') => `/northgate/Properties/${demoPropertyId(reference)}/${tab}`
const section = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
const field = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.locator('dt').getByText(label, { exact: true }) })
const edit = (page: Page, label: string) => page.getByRole('button', { name: `Edit ${label}`, exact: true })
const save = (page: Page, label: string) => field(page, label).getByRole('button', { name: /^(Save|Sending)/ })
const dialog = (page: Page) => page.getByRole('dialog')

/** Records the bodies of requests that change the property. */
function changesSent(page: Page): Record<string, unknown>[] {
  const sent: Record<string, unknown>[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith('/Details'))
      sent.push(request.postDataJSON() as Record<string, unknown>)
  })
  return sent
}

/** The property as stored, read by a direct call. */
async function stored(page: Page, reference: string): Promise<Property> {
  const params = { tenant: 'northgate', propertyId: demoPropertyId(reference) }
  return (await ask(page, getProperty, { params })).data as Property
}

/** Properties before a test changes them. They are restored even if the test fails, so that it can be repeated. */
const changed: { page: Page; before: Property }[] = []
test.afterEach(async () => {
  for (const { page, before } of changed.splice(0)) await putBack(page, before)
})

/** Remembers a property before the test changes it. */
async function beforeChanging(page: Page, reference: string): Promise<Property> {
  const before = await stored(page, reference)
  changed.push({ page, before })
  return before
}

async function putBack(page: Page, before: Property): Promise<void> {
  const { epcRating, lastChemicalTestDate, lastGasSafetyCheckDate, awaabsLawStatus, propertyReference } = before
  const { propertyArchitype, propertyOrientation, numberOfFloor, apartmentLevel, numberOfRoom } = before
  const { numberOfInhabitant, voidStatus } = before
  const body = {
    ...{ epcRating, lastChemicalTestDate, lastGasSafetyCheckDate, awaabsLawStatus, propertyReference, voidStatus },
    ...{ propertyArchitype, propertyOrientation, numberOfFloor, apartmentLevel, numberOfRoom, numberOfInhabitant },
  }
  const params = { tenant: 'northgate', propertyId: before.propertyId }
  expect((await ask(page, putPropertyDetails, { params, body })).status).toBe(200)
}

/** Opens an inline select field and returns its options. */
async function choices(page: Page, label: string): Promise<string[]> {
  await field(page, label).getByRole('combobox').or(field(page, label).getByRole('textbox')).click()
  await expect(page.getByRole('option').first()).toBeVisible()
  return page.getByRole('option').allTextContents()
}

test('a property is edited in place: a field opens, closes when it is stored, and keeps its value after a reload [est-1-8] [est-2.3-27] [est-2.3-28] [est-2.3-29] [est-2.3-32] [est-2.3-34] [est-2.3-35] [est-2.3-36] [est-2.3-44] [est-2.3-45] [est-2.3-46] [est-2.3-47] [est-2.3-48] [est-2.3-49] [est-2.3-50] [est-2.3-51] [est-3-39] [est-3-41] [est-3-42] [est-3-43] [est-3-44] [est-5-7] [est-5-8] [est-5-9] [est-5-21] [est-5-22] [est-5-25] [est-5-26] [est-5-44] [est-5-45] [est-5-49] [est-5-50] [est-7.2-34]', async ({
  pageOf,
  expectedErrors,
}) => {
  test.slow()
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  const home = demoHomes.dropsOut
  const sent = changesSent(page)
  await page.goto(addressOf(home))
  const before = await beforeChanging(page, home)
  const details = section(page, 'Property Details')
  await expect(details).toContainText(before.address1!)
  await expect(edit(page, 'Address')).toHaveCount(0)
  await expect(section(page, 'Property Information')).toBeVisible()
  const tags = field(page, 'Tags against devices').locator('dd > * span span span')
  await expect(field(page, 'Tags against devices')).toContainText(before.deviceTags[0]?.name ?? 'Not set')
  if (before.deviceTags.length > 0) await expect(tags).toHaveText(before.deviceTags.map(({ name }) => name))

  // The field is opened for editing and closed again without sending anything.
  const reference = field(page, 'Property REF')
  await expect(reference.getByRole('textbox')).toHaveCount(0)
  await edit(page, 'Property REF').click()
  await expect(reference.getByRole('textbox')).toHaveValue(home)
  await expect(save(page, 'Property REF')).toBeDisabled()
  await reference.getByRole('textbox').fill('Elsewhere')
  await reference.getByRole('button', { name: 'Cancel' }).click()
  await expect(reference.getByRole('textbox')).toHaveCount(0)
  await expect(reference).toContainText(home)
  expect(sent).toEqual([])

  // A value that is too long is rejected. One of the maximum length is disabled while it is sent, closed when stored,
  // and loaded again.
  await edit(page, 'Property REF').click()
  await reference.getByRole('textbox').fill('R'.repeat(31))
  await expect(reference).toContainText('Property reference must be under 30 characters')
  await expect(save(page, 'Property REF')).toBeDisabled()
  const long = 'R'.repeat(30)
  await reference.getByRole('textbox').fill(long)
  const release = await hold(page, '**/Details')
  const again = page.waitForResponse(
    (response) => response.request().method() === 'GET' && response.url().endsWith(`/properties/${before.propertyId}`),
  )
  await save(page, 'Property REF').click()
  await expect(save(page, 'Property REF')).toBeDisabled()
  release()
  await again
  await expect(reference.getByRole('textbox')).toHaveCount(0)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(long)
  await edit(page, 'Property REF').click()
  await reference.getByRole('textbox').fill('')
  await save(page, 'Property REF').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('No reference')

  // After an error response, the field stays open, and the same value cannot be sent again.
  await page.unrouteAll({ behavior: 'wait' })
  await page.route('**/Details', (route) => route.fulfill({ status: 500, json: {} }))
  await edit(page, 'Property REF').click()
  await reference.getByRole('textbox').fill(home)
  await save(page, 'Property REF').click()
  await expect(reference.getByRole('textbox')).toBeEnabled()
  await expect(save(page, 'Property REF')).toBeDisabled()
  await page.unrouteAll({ behavior: 'wait' })
  await reference.getByRole('textbox').fill(`${home} `)
  await save(page, 'Property REF').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(home)

  // The select has all options, including no rating, which is sent as null.
  await expect(page.getByRole('link', { name: 'Check EPC Rating' })).toHaveAttribute(
    'href',
    new RegExp(`postcode=${encodeURIComponent(before.postcode!)}$`),
  )
  await edit(page, 'EPC rating').click()
  expect(await choices(page, 'EPC rating')).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G', 'No rating'])
  await page.getByRole('option', { name: 'No rating' }).click()
  await save(page, 'EPC rating').click()
  await expect(field(page, 'EPC rating').getByRole('combobox')).toHaveCount(0)
  expect(sent.at(-1)).toMatchObject({ epcRating: null })
  const tenUp = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10+']
  const architypes = [
    'House Semi-Detached',
    'House Detached',
    'House End-Terrace',
    'House Mid-Terrace',
    'Apartment Corner',
    'Apartment Mid-Block',
  ]
  for (const [label, offered, chosen] of [
    ['Property Architype', architypes, 'Apartment Corner'],
    ['Orientation of property', ['North', 'South', 'East', 'West'], 'South'],
    ['Number of rooms', tenUp, '10+'],
    ['Number of Inhabitants', tenUp, '10+'],
  ] as const) {
    await edit(page, label).click()
    expect(await choices(page, label)).toEqual(offered)
    await page.getByRole('option', { name: chosen, exact: true }).click()
    if (await save(page, label).isEnabled()) await save(page, label).click()
    else await field(page, label).getByRole('button', { name: 'Cancel' }).click()
    await expect(field(page, label).getByRole('button', { name: 'Cancel' })).toHaveCount(0)
    await expect(field(page, label)).toContainText(chosen)
  }
  for (const label of ['Number of floors in property', 'Apartment level in Tower Block']) {
    await edit(page, label).click()
    const input = field(page, label).getByRole('textbox')
    const [less, more] = ['Decrease', 'Increase'].map((way) =>
      field(page, label).getByRole('button', { name: `${way} ${label}` }),
    )
    await input.fill('999')
    await more!.click()
    await expect(input).toHaveValue('1000')
    await expect(more!).toBeDisabled()
    // Values that are too large, too small or not numbers change nothing.
    for (const wrong of ['1001', '-1', 'two']) await input.fill(wrong)
    await expect(input).toHaveValue('1000')
    await input.fill('1')
    await less!.click()
    await expect(input).toHaveValue('0')
    await expect(less!).toBeDisabled()
    await input.fill('1000')
    await save(page, label).click()
    await expect(field(page, label).getByRole('textbox')).toHaveCount(0)
  }

  await page.reload()
  for (const [label, value] of [
    ['Property REF', home],
    ['Property Architype', 'Apartment Corner'],
    ['Orientation of property', 'South'],
    ['Number of rooms', '10+'],
    ['Number of Inhabitants', '10+'],
    ['Number of floors in property', '1000'],
    ['Apartment level in Tower Block', '1000'],
    ['EPC rating', 'No rating'],
  ] as const)
    await expect(field(page, label)).toContainText(value)
})

test('test dates: the chemical test follows the gas test or has its own day, never in the future [est-2.3-37] [est-2.3-38] [est-2.3-39] [est-3-46] [est-4-50] [est-4-51] [est-4-52] [est-5-27] [est-5-28] [est-7.2-35] [est-8-12]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const home = demoHomes.gasCheckDue
  const sent = changesSent(page)
  await page.goto(addressOf(home))
  const before = await beforeChanging(page, home)
  expect(before.monitoring).toBe('Boiler')
  await expect(field(page, 'Gas Safety Test')).toBeVisible()
  await expect(field(page, 'Chemical Test')).toBeVisible()
  await edit(page, 'Gas Safety Test').click()
  const gas = dialog(page).getByLabel('Gas Safety Test', { exact: true })
  const own = dialog(page).getByLabel('Chemical Test date')
  const submit = dialog(page).getByRole('button', { name: 'Save' })
  const same = dialog(page).getByRole('radio', { name: 'Same as Gas Safety Test' })
  const different = dialog(page).getByRole('radio', { name: 'Different Date' })
  await expect(dialog(page).getByRole('radio')).toHaveCount(2)
  await different.check()
  await own.fill('')
  await gas.fill('')
  for (const choice of [same, different]) await expect(choice).toBeDisabled()
  await expect(submit).toBeDisabled()
  const tomorrow = new Date(Date.now() + 36 * 3_600_000).toISOString().slice(0, 10)
  await gas.fill(tomorrow)
  await expect(dialog(page)).toContainText('A date cannot be later than today')
  await expect(submit).toBeDisabled()
  await gas.fill('2026-02-02')
  await own.fill(tomorrow)
  await expect(submit).toBeDisabled()
  await same.check()
  await expect(own).toHaveCount(0)
  await submit.click()
  await expect(page.getByText('Test dates updated successfully!')).toBeVisible()
  expect(sent.at(-1)).toMatchObject({ lastGasSafetyCheckDate: '2026-02-02', lastChemicalTestDate: '2026-02-02' })
  for (const label of ['Gas Safety Test', 'Chemical Test']) await expect(field(page, label)).toContainText('02/02/2026')

  // A property without a monitored boiler has neither date.
  await page.goto(addressOf(demoHomes.heatSaviour))
  await expect(field(page, 'EPC rating')).toBeVisible()
  await expect(field(page, 'Gas Safety Test')).toHaveCount(0)
  await expect(field(page, 'Chemical Test')).toHaveCount(0)
})

test('an address is looked up by its postcode and chosen from the results [est-2.3-31] [est-5-10] [est-5-11] [est-5-12] [est-5-13] [est-5-14] [est-5-15] [est-5-16] [est-5-17] [est-5-18] [est-5-19] [est-8-11]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await page.goto(addressOf(demoHomes.underHeated))
  const before = await stored(page, demoHomes.underHeated)
  await edit(page, 'Postcode').click()
  const code = dialog(page).getByLabel('Postcode')
  const check = dialog(page).getByRole('button', { name: 'Check' })
  const submit = dialog(page).getByRole('button', { name: 'Save' })
  for (const wrong of ['', 'L1 1', 'HD6-3AQ', '12345', 'ABCDE']) {
    await code.fill(wrong)
    await expect(dialog(page)).toContainText('Postcode must be valid')
    await expect(check).toBeDisabled()
    await expect(submit).toBeDisabled()
  }
  await page.route('**/services/addresses**', (route) => route.fulfill({ status: 500, json: {} }))
  await code.fill(before.postcode!)
  await expect(dialog(page)).not.toContainText('Postcode must be valid')
  await check.click()
  await expect(dialog(page)).toContainText('Something went wrong!')
  await page.unrouteAll({ behavior: 'wait' })
  const release = await hold(page, '**/services/addresses**')
  await check.click()
  await expect(check).toBeDisabled()
  release()
  await expect(dialog(page).getByRole('radio').first()).toBeVisible()
  await expect(check).toBeDisabled()
  await expect(submit).toBeDisabled()
  const [found] = await dialog(page).getByRole('radio').all()
  await found!.check()
  await submit.click()
  await expect(page.getByText('Address updated successfully!')).toBeVisible()
  const after = await stored(page, demoHomes.underHeated)
  await expect(field(page, 'Postcode')).toContainText(after.postcode!)
  await expect(field(page, 'Address')).toContainText(after.address1!)
})
