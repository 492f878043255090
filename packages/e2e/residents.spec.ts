import type { Page } from '@playwright/test'
import { demoHomes, demoPropertyId } from '@caretaker/demo/fixtures.ts'
import type { ResidentAppSettings } from '@caretaker/contract/residents.ts'
import {
  approveResidence,
  getAppResident,
  getResidents,
  setResidentAppSettings,
} from '@caretaker/contract/residents.ts'
import { deleteDocument, getDocuments } from '@caretaker/contract/documents.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { answer, counted, rowOf, toast } from './fixtures/lists.ts'
import { caretaker } from './fixtures/operator.ts'
import { bend, hold, rows, turnFeatures, withoutStream } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

// Its tests change the same rows of the demo, so they run one after the other.
test.describe.configure({ mode: 'default' })

const manager = 'manager@northgate.example'
const address = '/northgate/Settings/residents'
const contactsCall = '/api/Tenants/northgate/Settings/ResidentApp'
const residentsCall = '/api/Tenants/northgate/Residents'
const main = (page: Page) => page.getByRole('main')
const dialog = (page: Page) => page.getByRole('dialog')
/** Ms from an answer of one call to the last time that another was asked, by the browser's own clock. */
const between = (page: Page, answered: string, asked: string) =>
  page.evaluate(
    (paths) => {
      const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
      const [from, to] = paths.map((path) => entries.findLast(({ name }) => new URL(name).pathname === path)!)
      return to!.startTime - from!.responseEnd
    },
    [answered, asked] as const,
  )
const of = (reference: string) => `Resident ${reference}`

test('the support contacts are filled with what is stored, checked as written, and saved together [est-2.5-1] [est-2.5-2] [est-2.5-3] [est-2.5-4] [est-1-15] [dev-2settings-5] [est-5-31] [est-5-32] [est-5-33] [est-5-34] [est-5-35] [est-5-36] [est-5-37] [est-7.3-1] [est-7.3-2] [est-5-42] [est-5-43] [core-3-61] [core-3-62] [core-5-26] [core-5-27] [est-5-54] [est-5-55] [est-5-56] [est-9-15]', async ({
  pageOf,
}) => {
  test.slow()
  const page = await pageOf(manager)
  const contacts = { residentAppContactEmail: 'help@northgate.example', residentAppContactPhoneNumber: '+441134960142' }
  const putBack = () => ask(page, setResidentAppSettings, { params: { tenant: 'northgate' }, body: contacts })
  // An attempt that broke off has left others.
  await putBack()
  await bend(page, `**${contactsCall}`, (contacts: ResidentAppSettings) => {
    contacts.residentAppContactPhoneNumber = ''
  })
  await page.goto(address)
  await expect(page).toHaveTitle(/^Resident app settings – /)
  const card = main(page).getByRole('region', { name: 'Support Contact Details' })
  const email = card.getByLabel('Support Email')
  const phone = card.getByLabel('Support Phone')
  const country = card.getByRole('combobox', { name: 'Country' })
  const save = card.getByRole('button', { name: 'Save' })
  // Without a number it begins with the United Kingdom.
  await expect(phone).toHaveValue('')
  await expect(country).toHaveValue('+44')
  await expect(country).toHaveAttribute('title', 'United Kingdom')
  await page.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await expect(email).toHaveValue('help@northgate.example')
  await expect(phone).toHaveValue('1134960142')
  await expect(save).toBeDisabled()

  const fault = (text: string) => card.getByText(text, { exact: true })
  await email.fill('')
  await email.blur()
  await expect(fault('Email is required')).toBeVisible()
  await email.fill('help@northgate')
  await email.blur()
  await expect(fault('Email is not valid')).toBeVisible()
  await expect(save).toBeDisabled()
  await email.fill('desk@northgate.example')
  await expect(fault('Email is not valid')).toHaveCount(0)
  await expect(save).toBeEnabled()
  await phone.fill('')
  await phone.blur()
  await expect(fault('Phone number is required')).toBeVisible()
  await expect(save).toBeDisabled()
  await phone.pressSequentially('11a3-4 x9')
  await expect(phone).toHaveValue('11349')
  await phone.blur()
  await expect(fault('Phone number is not valid')).toBeVisible()
  await expect(save).toBeDisabled()
  await phone.fill('')
  await phone.pressSequentially('1234567890123')
  await expect(phone).toHaveValue('123456789012')

  await country.click()
  const list = page.getByRole('listbox')
  await expect(list.getByRole('option', { name: 'Ireland +353' })).toBeAttached()
  expect(await list.getByRole('option').count()).toBeGreaterThan(200)
  // What of it is seen, and that the rest is reached by scrolling.
  const heights = await list.evaluate((element) => {
    const view = element.querySelector('.mantine-ScrollArea-viewport, [data-scrollbars]') ?? element
    return { seen: view.clientHeight, all: view.scrollHeight }
  })
  expect(heights.seen).toBeLessThanOrEqual(200)
  expect(heights.all).toBeGreaterThan(1000)
  await page.keyboard.press('Escape')

  await phone.fill('01134960188')
  const release = await hold(page, `**${contactsCall}`)
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(contactsCall))
  await save.click()
  expect((await sent).postDataJSON()).toEqual({
    residentAppContactEmail: 'desk@northgate.example',
    residentAppContactPhoneNumber: '+441134960188',
  })
  await expect(save).toBeDisabled()
  release()
  await expect(toast(page, 'Resident app settings saved successfully')).toBeVisible()
  await expect(save).toBeDisabled()
  await page.reload()
  await expect(email).toHaveValue('desk@northgate.example')
  await expect(phone).toHaveValue('1134960188')
  await putBack()
})

test('residents are filtered, approved and revoked after a question, fetched again a second later; what fails can be tried again [est-2.5-5] [est-2.5-6] [est-2.5-7] [est-2.5-8] [est-2.5-9] [est-2.5-10] [est-2.5-11] [est-2.5-12] [est-2.5-13] [est-4-28] [est-4-29] [est-4-30] [est-4-31] [est-4-32] [est-7.3-3] [est-7.3-4] [est-7.3-5] [est-8-17] [est-1-14]', async ({
  pageOf,
  expectedErrors,
}) => {
  test.slow()
  expectedErrors.push(consoleText(500))
  const page = await pageOf(manager)
  await withoutStream(page)
  await page.goto(address)
  await expect(rows(page)).not.toHaveCount(0)
  const filter = main(page).getByRole('radiogroup', { name: 'Residents shown' })
  await expect(filter.getByRole('radio')).toHaveCount(3)
  const choice = (name: string) => filter.getByText(new RegExp(`^${name} \\d+$`))
  const figure = async (name: string) => Number((await choice(name).textContent())!.split(' ').at(-1))
  expect(await figure('All')).toBe((await figure('Approved')) + (await figure('Waiting for approval')))
  // Who waits stands first.
  await expect(rows(page).first()).toContainText('Waiting for approval')
  await choice('Approved').click()
  await expect(main(page).getByRole('grid').getByText('Waiting for approval')).toHaveCount(0)
  await expect(rows(page).first()).toContainText('Approved')
  await choice('Waiting for approval').click()
  await expect(rows(page)).toHaveCount(await figure('Waiting for approval'))
  await expect(page).toHaveURL(/access=Waiting/)
  await expect(main(page).getByRole('grid').getByText('Approved', { exact: true })).toHaveCount(0)

  const row = rowOf(page, of(demoHomes.damp))
  const asked = { approve: counted(page, 'POST', approveResidence.path), list: counted(page, 'GET', residentsCall) }
  const decide = async (verb: 'Approve' | 'Revoke', confirm: boolean) => {
    await row.getByRole('button', { name: new RegExp(`^${verb}: ${of(demoHomes.damp)}`) }).click()
    await expect(dialog(page)).toContainText(of(demoHomes.damp))
    await dialog(page)
      .getByRole('button', { name: confirm ? verb : 'Cancel' })
      .click()
    await expect(dialog(page)).toHaveCount(0)
  }
  // Approved it would stand on another page.
  await page.goto(`${address}?filter=${demoHomes.damp}`)
  await expect(row).toBeVisible()
  // A run that broke off has left it approved.
  if (await row.getByRole('button', { name: /^Revoke/ }).count()) await decide('Revoke', true)
  await expect(row).toContainText('Waiting for approval')
  await decide('Approve', false)
  expect(asked.approve()).toBe(0)

  await answer(page, 'POST', `**${approveResidence.path}*`, 500)
  await decide('Approve', true)
  await expect(toast(page, 'Something went wrong!')).toBeVisible()
  await expect(row.getByText('Approving …')).toHaveCount(0)
  await expect(row.getByRole('button', { name: /^Approve/ })).toBeEnabled()
  await page.unroute(`**${approveResidence.path}*`)

  const before = asked.list()
  const sent = page.waitForRequest((request) => request.url().includes(approveResidence.path))
  await decide('Approve', true)
  expect((await sent).postDataJSON()).toEqual({
    auth0UserId: `auth0|${demoHomes.damp.toLowerCase()}`,
    residenceId: expect.any(String) as unknown,
  })
  await expect.poll(() => between(page, approveResidence.path, residentsCall)).toBeGreaterThan(990)
  await expect(row.getByRole('button', { name: /^Revoke/ })).toBeVisible()
  await expect(row).toContainText('Approved')
  expect(asked.list()).toBe(before + 1)
  await decide('Revoke', true)
  await expect(row).toContainText('Waiting for approval')
  expect(asked.list()).toBe(before + 2)

  await answer(page, 'GET', `**${residentsCall}`, 500)
  await page.reload()
  await expect(toast(page, 'Something went wrong!').first()).toBeVisible()
  await expect(main(page).getByText('Failed to Load')).toBeVisible()
  await expect(main(page).getByText('Approving …')).toHaveCount(0)
})

test('savings and tips are written in Markdown, shown as the resident sees them, stored and removed; nothing in them runs [est-2.5-14] [est-2.5-15] [est-2.5-16] [est-2.5-17] [est-2.5-18] [est-2.5-19] [est-4-58] [est-4-59] [est-4-60] [est-4-61] [est-4-62] [est-7.3-6] [est-7.3-7] [est-7.3-8] [est-7.3-9] [est-8-9] [est-8-10] [est-9-16] [est-1-16]', async ({
  pageOf,
}) => {
  test.slow()
  const page = await pageOf(manager)
  await page.goto(`${address}?filter=${demoHomes.dropsOut}`)
  // An attempt that broke off has left its own.
  const params = { tenant: 'northgate' }
  const userId = `auth0|${demoHomes.dropsOut.toLowerCase()}`
  const query = { documentType: 'SavingsAndTips', userId } as const
  const { results } = (await ask(page, getDocuments, { params, query })).data as { results: { id: string }[] }
  for (const { id } of results) await ask(page, deleteDocument, { params: { ...params, id } })
  if (results.length) await page.reload()
  const tips = (reference: string) =>
    rowOf(page, of(reference)).getByRole('button', { name: new RegExp(`: savings and tips of ${of(reference)}`) })
  const text = dialog(page).getByRole('textbox', { name: 'Savings and tips in Markdown' })
  const button = (name: string) => dialog(page).getByRole('button', { name, exact: true })
  const preview = dialog(page).getByRole('region', { name: 'As the resident sees it' })
  await tips(demoHomes.dropsOut).click()
  await expect(text).toHaveValue('')
  expect((await dialog(page).boundingBox())!.width).toBeLessThanOrEqual(800)
  await expect(text).toHaveAttribute('rows', '20')
  await expect(button('Save')).toBeDisabled()
  await expect(button('Delete')).toBeDisabled()
  await text.fill(
    '## Warm rooms\n\n- <img src=x onerror=alert(1)>\n- [no](javascript:alert(1)) and [yes](tel:+441134960142)',
  )
  await expect(preview.getByRole('heading', { name: 'Warm rooms' })).toBeVisible()
  await expect(preview.getByRole('link')).toHaveText('yes')
  await expect(preview.getByRole('img')).toHaveCount(0)

  const stored = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/documents'))
  const release = await hold(page, '**/documents')
  await button('Save').click()
  const form = (await stored).postData()!
  for (const part of ['SavingsAndTips', 'text/markdown', `auth0|${demoHomes.dropsOut.toLowerCase()}`])
    expect(form).toContain(part)
  for (const name of ['Save', 'Delete']) await expect(button(name)).toBeDisabled()
  release()
  await expect(toast(page, 'Savings and tips updated successfully!')).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
  await expect(tips(demoHomes.dropsOut)).toContainText('Set ')

  await tips(demoHomes.dropsOut).click()
  await expect(text).toHaveValue(/^## Warm rooms/)
  await expect(button('Save')).toBeDisabled()
  await expect(button('Delete')).toBeEnabled()
  await button('Delete').click()
  await expect(toast(page, 'Savings and tips deleted successfully!')).toBeVisible()
  await tips(demoHomes.dropsOut).click()
  await expect(text).toHaveValue('')
  await button('Cancel').click()

  // One who waits has none, and a client that has not bought them has none at all.
  await page.goto(`${address}?filter=${demoHomes.damp}`)
  await expect(rowOf(page, of(demoHomes.damp))).toContainText('After approval')
  await expect(tips(demoHomes.damp)).toHaveCount(0)
  await turnFeatures(page, { ManageApplication: false })
  await page.goto(`${address}?filter=${demoHomes.dropsOut}`)
  await expect(rowOf(page, of(demoHomes.dropsOut))).toBeVisible()
  await expect(tips(demoHomes.dropsOut)).toHaveCount(0)
})

test('a home for which nobody has asked says where residents come from', async ({ pageOf }) => {
  const page = await pageOf('manager@northgate.example')
  const card = main(page).getByRole('region', { name: 'Residents' })
  await page.goto(`/northgate/Properties/${demoPropertyId(demoHomes.void)}`)
  await expect(card).toContainText('Nobody has asked for this home. Residents come from the resident app')
  await page.goto(`/northgate/Properties/${demoPropertyId(demoHomes.lively)}`)
  await expect(card.getByRole('listitem')).toHaveCount(1)
})

test('a manager makes the key of the resident app, replaces and revokes it; whoever manages no keys has no such card', async ({
  page,
  pageOf,
}) => {
  const { tenant } = await newClient(page, 'Resident Key Homes')
  for (const feature of ['ManageResidentAccess', 'ManageApplication'])
    await caretaker('feature', 'set', '--tenant', tenant, '--name', feature, '--on')
  await page.goto(`/${tenant}/Settings/residents`)
  const card = main(page).getByRole('region', { name: 'Key of the resident app' })
  await expect(card).toContainText('None: until a key is added the resident app brings in no more residents.')
  await card.getByRole('button', { name: 'Add key' }).click()
  const told = async () => {
    await expect(dialog(page)).toContainText('it is not shown again')
    const key = (await dialog(page).locator('[data-secret]').textContent())!
    expect(key).toMatch(/^resident_[\w-]{43}$/)
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    await expect(dialog(page)).toHaveCount(0)
    return key
  }
  const first = await told()
  await expect(card).toContainText('last used never')
  const asks = (key: string) =>
    fetch(new URL(getAppResident.path.replace('{tenant}', tenant).replace('{userId}', 'ann'), page.url()), {
      headers: { authorization: `Bearer ${key}` },
    })
  // Nobody of that name yet: it is let in, and told so.
  expect((await asks(first)).status).toBe(404)
  await card.getByRole('button', { name: 'Replace key' }).click()
  await dialog(page).getByRole('button', { name: 'Replace' }).click()
  await expect(dialog(page)).toHaveCount(1)
  const second = await told()
  expect([(await asks(first)).status, (await asks(second)).status]).toEqual([401, 404])
  await expect(card.getByRole('listitem')).toHaveCount(1)
  await card.getByRole('button', { name: /^Revoke the key made / }).click()
  await dialog(page).getByRole('button', { name: 'Revoke' }).click()
  await expect(card).toContainText('None: until a key is added')
  expect((await asks(second)).status).toBe(401)

  const other = await pageOf('guest@northgate.example')
  await other.goto(address)
  await expect(main(other).getByText('Key of the resident app')).toHaveCount(0)
})

test('a client without the feature, guests and limited users manage no residents [est-6-8] [est-6-6]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await turnFeatures(page, { ManageResidentAccess: false })
  const asked = counted(page, 'GET', residentsCall)
  await page.goto(address)
  await expect(main(page).getByLabel('Support Email')).toHaveValue(/@/)
  await expect(main(page).getByRole('grid')).toHaveCount(0)
  expect(asked()).toBe(0)

  const guest = await pageOf('guest@northgate.example')
  await guest.goto(address)
  await expect(rows(guest)).not.toHaveCount(0)
  await expect(main(guest).getByLabel('Support Email')).toBeDisabled()
  await expect(main(guest).getByRole('button', { name: /^(Save|Approve|Revoke|Add|Set)/ })).toHaveCount(0)

  const limited = await pageOf('limited@northgate.example')
  await limited.goto(address)
  await expect(main(limited).getByText("You don't have permission.")).toBeVisible()
  expect((await ask(limited, getResidents, { params: { tenant: 'northgate' }, query: {} })).status).toBe(403)
})
