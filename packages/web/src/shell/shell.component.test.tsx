import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { fetchViewData, getEmered } from '@caretaker/contract/devices.ts'
import { getBoiler } from '@caretaker/contract/boilers.ts'
import { getSession, logError } from '@caretaker/contract/session.ts'
import { getCapabilities, getFeatures, getTenantInfo } from '@caretaker/contract/tenants.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { expectConsoleError } from '../testing/console.ts'
import { deviceList, listedDevice, listedDevices } from '../testing/examples/device-list.ts'
import { viewDefinitions } from '../testing/examples/views.ts'
import { expectCount, expectTexts, textsOf } from '../testing/expect.ts'
import { rows } from '../testing/list-screen.ts'
import { answer, answerStatus, exampleOf, hold } from '../testing/network.ts'
import { clientOf, openPortal } from '../testing/portal.tsx'

const main = page.getByRole('main')
const banner = page.getByRole('banner')
const sidebar = page.getByRole('complementary').getByRole('navigation', { name: 'Main' })
const item = (name: string) => sidebar.getByRole('link', { name, exact: true })
const drawer = page.getByRole('dialog', { name: 'Menu' })
const dashboard = page.getByRole('heading', { name: 'Needs attention' })
const clientSelection = page.getByRole('heading', { name: 'Select Client' })
const refused = main.getByText("You don't have permission.")
const wentWrong = page.getByRole('heading', { name: 'Woops... something has gone wrong' })
const fold = page.getByRole('button', { name: 'Collapse menu' })
const unfold = page.getByRole('button', { name: 'Expand menu' })
const bothClients = { tenants: [clientOf('northgate'), clientOf('harbour')] }
const { deviceId } = listedDevice(1)

/** One rem: the root font size is 62.5 %. */
const rem = 10

test("the logo leads to the client's Dashboard, and to the root while no client is selected [core-2.3-1 core-2.3-2 core-2.3-11]", async () => {
  const portal = await openPortal('/', { session: bothClients })
  await expect.element(clientSelection).toBeVisible()
  await expect.element(banner.getByRole('link', { name: 'Caretaker' })).toHaveAttribute('href', '/')
  await portal.go('/harbour/EmergencyLights')
  const logo = banner.getByRole('link', { name: 'Harbour Homes' })
  await expect.element(logo).toHaveAttribute('href', '/harbour/Dashboard')
  await logo.click()
  await expect.poll(portal.address).toBe('/harbour/Dashboard')
  await expect.element(dashboard).toBeVisible()
})

test('the top bar shows who is logged in, with picture or initials [core-2.3-3 core-2.3-4]', async () => {
  const user = page.getByRole('button', { name: 'Logged in as Priya Nair' })
  const picture = user.getByCss('img')
  await openPortal('/northgate/Support')
  await expect.element(user).toMatchTextContent('PN')
  const pictureUrl = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')}`
  await openPortal('/northgate/Support', { session: { pictureUrl } })
  await expect.element(picture).toHaveAttribute('src', pictureUrl)
  await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBeGreaterThan(0)
  // A picture that fails to load is replaced by the initials.
  await openPortal('/northgate/Support', { session: { pictureUrl: 'data:image/png,none' } })
  await expect.element(user).toMatchTextContent('PN')
  await expect.element(picture).not.toBeInTheDocument()
})

test('the desktop sidebar starts expanded and can be collapsed; its items stay usable [core-2.3-12 core-2.3-13 core-2.3-15 core-9-7 core-9-9 est-9-28 est-2.7-3 est-2.7-4]', async () => {
  const portal = await openPortal('/northgate/Support')
  const width = () => page.getByRole('complementary').element().getBoundingClientRect().width
  const mainX = () => main.element().getBoundingClientRect().x
  await expect.element(fold).toBeVisible()
  expect(width()).toBe(26 * rem)
  expect(mainX()).toBe(26 * rem)
  await fold.click()
  await expect.element(unfold).toBeVisible()
  await expect.poll(width).toBe(5.6 * rem)
  await expect.poll(mainX).toBe(5.6 * rem)
  // Collapsed, the items are icons with accessible names.
  await page.getByRole('link', { name: 'Networking Devices', exact: true }).click()
  await expect.poll(portal.address).toBe('/northgate/NetworkingDevices')
  await unfold.click()
  await expect.poll(width).toBe(26 * rem)
})

test('the layout changes at breakpoints from 20em to 160em [core-9-6]', async () => {
  await openPortal('/northgate/Support')
  await expect.element(main).toBeVisible()
  const widths = [...document.styleSheets]
    .flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSStyleRule)
    .flatMap(({ style }) =>
      [...style].filter((name) => name.startsWith('--mantine-breakpoint-')).map((name) => style.getPropertyValue(name)),
    )
  const ems = [...new Set(widths)].map((width) => Number(/^(\d+)em$/.exec(width.trim())?.[1]))
  expect([Math.min(...ems), Math.max(...ems)]).toEqual([20, 160])
})

for (const [screen, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a landscape tablet', { width: 1000, height: 700 }],
] as const)
  test(`on ${screen} the sidebar is a drawer from the right, with My Account and Change Client [core-2.3-8 core-2.3-16 core-2.3-17 core-2.3-18 core-2.3-19 core-9-8 est-2.7-5]`, async () => {
    const portal = await openPortal('/northgate/Support', { viewport, session: bothClients })
    const burger = page.getByRole('button', { name: 'Menu', exact: true })
    await burger.click()
    await expect.element(drawer).toBeVisible()
    await expect.element(page.getByRole('complementary')).not.toBeInTheDocument()
    const bounds = () => {
      const { x, y, width, height } = drawer.element().getBoundingClientRect()
      return { x, y, width, height }
    }
    await expect.poll(bounds).toEqual({ x: viewport.width - 32 * rem, y: 0, width: 32 * rem, height: viewport.height })
    await expect.element(drawer.getByText('Priya Nair')).toBeVisible()
    await expect.element(drawer.getByText('My Account')).toBeVisible()
    await expect.element(drawer.getByRole('button', { name: 'Logout' })).toBeVisible()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await expect.element(drawer).not.toBeInTheDocument()
    await burger.click()
    await drawer.getByRole('link', { name: 'Boilers' }).click()
    await expect.poll(portal.address).toBe('/northgate/Boilers')
    await expect.element(drawer).not.toBeInTheDocument()
    await burger.click()
    await drawer.getByRole('button', { name: 'Change Client' }).click()
    await expect.element(clientSelection).toBeVisible()
  })

test('the group Lighting opens by its path or by hand, and the item of the page is marked [core-2.3-20 core-2.3-21 core-2.3-22 core-2.3-23 est-2.7-1 est-2.7-2]', async () => {
  const portal = await openPortal('/northgate/Boilers')
  const group = sidebar.getByRole('button', { name: 'Lighting' })
  await expect.element(group).toHaveAttribute('aria-expanded', 'false')
  await expect.element(item('Emergency Lights')).not.toBeInTheDocument()
  await expect.element(item('Boilers')).toHaveAttribute('aria-current', 'page')
  await expect.element(item('Dashboard')).not.toHaveAttribute('aria-current')
  await group.click()
  await expect.element(item('Networking Devices')).toBeVisible()
  await group.click()
  await expect.element(item('Networking Devices')).not.toBeInTheDocument()

  await portal.go(`/northgate/EmergencyLights/${deviceId}`)
  await expect.element(group).toHaveAttribute('aria-expanded', 'true')
  await expect.element(item('Emergency Lights')).toHaveAttribute('aria-current', 'page')
  await expect.element(item('Networking Devices')).not.toHaveAttribute('aria-current')
  for (const entry of sidebar.getByRole('listitem').elements()) {
    expect(entry.querySelector('svg')?.getBoundingClientRect().width).toBeGreaterThan(0)
    expect(entry.textContent).toMatch(/\w/)
  }
})

const everyArea = ['Dashboard', 'Emergency Lights', 'Networking Devices', 'Boilers', 'Support']
for (const [who, options, seen, unseen] of [
  ['a developer', { role: 'Developer' }, [...everyArea, 'Users', 'Settings'], []],
  ['an admin', { role: 'Admin' }, [...everyArea, 'Users', 'Settings'], []],
  ['a manager', { role: 'Manager' }, [...everyArea, 'Users', 'Settings'], []],
  ['a limited manager', { role: 'Manager', tags: ['east'] }, [...everyArea, 'Users'], ['Settings']],
  ['a guest', { role: 'Guest' }, [...everyArea, 'Settings'], ['Users']],
  ['a lighting engineer', { role: 'LightingEngineer' }, everyArea.toSpliced(3, 1), ['Boilers', 'Users']],
  ['a boiler engineer', { role: 'BoilerEngineer' }, everyArea.toSpliced(1, 1), ['Emergency Lights', 'Users']],
] as const satisfies [string, { role: Role; tags?: readonly string[] }, readonly string[], readonly string[]][])
  test(`${who} opens the Dashboard and sees the areas of the role in the sidebar [core-1-5 core-1-6 core-2.3-26 core-2.4-3 core-2.4-57 core-6-27 dev-1purpose-1 est-1-1]`, async () => {
    await openPortal('/northgate/Dashboard', options as Parameters<typeof openPortal>[1])
    await expect.element(dashboard).toBeVisible()
    for (const group of sidebar.getByRole('button', { expanded: false }).elements()) (group as HTMLElement).click()
    for (const name of seen) await expect.element(item(name)).toBeVisible()
    for (const name of unseen) await expect.element(item(name)).not.toBeInTheDocument()
  })

for (const [role, area, ids] of [
  ['LightingEngineer', 'Boilers', 'core-2.4-32 core-6-27'],
  ['BoilerEngineer', 'EmergencyLights', 'core-2.4-15 core-6-27'],
] as const)
  test(`a ${role} is refused at the addresses of ${area}, which do not call the server [${ids}]`, async () => {
    const portal = await openPortal(`/northgate/${area}`, { role })
    for (const address of [`/northgate/${area}`, `/northgate/${area}/${deviceId}`]) {
      await portal.go('/northgate/Support')
      await expect.element(refused).not.toBeInTheDocument()
      await portal.go(address)
      await expect.element(refused).toBeVisible()
      await expect.element(main.getByText('A manager of this client can give you another role.')).toBeVisible()
      await expect.element(rows).not.toBeInTheDocument()
      await expect.element(item('Dashboard')).toBeVisible()
    }
    for (const route of [fetchViewData, getEmered, getBoiler]) expect(portal.sentTo(route as never)).toHaveLength(0)
    await main.getByRole('link', { name: 'Dashboard' }).click()
    await expect.element(dashboard).toBeVisible()
  })

test('a screen that cannot be rendered shows the error page, support is notified, and other screens keep working [core-2.3-27 core-2.3-28 core-2.3-29 core-2.6-5 core-2.6-6 core-2.6-7 dev-7errors-1 est-4-63 est-8-16]', async () => {
  const broken = {
    ...exampleOf(fetchViewData),
    rows: [listedDevice(1, { deviceStatus: null as unknown as DeviceRow['deviceStatus'] })],
  }
  const portal = await openPortal('/northgate/EmergencyLights', {
    answers: [
      ...viewDefinitions(),
      answerStatus(
        fetchViewData,
        200,
        JSON.stringify({ isSuccessful: true, data: broken, reason: null, message: null }),
      ),
    ],
  })
  expectConsoleError('toLowerCase')
  await expect.element(wentWrong).toBeVisible()
  await expect.element(main.getByText('Support has been notified.')).toBeVisible()
  await expect.element(sidebar).toBeVisible()
  await expect.poll(() => portal.sentTo(logError)).toHaveLength(1)
  const { body } = portal.sentTo(logError)[0]!
  expect(body.tenant).toBe('northgate')
  expect(body.message).toContain('toLowerCase')
  expect(body.stack).toContain('TypeError')
  expect(body.componentStack).toContain('at ')

  await main.getByRole('link', { name: 'Back to the Dashboard' }).click()
  await expect.element(dashboard).toBeVisible()
  await expect.element(wentWrong).not.toBeInTheDocument()
  portal.use(...deviceList(listedDevices(2)))
  await item('Boilers').click()
  await expectCount(rows, 2)
  await expect.element(wentWrong).not.toBeInTheDocument()
})

test('the error page can be opened by its address and leads back to the Dashboard [core-2.6-5 core-2.6-6 core-2.6-7 dev-2other-4 dev-2other-5 dev-2other-6]', async () => {
  const portal = await openPortal('/northgate/Error', { role: 'Guest' })
  await expect.element(wentWrong).toBeVisible()
  await expect.element(main.getByText('Support has been notified.')).toBeVisible()
  await main.getByRole('link', { name: 'Back to the Dashboard' }).click()
  await expect.poll(portal.address).toBe('/northgate/Dashboard')
})

test('an address without a screen reads Not found.', async () => {
  const portal = await openPortal('/northgate/Support')
  for (const address of ['/northgate/Nothing', '/northgate/Dashboard/more', '/northgate/Boilers/a/b/c']) {
    await portal.go('/northgate/Support')
    await expect.element(main.getByText('Not found.', { exact: true })).not.toBeInTheDocument()
    await portal.go(address)
    await expect.element(main.getByText('Not found.', { exact: true })).toBeVisible()
    await expect.element(sidebar).toBeVisible()
  }
  await main.getByRole('link', { name: 'Dashboard' }).click()
  await expect.element(dashboard).toBeVisible()
})

test('a developer has all of Lighting, and every area and tab whose feature is off, with a loading state [core-2.3-24] [core-6-25] [est-2.7-6]', async () => {
  const session = { ...exampleOf(getSession), tenants: [clientOf('harbour', { role: 'Developer' })] }
  const held = hold(getSession, answer(getSession, session))
  const portal = await openPortal('/harbour/EmergencyLights', { answers: [held] })
  await expect.element(main).toHaveTextContent('Loading ...')
  held.release()
  const group = sidebar.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Lighting' }) })
  // Lists with failed devices show their number once it is known.
  await expectTexts(group.getByRole('link'), [
    /^Emergency Lights( \d+)?$/,
    /^Networking Devices( \d+)?$/,
    'Buildings',
    'Test Schedules',
    'Test Results',
  ])
  for (const [area, heading] of [
    ['Properties', 'Properties'],
    ['ManagedService', 'Managed Service'],
    ['HomeHubs', 'Home hubs'],
    ['Bcms', 'Boilers'],
  ] as const) {
    await portal.go(`/harbour/${area}`)
    await expect.element(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect.element(page.getByText("You don't have permission.")).not.toBeInTheDocument()
  }
  await portal.go('/harbour/Settings/residents')
  await expect.element(main.getByRole('grid', { name: 'Residents' })).toBeVisible()
})

for (const colourScheme of ['light', 'dark'] as const)
  test(`a client with a logo of its own shows the one for ${colourScheme} colours [core-2.3-9 core-2.3-10 core-2.3-11]`, async () => {
    const images = { light: '/mark.svg?light', dark: '/mark.svg?dark' }
    const info = { ...exampleOf(getTenantInfo), settings: { logo: images } }
    await openPortal('/northgate/Support', { colourScheme, answers: [answer(getTenantInfo, info)] })
    await expect
      .element(banner.getByRole('img', { name: 'Northgate Homes' }))
      .toHaveAttribute('src', images[colourScheme])
  })

test('a client without a logo of its own shows its name [core-2.3-9 core-2.3-11]', async () => {
  await openPortal('/northgate/Support')
  await expect.element(banner.getByText('Northgate Homes')).toBeVisible()
  await expect.element(banner.getByRole('img', { name: 'Northgate Homes' })).not.toBeInTheDocument()
})

for (const [what, route, id] of [
  ['features', getFeatures, 'core-8-13'],
  ['capabilities', getCapabilities, 'core-8-14'],
] as const)
  test(`when fetching ${what} fails, the person sees a message [${id}]`, async () => {
    await openPortal('/northgate/Dashboard', { answers: [answerStatus(route, 500, '{}')] })
    await expect.element(page.getByText(`An error occurred while fetching ${what}.`).first()).toBeVisible()
  })

const settingsAddresses = [
  ...['Settings', 'Settings/tags', 'Settings/accessRightsTags', 'Settings/luminaire', 'Settings/residents'],
  ...['Settings/Tenants', 'Settings/Tenants/Add', 'Settings/Tenants/northgate'],
]

test('a restricted user cannot open settings by address, other users with the role can [core-6-23]', async () => {
  const portal = await openPortal('/northgate/Support', { tags: ['east'] })
  for (const address of settingsAddresses) {
    await portal.go('/northgate/Support')
    await expect.element(refused).not.toBeInTheDocument()
    await portal.go(`/northgate/${address}`)
    await expect.element(refused).toBeVisible()
    await expect.element(main.getByRole('button')).not.toBeInTheDocument()
  }
  await openPortal('/northgate/Settings/tags')
  await expect.element(page.getByRole('button', { name: 'Add tag' })).toBeVisible()
})

test('the address of every screen in the sidebar begins with the name of the client [est-2-1]', async () => {
  const portal = await openPortal('/meridian/Dashboard', {
    role: 'Developer',
    answers: [...deviceList(listedDevices(1)), ...viewDefinitions()],
  })
  await sidebar.getByRole('button', { name: 'Lighting' }).click()
  const names = textsOf(sidebar.getByRole('link'))
  expect(names.length).toBeGreaterThan(12)
  const addresses = sidebar
    .getByRole('link')
    .elements()
    .map((link) => link.getAttribute('href'))
  for (const address of addresses) expect(address).toMatch(/^\/meridian\/[A-Z]/)
  await portal.go('/meridian/EmergencyLights')
  await rows.first().click()
  await expect.poll(portal.address).toMatch(/^\/meridian\/EmergencyLights\/[0-9a-f-]{36}$/)
  // An address without a client redirects to the same screen of the client.
  const other = await openPortal('/Support', { session: { tenants: [clientOf('northgate')] } })
  await expect.poll(other.address).toBe('/northgate/Support')
})

test('a narrow window starts with a collapsed sidebar and remembers its own choice', async () => {
  await openPortal('/northgate/Support', { viewport: { width: 1024, height: 768 } })
  await unfold.click()
  await expect.element(fold).toBeVisible()
  // A wide window has its own state.
  await page.viewport(1440, 900)
  await fold.click()
  await expect.element(unfold).toBeVisible()
  await page.viewport(1024, 768)
  await expect.element(fold).toBeVisible()
})
