import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Client } from './fixtures/clients.ts'
import { choose, counted, rowOf, toast } from './fixtures/lists.ts'
import { dashboard, sidebar } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

/** The page on which the vendor's staff find all clients. */
const listIn = (client: Client) => client.at('Settings/Tenants')
const main = (page: Page) => page.getByRole('main')
const title = (page: Page, text: string) => page.getByRole('heading', { level: 1, name: text })
const field = (page: Page, name: string) => main(page).getByRole('textbox', { name, exact: true })
const button = (page: Page, name: string) => main(page).getByRole('button', { name, exact: true })

test("a developer lists, adds and changes clients; the server's validation errors are shown, and no others [est-2.2-1] [est-2.2-2] [est-2.2-3] [est-2.2-4] [est-2.2-5] [est-2.2-6] [est-2.2-7] [est-2.2-8] [est-2.2-9] [est-2.2-10] [est-2.2-11] [est-2.2-12] [est-2.2-13] [est-3-9] [est-3-10] [est-7.1-14] [est-7.1-16] [est-1-17] [core-2.4-54] [core-2.4-55] [core-2.4-56]", async ({
  newClient,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(400), consoleText(409))
  const id = `mill-${randomUUID().slice(0, 8)}`
  const client = await newClient()
  const list = listIn(client)
  const page = await client.pageOf('Developer')
  await page.goto(client.at('Settings'))
  await page.getByRole('navigation', { name: 'Sections of this page' }).getByRole('link', { name: 'Tenants' }).click()
  await expect(page).toHaveURL(list)
  await expect(title(page, 'Tenants')).toBeVisible()
  await expect(main(page).getByRole('columnheader')).toHaveText(['Pin', 'ID', 'Name', 'Contacts', 'Actions'])
  // The search finds the client, however many others there are.
  await main(page).getByRole('searchbox').fill(client.tenant)
  await expect(rowOf(page, client.tenant).getByText('Current client')).toBeVisible()
  await main(page).getByRole('searchbox').fill('')
  await expect(page).toHaveURL(list)

  await page.getByRole('link', { name: 'Add Tenant' }).click()
  await expect(page).toHaveURL(`${list}/Add`)
  await expect(title(page, 'Add new tenant')).toBeVisible()
  const sent = counted(page, 'POST', '/api/AddTenant')
  await field(page, 'Name').fill('Never saved')
  await button(page, 'Cancel').click()
  await expect(page).toHaveURL(list)
  expect(sent()).toBe(0)

  await page.getByRole('link', { name: 'Add Tenant' }).click()
  await expect(field(page, 'ID')).toHaveValue('')
  await expect(field(page, 'ID')).toBeEditable()
  const refusedBy = async (words: string) => {
    await button(page, 'Save').click()
    await expect(toast(page, words)).toBeVisible()
    // The form itself validates no fields.
    await expect(main(page).locator('[aria-invalid=true], .mantine-InputWrapper-error')).toHaveCount(0)
    await expect(page).toHaveURL(`${list}/Add`)
  }
  await refusedBy('ID is required!')
  await field(page, 'ID').fill('API')
  await refusedBy('This ID is an address of the portal itself.')
  await field(page, 'ID').fill(client.tenant.toUpperCase())
  await field(page, 'Name').fill('Mill Homes')
  await refusedBy(`The client ${client.tenant} already exists.`)
  await field(page, 'ID').fill(id)
  await field(page, 'Contacts').fill('ann@mill.example')
  const added = page.waitForRequest((request) => request.url().endsWith('/api/AddTenant'))
  await button(page, 'Save').click()
  expect((await added).postDataJSON()).toEqual({ id, name: 'Mill Homes', contact: 'ann@mill.example' })
  await expect(page).toHaveURL(list)
  const row = async () => {
    await main(page).getByRole('searchbox').fill(id)
    await expect(rowOf(page, id)).toHaveCount(1)
    return rowOf(page, id)
  }
  await expect(await row()).toContainText('ann@mill.example')

  // Both lead to the form of that client, filled with the stored values.
  for (const press of [
    async () => (await row()).getByText('ann@mill.example', { exact: true }).click(),
    async () => (await row()).getByRole('link', { name: 'Edit: Mill Homes' }).click(),
  ]) {
    await press()
    await expect(page).toHaveURL(`${list}/${id}`)
    await expect(title(page, 'Update tenant')).toBeVisible()
    await expect(field(page, 'ID')).toHaveValue(id)
    await expect(field(page, 'ID')).not.toBeEditable()
    await expect(field(page, 'Contacts')).toHaveValue('ann@mill.example')
    await field(page, 'Name').fill('Not this')
    await button(page, 'Cancel').click()
    await expect(page).toHaveURL(new RegExp(`^[^?]*${list}(\\?.*)?$`))
    await expect(await row()).toContainText('Mill Homes')
  }
  await page.goto(`${list}/${id.toUpperCase()}`)
  // Unsaved text is restored as a draft.
  await expect(field(page, 'Name')).toHaveValue('Not this')
  await button(page, 'Discard draft').click()
  await expect(field(page, 'Name')).toHaveValue('Mill Homes')
  await page.goto(list)
  await (await row()).getByRole('link', { name: 'Edit: Mill Homes' }).click()
  await field(page, 'Name').fill('Mill and Dale')
  await field(page, 'Contacts').fill('bob@mill.example')
  await button(page, 'Save').click()
  await expect(page).toHaveURL(new RegExp(`^[^?]*${list}(\\?.*)?$`))
  await expect(await row()).toContainText('Mill and Dale')
  await expect(await row()).toContainText('bob@mill.example')
})

test('a client is set up on screen: features, logo, time zone, licences and its manager [est-3-57] [est-3-58] [est-3-59]', async ({
  newClient,
}) => {
  // The vendor's staff are not users of the client that they set up.
  const [client, staff] = [await newClient({ name: 'Quarry Homes' }), await newClient()]
  const { tenant } = client
  const setup = `${listIn(staff)}/${tenant}`
  const page = await client.pageOf('Manager')
  await page.goto(client.at('Dashboard'))
  const brand = page.getByRole('banner').getByRole('link', { name: 'Quarry Homes' })
  await expect(brand).toContainText('Quarry Homes')
  await expect(brand.locator('img')).toHaveCount(0)
  await expect(sidebar(page).getByRole('link', { name: 'Home hubs' })).toHaveCount(0)

  const vendor = await staff.pageOf('Developer')
  await vendor.goto(setup)
  const card = (name: string) => main(vendor).getByRole('region', { name })
  await card('Features and capabilities').getByRole('switch', { name: 'HomeHub' }).click()
  await expect(card('Features and capabilities')).toContainText(/^Features and capabilities1 of/)
  await expect(sidebar(page).getByRole('link', { name: 'Home hubs' })).toBeVisible()

  // The member of staff joins the client, which then appears among their own clients.
  await button(vendor, 'Join').click()
  await vendor.getByRole('dialog').getByRole('button', { name: 'Join' }).click()
  await main(vendor).getByRole('link', { name: 'Open client' }).click()
  await expect(vendor).toHaveURL(client.at('Dashboard'))
  await expect(dashboard(vendor)).toBeVisible()
  await vendor.goto(setup)

  await expect(card('Managers')).toContainText('Ada Marsh')
  await button(vendor, 'Invite manager').click()
  const dialog = vendor.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Ben Quarry')
  await dialog.getByLabel('E-mail').fill(`ben@${tenant}.example`)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await expect(card('Managers').getByRole('listitem').filter({ hasText: 'Ben Quarry' })).toContainText('Invited')

  await button(vendor, 'Add licences').click()
  await dialog.getByLabel('Start').fill('2026-11-01')
  await dialog.getByLabel('Number').fill('40')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(card('Licences').getByRole('listitem')).toContainText('0 of 40')
  await expect(card('Licences')).toContainText('0 of 40 assigned')

  await choose(vendor, 'Time zone', 'Europe/Paris')
  const drawing = (colour: string) => ({
    name: 'logo.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><rect width="80" height="20" fill="${colour}"/></svg>`,
    ),
  })
  await vendor.locator('input[type=file][aria-label="Add logo"]').setInputFiles(drawing('black'))
  await expect(button(vendor, 'Change logo')).toBeVisible()
  await vendor.locator('input[type=file][aria-label="Dark variant"]').setInputFiles(drawing('white'))
  for (const [colorScheme, colour] of [
    ['light', 'black'],
    ['dark', 'white'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    const logo = async () => {
      const source = await page.getByRole('img', { name: 'Quarry Homes' }).getAttribute('src')
      return Buffer.from(source!.split(',')[1]!, 'base64').toString()
    }
    await expect.poll(logo).toContain(colour)
  }
  await expect(brand).not.toContainText('Caretaker')
})

test('users of a suspended client see the reason until it is resumed; the messages differ in colour [est-8-23]', async ({
  newClient,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(409), consoleText(403))
  const [client, staff] = [await newClient({ name: 'Quarry Homes' }), await newClient()]
  const page = await client.pageOf('Manager')
  await page.goto(client.at('Dashboard'))
  await expect(dashboard(page)).toBeVisible()
  const vendor = await staff.pageOf('Developer')
  await vendor.goto(`${listIn(staff)}/${client.tenant}`)
  const card = (name: string) => main(vendor).getByRole('region', { name })
  const dialog = vendor.getByRole('dialog')
  const looks = async (message: string) => {
    const box = vendor.locator('[data-type]').filter({ hasText: message })
    await expect(box.locator('svg')).toBeVisible()
    return box.evaluate((element) => getComputedStyle(element).backgroundColor)
  }
  const seen = [await looks('Active.')]
  await button(vendor, 'Invite manager').click()
  await dialog.getByLabel('Name').fill(client.manager.name)
  await dialog.getByLabel('E-mail').fill(client.manager.email)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  seen.push(await looks('This user is already a member.'))
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await button(vendor, 'Suspend').click()
  await dialog.getByLabel('Reason').fill('The contract ended.')
  await dialog.getByRole('button', { name: 'Suspend' }).click()
  await expect(card('Access')).toContainText('The contract ended.')
  seen.push(await looks('The contract ended.'))
  expect(new Set(seen).size).toBe(3)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Quarry Homes is suspended' })).toBeVisible()
  await expect(page.getByText('The contract ended.')).toBeVisible()
  await expect(dashboard(page)).toHaveCount(0)
  await button(vendor, 'Resume').click()
  await dialog.getByRole('button', { name: 'Resume' }).click()
  await expect(card('Access')).toContainText('Active.')
  await page.reload()
  await expect(dashboard(page)).toBeVisible()
})

test("all data of a client is exported in the background, and any of the vendor's staff can download it", async ({
  newClient,
}) => {
  const client = await newClient()
  const light = await client.light()
  const device = await client.connect(light)
  await device.publish('telemetry', { ts: Date.now(), values: { batteryVoltage: 3.2 } })
  const setup = `${listIn(client)}/${client.tenant}`
  const staff = await client.pageOf('Admin')
  await staff.goto(setup)
  await expect(title(staff, 'Update tenant')).toBeVisible()
  await button(staff, 'Export everything').click()
  const dialog = staff.getByRole('dialog')
  await expect(dialog).toContainText('personal data of residents and users')
  await dialog.getByRole('checkbox', { name: /^Include every stored reading/ }).check()
  await dialog.getByRole('button', { name: 'Export' }).click()
  const exports = (page: Page) => main(page).getByRole('region', { name: 'Export' })
  await expect(exports(staff).getByRole('listitem')).toHaveCount(1)
  await staff.close()

  const page = await client.pageOf('Developer')
  await page.goto(setup)
  const line = exports(page).getByRole('listitem')
  await expect(line).toContainText(/[\d,]+ rows with every reading, [\d.]+ [kM]B, requested by Alma Reid/)
  const taken = page.waitForEvent('download')
  await line.getByRole('button', { name: 'Download' }).click()
  expect((await taken).suggestedFilename()).toMatch(new RegExp(`^${client.tenant}-\\d{4}-\\d\\d-\\d\\d\\.zip$`))
  await line.getByRole('button', { name: new RegExp(`^Delete export ${client.tenant}-`) }).click()
  await expect(line).toHaveCount(0)
  await expect(button(page, 'Export everything')).toBeEnabled()
})
