import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { getEmered } from '@caretaker/contract/devices.ts'
import type { Session } from '@caretaker/contract/session.ts'
import { ask, isCall } from './fixtures/api.ts'
import { bend, boilersAddress, clientSelection, dashboard, rows, sidebar, welcome } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const main = (page: Page) => page.getByRole('main')
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Menu' })
const refused = (page: Page) => main(page).getByText("You don't have permission.")
const wentWrong = (page: Page) => page.getByRole('heading', { name: 'Woops... something has gone wrong' })

/** One rem of the portal's pages, whose root font size is 62.5 %. */
const rem = 10

test("the logo leads to the client's Dashboard, and to the root while no client is selected [core-2.3-1 core-2.3-2 core-2.3-11]", async ({
  pageOf,
}) => {
  const page = await pageOf('contractor@multi.example')
  await page.goto('/')
  await expect(clientSelection(page)).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Caretaker' })).toHaveAttribute('href', '/')
  await page.goto('/harbour/EmergencyLights')
  const logo = page.getByRole('banner').getByRole('link', { name: 'Harbour Facilities' })
  await expect(logo).toHaveAttribute('href', '/harbour/Dashboard')
  await logo.click()
  await expect(page).toHaveURL('/harbour/Dashboard')
  await expect(dashboard(page)).toBeVisible()
})

test('the top bar says who is logged in, with picture or initials [core-2.3-3 core-2.3-4]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(404))
  const page = await pageOf(manager)
  const user = page.getByRole('button', { name: 'Logged in as Priya Nair' })
  await page.goto('/northgate/Dashboard')
  await expect(user).toBeVisible()
  await expect(user).toContainText('PN')
  let pictureUrl = '/mark.svg'
  await bend(page, '**/api/session', (session: Session) => (session.pictureUrl = pictureUrl))
  await page.reload()
  const picture = user.locator('img')
  await expect(picture).toHaveAttribute('src', '/mark.svg')
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  // A picture that cannot be had gives way to the initials.
  pictureUrl = '/api/no-picture'
  await page.reload()
  await expect(user).toContainText('PN')
  await expect(picture).toHaveCount(0)
})

test('the sidebar of a desktop starts open, folds, and stays as it was left [core-2.3-12 core-2.3-13 core-2.3-14 core-2.3-15 core-9-7 core-9-9 est-9-27 est-9-28 est-2.7-3 est-2.7-4]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await page.goto('/northgate/Dashboard')
  const width = () => page.getByRole('complementary').evaluate((aside) => aside.getBoundingClientRect().width)
  const fold = page.getByRole('button', { name: 'Collapse menu' })
  const unfold = page.getByRole('button', { name: 'Expand menu' })
  await expect(fold).toBeVisible()
  expect(await width()).toBe(26 * rem)
  const beside = await main(page).boundingBox()
  expect(beside?.x).toBe(26 * rem)

  await fold.click()
  await expect(unfold).toBeVisible()
  await expect.poll(width).toBe(5.6 * rem)
  await expect.poll(async () => (await main(page).boundingBox())?.x).toBe(5.6 * rem)
  await page.reload()
  await expect(unfold).toBeVisible()
  expect(await width()).toBe(5.6 * rem)
  // Folded, the items are icons with their names for those who do not see them.
  await page.getByRole('link', { name: 'Networking Devices', exact: true }).click()
  await expect(page).toHaveURL('/northgate/NetworkingDevices')

  await unfold.click()
  await expect.poll(width).toBe(26 * rem)
  await page.reload()
  await expect(fold).toBeVisible()
})

test('the layout changes at breakpoints from 20em to 160em [core-9-6]', async ({ page }) => {
  await page.goto('/')
  await expect(welcome(page)).toBeVisible()
  const widths = await page.evaluate(() =>
    [...document.styleSheets]
      .flatMap((sheet) => [...sheet.cssRules])
      .filter((rule) => rule instanceof CSSStyleRule)
      .flatMap(({ style }) =>
        [...style]
          .filter((name) => name.startsWith('--mantine-breakpoint-'))
          .map((name) => style.getPropertyValue(name)),
      ),
  )
  const ems = [...new Set(widths)].map((width) => Number(/^(\d+)em$/.exec(width)?.[1]))
  expect([Math.min(...ems), Math.max(...ems)]).toEqual([20, 160])
})

for (const [screen, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a landscape tablet', { width: 1000, height: 700 }],
] as const)
  test(`on ${screen} the sidebar is a drawer from the right, with My Account and Logout [core-2.3-8 core-2.3-16 core-2.3-17 core-2.3-18 core-2.3-19 core-9-8 est-2.7-5]`, async ({
    page,
    signedIn,
  }) => {
    const { cookies, origins } = await signedIn('contractor@multi.example')
    await page.context().addCookies(cookies)
    await page.addInitScript((entries) => {
      for (const { name, value } of entries) if (!sessionStorage.getItem('set')) localStorage.setItem(name, value)
      sessionStorage.setItem('set', 'yes')
    }, origins[0]!.localStorage)
    await page.setViewportSize(viewport)
    await page.goto('/northgate/Dashboard')
    await expect(dashboard(page)).toBeVisible()
    await expect(page.getByRole('complementary')).toBeHidden()
    const burger = page.getByRole('button', { name: 'Menu', exact: true })
    await burger.click()
    await expect(drawer(page)).toBeVisible()
    await expect
      .poll(() => drawer(page).boundingBox())
      .toEqual({ x: viewport.width - 32 * rem, y: 0, width: 32 * rem, height: viewport.height })
    await expect(drawer(page).getByText('Bethan Lloyd')).toBeVisible()
    await expect(drawer(page).getByText('My Account')).toBeVisible()

    await drawer(page).getByRole('button', { name: 'Close' }).click()
    await expect(drawer(page)).toHaveCount(0)
    await burger.click()
    await drawer(page).getByRole('link', { name: 'Boilers' }).click()
    await expect(page).toHaveURL('/northgate/Boilers')
    await expect(drawer(page)).toHaveCount(0)
    await burger.click()
    await drawer(page).getByRole('button', { name: 'Change Client' }).click()
    await expect(clientSelection(page)).toBeVisible()
    await page.goto('/northgate/Dashboard')
    await burger.click()
    // The state that this page signed in with is shared: what logging out does at the provider is proven elsewhere.
    await page.route('**/oidc/session/end**', (route) =>
      route.fulfill({ status: 302, headers: { location: `${new URL(page.url()).origin}/` } }),
    )
    await drawer(page).getByRole('button', { name: 'Logout' }).click()
    await expect(welcome(page)).toBeVisible()
  })

test('the group Lighting opens by its path or by hand, and the item one is at is marked [core-2.3-20 core-2.3-21 core-2.3-22 core-2.3-23 est-2.7-1 est-2.7-2]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  const group = sidebar(page).getByRole('button', { name: 'Lighting' })
  const item = (name: string) => sidebar(page).getByRole('link', { name })
  await page.goto('/northgate/Boilers')
  await expect(group).toHaveAttribute('aria-expanded', 'false')
  await expect(item('Emergency Lights')).toHaveCount(0)
  await expect(item('Boilers')).toHaveAttribute('aria-current', 'page')
  await expect(item('Dashboard')).not.toHaveAttribute('aria-current')
  await group.click()
  await expect(item('Networking Devices')).toBeVisible()
  await group.click()
  await expect(item('Networking Devices')).toHaveCount(0)

  await page.goto(`/northgate/EmergencyLights/${demoDevices.livelyLight.deviceId}`)
  await expect(group).toHaveAttribute('aria-expanded', 'true')
  await expect(item('Emergency Lights')).toHaveAttribute('aria-current', 'page')
  await expect(item('Networking Devices')).not.toHaveAttribute('aria-current')
  for (const entry of await sidebar(page).getByRole('listitem').all()) {
    await expect(entry.locator('svg').first()).toBeVisible()
    await expect(entry).toHaveText(/\w/)
  }
})

const all = ['Dashboard', 'Emergency Lights', 'Networking Devices', 'Boilers', 'Support']
for (const [email, seen, unseen] of [
  ['dev@caretaker.example', [...all, 'Users', 'Settings'], []],
  ['admin@caretaker.example', [...all, 'Users', 'Settings'], []],
  ['manager@northgate.example', [...all, 'Users', 'Settings'], []],
  ['limited@northgate.example', [...all, 'Users'], ['Settings']],
  ['guest@northgate.example', [...all, 'Settings'], ['Users']],
  ['lighting@northgate.example', all.toSpliced(3, 1), ['Boilers', 'Users']],
  ['boiler@northgate.example', all.toSpliced(1, 1), ['Emergency Lights', 'Users']],
] as const)
  test(`${email} opens the Dashboard and sees the areas of the role in the sidebar [core-1-5 core-1-6 core-2.3-26 core-2.4-3 core-2.4-57 core-6-27 dev-1purpose-1 est-1-1]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(email)
    await page.goto('/northgate/Dashboard')
    await expect(dashboard(page)).toBeVisible()
    for (const group of await sidebar(page).getByRole('button', { expanded: false }).all()) await group.click()
    const item = (name: string) => sidebar(page).getByRole('link', { name, exact: true })
    for (const name of seen) await expect(item(name)).toBeVisible()
    for (const name of unseen) await expect(item(name)).toHaveCount(0)
  })

for (const [email, area, device, ids] of [
  ['lighting@northgate.example', 'Boilers', demoDevices.livelyBoiler, 'core-2.4-32 core-6-27'],
  ['boiler@northgate.example', 'EmergencyLights', demoDevices.livelyLight, 'core-2.4-15 core-6-27'],
  ['lighting@northgate.example', 'Bcms', demoDevices.livelyBoiler, 'core-2.4-34 core-6-27'],
] as const)
  test(`${email} is refused at the addresses of ${area}, which ask the server for nothing [${ids}]`, async ({
    pageOf,
    expectedErrors,
  }) => {
    // Of a single BCM there is no page.
    if (area === 'Bcms') expectedErrors.push(consoleText(404))
    const page = await pageOf(email)
    const asked: string[] = []
    page.on('request', (request) => isCall(request) && asked.push(new URL(request.url()).pathname))
    for (const address of [`/northgate/${area}`, `/northgate/${area}/${device.deviceId}`]) {
      await page.goto(address)
      await expect(refused(page)).toBeVisible()
      await expect(main(page).getByText('A manager of this client can give you another role.')).toBeVisible()
      await expect(rows(page)).toHaveCount(0)
      await expect(page.getByText(device.serial)).toHaveCount(0)
      await expect(sidebar(page).getByRole('link', { name: 'Dashboard' })).toBeVisible()
    }
    expect(asked.filter((call) => /FetchViewData|GetEmered|GetBoiler|GetDevice/.test(call))).toEqual([])
    await main(page).getByRole('link', { name: 'Dashboard' }).click()
    await expect(dashboard(page)).toBeVisible()
  })

test('a screen that cannot be drawn shows the error page in its place, support hears of it, and the others go on [core-2.3-27 core-2.3-28 core-2.3-29 core-2.6-5 core-2.6-6 core-2.6-7 dev-7errors-1 est-4-63 est-8-16]', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push('toLowerCase')
  const page = await pageOf(manager)
  await bend(page, '**/api/FetchViewData', ({ data }: { data: { rows: DeviceRow[] } }) => {
    data.rows[0] = { ...data.rows[0]!, deviceStatus: null as never }
  })
  const report = page.waitForRequest('**/api/LogError')
  const reported = page.waitForResponse('**/api/LogError')
  await page.goto('/northgate/EmergencyLights')
  await expect(wentWrong(page)).toBeVisible()
  await expect(main(page).getByText('Support has been notified.')).toBeVisible()
  await expect(sidebar(page)).toBeVisible()
  const body = (await report).postDataJSON() as Record<string, string>
  expect(body.tenant).toBe('northgate')
  expect(body.message).toContain('toLowerCase')
  expect(body.stack).toContain('TypeError')
  expect(body.componentStack).toContain('at ')
  expect((await reported).status()).toBe(204)

  await main(page).getByRole('link', { name: 'Back to the Dashboard' }).click()
  await expect(dashboard(page)).toBeVisible()
  await expect(wentWrong(page)).toHaveCount(0)
  await page.unroute('**/api/FetchViewData')
  await sidebar(page).getByRole('link', { name: 'Boilers' }).click()
  await expect(rows(page)).not.toHaveCount(0)
  await rows(page).first().click()
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Boilers')
  await expect(wentWrong(page)).toHaveCount(0)
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

test('the error page can be opened by its address and leads back to the Dashboard [core-2.6-5 core-2.6-6 core-2.6-7 dev-2other-4 dev-2other-5 dev-2other-6]', async ({
  pageOf,
}) => {
  const page = await pageOf('guest@northgate.example')
  await page.goto('/northgate/Error')
  await expect(wentWrong(page)).toBeVisible()
  await expect(main(page).getByText('Support has been notified.')).toBeVisible()
  await main(page).getByRole('link', { name: 'Back to the Dashboard' }).click()
  await expect(page).toHaveURL('/northgate/Dashboard')
})

test('an address without a screen reads Not found.', async ({ pageOf, expectedErrors }) => {
  expectedErrors.push(consoleText(404))
  const page = await pageOf(manager)
  for (const address of ['/northgate/Nothing', '/northgate/Dashboard/more', '/northgate/Boilers/a/b/c']) {
    await page.goto(address)
    await expect(main(page).getByText('Not found.', { exact: true })).toBeVisible()
    await expect(sidebar(page)).toBeVisible()
  }
  await main(page).getByRole('link', { name: 'Dashboard' }).click()
  await expect(dashboard(page)).toBeVisible()
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

test('every screen one gets to begins with the name of the client [est-2-1]', async ({ pageOf }) => {
  const page = await pageOf('dev@caretaker.example')
  await page.goto('/meridian/Dashboard')
  await expect(dashboard(page)).toBeVisible()
  await sidebar(page).getByRole('button', { name: 'Lighting' }).click()
  const links = sidebar(page).getByRole('link')
  const names = await links.allInnerTexts()
  expect(names.length).toBeGreaterThan(12)
  for (const name of names) {
    await sidebar(page).getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(new URL(page.url()).pathname, name).toMatch(/^\/meridian\/[A-Z]/)
  }
  await page.goto('/meridian/EmergencyLights')
  await rows(page).first().click()
  await expect(page).toHaveURL(/\/meridian\/EmergencyLights\/[0-9a-f-]{36}$/)
  // Without the name of a client one comes to the same screen below it.
  const other = await pageOf(manager)
  await other.goto('/Support')
  await expect(other).toHaveURL('/northgate/Support')
})

test('in a narrow window the sidebar starts folded, and stays as it was left there; nothing sticks out', async ({
  pageOf,
}) => {
  const page = await pageOf(manager, { viewport: { width: 1024, height: 768 } })
  await page.goto('/northgate/EmergencyLights')
  const unfold = page.getByRole('button', { name: 'Expand menu' })
  const fold = page.getByRole('button', { name: 'Collapse menu' })
  await expect(unfold).toBeVisible()
  await unfold.click()
  await page.reload()
  await expect(fold).toBeVisible()
  // A wide window has its own.
  await page.setViewportSize({ width: 1440, height: 900 })
  await fold.click()
  await expect(unfold).toBeVisible()
  await page.setViewportSize({ width: 1024, height: 768 })
  await expect(fold).toBeVisible()
})
