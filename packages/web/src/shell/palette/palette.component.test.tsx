import { expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { searchEverything } from '@caretaker/contract/search.ts'
import type { FoundDevice } from '@caretaker/contract/search.ts'
import type { Role } from '@caretaker/rules/identity/roles.ts'
import { expectNoViolations } from '../../testing/axe.ts'
import { pass, passUntil, stopClock } from '../../testing/clock.ts'
import { deviceList, listedDevices } from '../../testing/examples/device-list.ts'
import { viewDefinitions } from '../../testing/examples/views.ts'
import { expectCount, textsOf } from '../../testing/expect.ts'
import { press, rows } from '../../testing/list-screen.ts'
import { answer, answerStatus, exampleOf, hold } from '../../testing/network.ts'
import { clientOf, openPortal } from '../../testing/portal.tsx'

const label = 'Search devices, buildings and people'
const opener = page.getByRole('banner').getByRole('button', { name: label })
const palette = page.getByRole('dialog', { name: 'Search' })
const field = page.getByRole('combobox', { name: label })
const group = (name: string) => palette.getByRole('group', { name })
const option = (text: string) => palette.getByRole('option').filter({ hasText: text })
const chosen = palette.getByRole('option', { selected: true })

type Found = ReturnType<typeof exampleOf<typeof searchEverything>>
const nothing: Found = {
  devices: { total: 0, items: [] },
  properties: { total: 0, items: [] },
  buildings: { total: 0, items: [] },
  people: { total: 0, items: [] },
  views: { total: 0, items: [] },
}
const light: FoundDevice = {
  deviceId: '00000000-0000-4000-8000-000000000001',
  productId: 'EM',
  serialNumber: 'EM00001X',
  name: 'Stairs',
  status: 'Ok',
  inWholesale: false,
  place: 'Beech Hill Court',
  propertyId: null,
  propertyReference: null,
  address: null,
  tag: null,
}
const court = {
  buildingId: 'court',
  name: 'Beech Hill Court',
  address: '14 Beech Hill Road',
  status: 'FailedEquipment' as const,
}
const found: Found = {
  ...nothing,
  devices: { total: 12, items: [light] },
  buildings: { total: 1, items: [court] },
}
/** The server finds Beech Hill Court and a light in it by name and serial number. */
const finds = (what: Found = found) => answer(searchEverything, what)

type Options = Parameters<typeof openPortal>[1]
/** Opens the palette on the Dashboard and types. */
async function look(text: string, options: Options = {}) {
  const answers = [
    finds(),
    ...deviceList(listedDevices(2, () => ({ deviceBuildingName: 'Beech Hill Court' }))),
    ...viewDefinitions(),
    ...(options.answers ?? []),
  ]
  const portal = await openPortal('/northgate/Dashboard', { ...options, answers })
  await expect.element(opener).toBeVisible()
  await press('{Control>}k{/Control}')
  await field.fill(text)
  return portal
}

test('Ctrl K or ⌘ K anywhere and the field in the top bar open the palette; Escape closes it and returns the focus', async () => {
  await openPortal('/northgate/Users')
  const filter = page.getByRole('searchbox')
  await filter.click()
  for (const keys of ['{Control>}k{/Control}', '{Meta>}k{/Meta}']) {
    await press(keys)
    await expect.element(field).toHaveFocus()
    await press(keys)
    await expectCount(palette, 1)
    await press('{Escape}')
    await expect.element(palette).not.toBeInTheDocument()
    await expect.element(filter).toHaveFocus()
  }
  await opener.click()
  await expect.element(field).toHaveFocus()
  const { width, y } = palette.element().getBoundingClientRect()
  expect({ width, y }).toEqual({ width: 660, y: 120 })
  // An open dialog takes precedence.
  await press('{Escape}')
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect.element(page.getByRole('dialog', { name: 'Create user' })).toBeVisible()
  await press('{Control>}k{/Control}')
  await expect.element(palette).not.toBeInTheDocument()
})

test('buildings and devices are shown with their status and the match highlighted; a building opens its lights', async () => {
  const portal = await look('beech hill c')
  const building = group('Buildings').getByRole('option')
  await expectCount(building, 1)
  await expect.element(building).toMatchTextContent('Beech Hill Court')
  await expect.element(building).toMatchTextContent('Failed')
  await expect.element(building.getByCss('mark').first()).toHaveTextContent('Beech')
  await expect.element(group('Devices')).toMatchTextContent('12 found')
  await expect.element(chosen).toMatchTextContent('Beech Hill Court')
  await press('{Enter}')
  await expect.element(palette).not.toBeInTheDocument()
  const filters = [{ fieldId: 'building', filterOp: 'equals', value: 'Beech Hill Court' }]
  await expect
    .poll(() => decodeURIComponent(portal.address().replaceAll('+', ' ')))
    .toBe(`/northgate/EmergencyLights?filters=${JSON.stringify(filters)}`)
  await expectCount(rows, 2)
})

test('a device opens its page, with Ctrl Enter in a new tab; the last line opens the listing with the same search', async () => {
  const openWindow = vi.spyOn(window, 'open').mockReturnValue(null)
  const device = finds({ ...nothing, devices: { total: 1, items: [light] } })
  const portal = await look('em00001x', { answers: [device] })
  await expect.element(chosen).toMatchTextContent('EM00001X')
  await press('{Control>}{Enter}{/Control}')
  const address = `/northgate/EmergencyLights/${light.deviceId}`
  expect(openWindow).toHaveBeenCalledExactlyOnceWith(address, '_blank', 'noopener')
  await expect.element(palette).toBeVisible()
  await press('{ArrowDown}')
  await expect.element(chosen).toHaveTextContent('Search Emergency Lights for ‘em00001x’↵')
  await press('{Enter}')
  await expect.poll(portal.address).toBe('/northgate/EmergencyLights?search=em00001x')
  await expectCount(rows, 1)

  await press('{Control>}k{/Control}')
  await field.fill('EM00001X')
  await expect.element(chosen).toMatchTextContent('Stairs')
  await press('{Enter}')
  await expect.poll(portal.address).toBe(address)
})

test('arrow keys cycle through the results, and the field exposes the active result to assistive technology', async () => {
  await look('', { answers: [finds(nothing)] })
  const lines = palette.getByRole('option')
  await expect.element(chosen).toMatchTextContent('Dashboard')
  const active = () => document.getElementById(field.element().getAttribute('aria-activedescendant')!)?.textContent
  await press('{ArrowUp}')
  await expect.element(lines.last()).toHaveAttribute('aria-selected', 'true')
  expect(active()).toContain('Logout')
  await expect.element(lines.last()).toBeInViewport()
  await press('{ArrowDown}')
  await expect.poll(active).toContain('Dashboard')
  await expect.element(field).toHaveAttribute('aria-expanded', 'true')
  await field.fill('nothing is called like this')
  await expect.element(palette.getByText('Nothing found for ‘nothing is called like this’')).toBeVisible()
  await expect.element(field).toHaveAttribute('aria-expanded', 'false')
})

test('after > only commands are offered, and they can be run', async () => {
  const portal = await look('> dark')
  await expectCount(palette.getByRole('option'), 1)
  await press('{Enter}')
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe('dark')
  await expect.element(palette).not.toBeInTheDocument()
  await press('{Control>}k{/Control}')
  await field.fill('>')
  await expectCount(palette.getByRole('group'), 1)
  await expect.element(group('Actions')).toBeVisible()
  await expect.element(option('Change Client')).not.toBeInTheDocument()
  expect(portal.sentTo(searchEverything)).toHaveLength(0)
  await option('Use light colours').click()
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe('light')
})

test('a person of several clients changes the client from the palette', async () => {
  await look('change cl', { session: { tenants: [clientOf('northgate'), clientOf('harbour')] } })
  await option('Change Client').click()
  await expect.element(page.getByRole('heading', { name: 'Select Client' })).toBeVisible()
})

test('the server is queried after a pause and from two letters; results stay until the next response', async () => {
  const portal = await look('')
  const sent = () => portal.sentTo(searchEverything).map(({ body }) => body.search)
  stopClock()
  await field.fill('beech hill')
  await passUntil(() => group('Buildings').query() !== null)
  expect(sent()).toEqual(['beech hill'])
  const held = hold(searchEverything, finds({ ...found, devices: nothing.devices }))
  portal.use(held)
  for (const key of ' court') {
    await press(key)
    await pass(50)
  }
  expect(sent()).toEqual(['beech hill'])
  await passUntil(() => sent().length === 2)
  expect(sent()).toEqual(['beech hill', 'beech hill court'])
  await expect.element(group('Buildings').getByRole('option').first()).toMatchTextContent('Beech Hill')
  await expect.element(group('Devices')).toBeVisible()
  held.release()
  await expect.element(group('Devices')).not.toBeInTheDocument()
  await expectCount(group('Buildings').getByRole('option'), 1)
  await field.fill('b')
  await pass(1000)
  await expect.element(group('Buildings')).not.toBeInTheDocument()
  expect(sent()).toHaveLength(2)
})

test('a failed search shows Failed to Load beside the pages, and Retry searches again', async () => {
  const portal = await look('boiler', { answers: [answerStatus(searchEverything, 500, '{}')] })
  await expect.element(palette.getByRole('alert')).toMatchTextContent('Failed to Load')
  await expect.element(option('Boilers').first()).toBeVisible()
  portal.use(finds())
  await palette.getByRole('button', { name: 'Retry' }).click()
  await expect.element(palette.getByRole('alert')).not.toBeInTheDocument()
  await expect.element(group('Devices')).toBeVisible()
})

for (const [who, options, seen, unseen] of [
  ['a manager', { role: 'Manager' }, ['Users', 'Tags', 'Access rights tags', 'My Account'], ['Audit', 'Mailbox']],
  ['a guest', { role: 'Guest' }, ['Emergency Lights', 'Boilers', 'Tags'], ['Users', 'Audit']],
  ['a limited manager', { role: 'Manager', tags: ['east'] }, ['Users', 'Boilers'], ['Settings', 'Tags', 'Audit']],
  ['a lighting engineer', { role: 'LightingEngineer' }, ['Emergency Lights'], ['Boilers', 'Users']],
  ['a boiler engineer', { role: 'BoilerEngineer' }, ['Boilers'], ['Emergency Lights', 'Users']],
  ['an admin', { role: 'Admin' }, ['Audit', 'Users'], ['Mailbox']],
] as const satisfies [string, { role: Role; tags?: readonly string[] }, readonly string[], readonly string[]][])
  test(`${who} is offered only the pages that they may open`, async () => {
    await look('', options as Options)
    const pages = group('Views and pages')
    for (const name of seen) await expect.element(pages.getByText(name, { exact: true }).first()).toBeVisible()
    for (const name of unseen) await expect.element(pages.getByText(name, { exact: true })).not.toBeInTheDocument()
  })

const callum = { userId: 'callum', name: 'Callum Hargreaves', role: 'LightingEngineer' as const }

test('users lead to their row in the list of users', async () => {
  const people = { total: 1, items: [{ ...callum, email: 'lighting@northgate.example' }] }
  const portal = await look('hargreaves', { answers: [finds({ ...nothing, people })] })
  await expect.element(group('People').getByRole('option')).toMatchTextContent('lighting@northgate.example')
  await press('{Enter}')
  await expect.poll(portal.address).toBe('/northgate/Users?filter=lighting%40northgate.example')
})

for (const [role, what, answered] of [
  ['Guest', 'people', { ...nothing, people: { total: 1, items: [{ ...callum, email: null }] } }],
  ['BoilerEngineer', 'emergency lights', { ...nothing, devices: { total: 1, items: [light] } }],
  [
    'LightingEngineer',
    'boilers',
    { ...nothing, devices: { total: 1, items: [{ ...light, productId: 'BX', serialNumber: 'BX00001X' }] } },
  ],
] as const satisfies [Role, string, Found][])
  test(`a ${role} finds no ${what}`, async () => {
    await look('00001x', { role, answers: [finds(answered)] })
    await expect.element(palette.getByText('Nothing found for ‘00001x’')).toBeVisible()
    await expect.element(palette.getByRole('option')).not.toBeInTheDocument()
  })

test('on a phone an icon opens the palette, which fills the screen and closes by a button', async () => {
  const viewport = { width: 390, height: 844 }
  await openPortal('/northgate/Dashboard', { viewport, answers: [finds()] })
  await opener.click()
  await expect.element(field).toHaveFocus()
  expect(palette.element().getBoundingClientRect()).toMatchObject({ x: 0, y: 0, ...viewport })
  await field.fill('beech hill')
  await expect.element(group('Buildings')).toBeVisible()
  await palette.getByRole('button', { name: 'Close' }).click()
  await expect.element(palette).not.toBeInTheDocument()
  await expect.element(opener).toHaveFocus()
})

for (const [what, options] of [
  ['in light colours', {}],
  ['in dark colours', { colourScheme: 'dark' }],
  ['on a phone', { viewport: { width: 390, height: 844 } }],
] as const)
  test(`the palette is accessible ${what}, and holds at 320 px`, async () => {
    await look('beech hill', options)
    await expect.element(group('Buildings')).toBeVisible()
    await expectNoViolations(palette.element())
    await page.viewport(320, 640)
    await expect.poll(() => palette.element().scrollWidth - palette.element().clientWidth).toBe(0)
  })

test('a property is listed above its devices and opens its page; a property without devices is found too', async () => {
  const home = { propertyId: 'home', propertyReference: 'NG-0123', place: 'NG-0123' }
  const items = (['FailedDevice', 'Ok', 'Ok'] as const).map((status, at): FoundDevice => ({
    ...light,
    ...home,
    deviceId: `boiler-${at}`,
    productId: 'BX',
    serialNumber: `BX0000${at}X`,
    status,
  }))
  const properties = {
    total: 2,
    items: [
      { propertyId: 'home', propertyReference: 'NG-0123', address: '4 Mill Lane', gasSafety: 'Failed' as const },
      { propertyId: 'empty', propertyReference: 'NG-01234', address: '6 Mill Lane', gasSafety: null },
    ],
  }
  const answers = [finds({ ...nothing, properties, devices: { total: 3, items } })]
  const features = ['PropertyCentric' as const]
  const portal = await look('NG-0123', { answers, features })
  const lines = group('Property').getByRole('option')
  await expectCount(lines, 5)
  const texts = textsOf(lines)
  expect(texts[0]).toContain('NG-0123')
  expect(texts[0]).toContain('gas failed')
  expect(texts[4]).toContain('NG-01234')
  expect(texts[1]).toMatch(/BX00000X.*Device failed/)
  for (const [at, { serialNumber }] of items.entries()) expect(texts[at + 1]).toContain(serialNumber)
  const inset = (at: number) => lines.nth(at).getByCss('svg').first().element().getBoundingClientRect().x
  expect(inset(1)).toBeGreaterThan(inset(0))
  await press('{Enter}')
  await expect.poll(() => portal.address()).toBe('/northgate/Properties/home/info')
  // A user without access to properties and boilers sees neither the property nor its devices.
  await look('NG-0123', { role: 'LightingEngineer', answers: [finds({ ...nothing, devices: { total: 3, items } })] })
  await expect.element(palette.getByText('Nothing found for ‘NG-0123’')).toBeVisible()
})
