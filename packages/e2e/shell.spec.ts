import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { getEmered } from '@caretaker/contract/devices.ts'
import { ask } from './fixtures/api.ts'
import { boilersAddress } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const wentWrong = (page: Page) => page.getByRole('heading', { name: 'Woops... something has gone wrong' })

test('the sidebar of a desktop stays as it was left after a reload [core-2.3-14 est-9-27]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  const fold = page.getByRole('button', { name: 'Collapse menu' })
  const unfold = page.getByRole('button', { name: 'Expand menu' })
  await fold.click()
  await expect(unfold).toBeVisible()
  await page.reload()
  await expect(unfold).toBeVisible()
  await unfold.click()
  await expect(fold).toBeVisible()
  await page.reload()
  await expect(fold).toBeVisible()
})

/** A screen of every route of a client, by its address in northgate. */
const screens = [
  'Dashboard',
  'EmergencyLights',
  `EmergencyLights/${demoDevices.livelyLight.deviceId}`,
  'Boilers',
  boilersAddress.replace('/northgate/', ''),
  `Boilers/${demoDevices.livelyBoiler.deviceId}`,
  'NetworkingDevices',
  'ThirdParty',
  'Bcms',
  'HomeHubs',
  'VStats',
  'MultiDots',
  'Users',
  'Settings',
  'Settings/tags',
  'Settings/accessRightsTags',
  'Settings/luminaire',
  'Audit',
  'ManagedService',
  'Mailbox',
  'MyAccount',
  'BulkActions',
  'FloorPlan',
  'BuildingMap',
  'Support',
  `EmeredInstall/EM1000001X/${demoDevices.livelyLight.deviceId}`,
]
test('a rendering error on any route sends one log call with the error [est-4-64]', async ({
  pageOf,
  expectedErrors,
}) => {
  test.setTimeout(180_000)
  expectedErrors.push('This screen is broken', 'React')
  const page = await pageOf('dev@caretaker.example')
  // Every screen names itself in the browser's tab as it is drawn; the error page alone can.
  await page.addInitScript(() => {
    const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'title')!
    Object.defineProperty(document, 'title', {
      get,
      set(title: string) {
        if (!title.startsWith('Error')) throw new Error(`This screen is broken: ${title}`)
        set!.call(document, title)
      },
    })
  })
  const reports: { tenant: string; message: string; stack: string; componentStack: string }[] = []
  await page.route('**/api/LogError', (route) => {
    reports.push(route.request().postDataJSON() as (typeof reports)[number])
    return route.fulfill({ status: 204 })
  })
  for (const screen of screens) {
    reports.length = 0
    await page.goto(`/northgate/${screen}`)
    await expect(wentWrong(page), screen).toBeVisible()
    await expect.poll(() => reports.length, { message: screen }).toBe(1)
    const { tenant, message, stack, componentStack } = reports[0]!
    expect(tenant).toBe('northgate')
    expect(message, screen).toContain('This screen is broken')
    expect(stack).toContain('Error')
    expect(componentStack).toContain('at ')
  }
})

test('the colours follow the system until somebody chooses the others, and the choice is kept', async ({ pageOf }) => {
  const page = await pageOf(manager, { colorScheme: 'light' })
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const toDark = page.getByRole('button', { name: 'Use dark colours' })
  const toLight = page.getByRole('button', { name: 'Use light colours' })
  await page.goto('/northgate/Dashboard')
  const light = await background()
  await toDark.click()
  await expect(toLight).toBeVisible()
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page.reload()
  await expect(toLight).toBeVisible()
  expect(await background()).toBe(dark)
  await toLight.click()
  await expect.poll(background).toBe(light)
  await page.emulateMedia({ colorScheme: 'dark' })
  await expect(toLight).toBeVisible()
  await expect.poll(background).toBe(dark)
})

test('what the sidebar does not offer the server refuses as well [core-2.4-15]', async ({ pageOf }) => {
  const { deviceId } = demoDevices.livelyLight
  for (const [email, status] of [
    ['boiler@northgate.example', 403],
    ['lighting@northgate.example', 200],
  ] as const) {
    const page = await pageOf(email)
    expect((await ask(page, getEmered, { body: { tenant: 'northgate', deviceId } })).status).toBe(status)
  }
})
