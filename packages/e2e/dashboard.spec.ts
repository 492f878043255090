import type { Locator, Page } from '@playwright/test'
import { fetchViewData } from '@caretaker/contract/devices.ts'
import type { ViewData } from '@caretaker/contract/devices.ts'
import { getTenantDashboardData, getWorklist } from '@caretaker/contract/dashboard.ts'
import type { DashboardData, WorkCase } from '@caretaker/contract/dashboard.ts'
import { demoPeople } from '@caretaker/demo/fixtures.ts'
import { percentages } from '@caretaker/rules/dashboard/percentages.ts'
import type { DeviceSummary } from '@caretaker/rules/devices/status.ts'
import { listings, presets } from '@caretaker/rules/devices/list.ts'
import type { Monitoring } from '@caretaker/rules/devices/monitoring.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { ask } from './fixtures/api.ts'
import { newClient } from './fixtures/client.ts'
import { addDevice } from './fixtures/operator.ts'
import { dashboard, hold, rows, withoutStream } from './fixtures/portal.ts'
import { consoleText, expect, test } from './fixtures/test.ts'

const manager = 'manager@northgate.example'
const widget = (page: Page, title: string): Locator => page.getByRole('region', { name: title, exact: true })
const figure = (count: number) => count.toLocaleString('en-GB')

/** What each widget of a family counts. */
const widgets: Record<string, (data: DashboardData) => DeviceSummary> = {
  'Emergency lights': (data) => data.listings.EmergencyLights,
  Boilers: (data) => data.listings.Boilers,
  'Air source heat pumps': (data) => data.monitoring.HeatPump,
  'Heat interface units': (data) => data.heatInterfaceUnit,
  Autofills: (data) => data.autofill,
  Gateways: (data) => data.gateway,
  'Multi-dots': (data) => data.multiDot,
  'Enviro-dots': (data) => data.enviroDot,
  'Power meters': (data) => data.powerMeter,
  'V-Stats': (data) => data.vStat,
  'API Integration': (data) => data.listings.ThirdParty,
}
const titles = Object.keys(widgets)

const countsOf = async (page: Page, tenant: string) =>
  (await ask(page, getTenantDashboardData, { body: { tenant } })).data as DashboardData

/** Opens the dashboard and waits for its counts. */
async function open(page: Page, tenant: string) {
  await page.goto(`/${tenant}/Dashboard`)
  await expect(widget(page, 'Gateways').locator('footer')).toBeVisible()
}

/** Comes back to it from where one of its links has led. */
async function back(page: Page) {
  await page.goBack()
  await expect(widget(page, 'Gateways').locator('footer')).toBeVisible()
}

/** What a widget says in figures, from the top. */
function expectCounts(card: Locator, counts: DeviceSummary, within?: { timeout: number }) {
  return Promise.all([
    expect(card.locator('header')).toContainText(figure(counts.total), within),
    expect(card.getByRole('listitem').filter({ hasText: /^(Passed|Warning|Failed)/ })).toHaveCount(3, within),
    expect(card.getByRole('listitem').filter({ hasText: /^Passed/ })).toContainText(figure(counts.pass), within),
    expect(card.getByRole('listitem').filter({ hasText: /^Warning/ })).toContainText(figure(counts.warn), within),
    expect(card.getByRole('listitem').filter({ hasText: /^Failed/ })).toContainText(figure(counts.fail), within),
    expect(card.locator('footer b')).toHaveText([counts.installed, counts.inventory].map(figure), within),
  ])
}

/** A family of which the client has nothing stands there in one line. */
async function expectAbsent(page: Page, title: string) {
  await expect(widget(page, title)).toHaveText(`${title}0`)
  await expect(widget(page, title).getByRole('link')).toHaveCount(0)
}

/** A figure of a widget that leads somewhere. */
const link = (card: Locator, name: 'Installed' | 'Inventory' | 'Failed' | 'Warning') =>
  card.getByRole('link', { name: new RegExp(`^${name}`) })

test('the dashboard has a widget for each family of devices [dev-2dash-1 core-2.4-2]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await open(page, 'northgate')
  for (const title of [...titles, 'Boilers by heating type', 'Home hubs', 'Managed services'])
    await expect(widget(page, title)).toHaveCount(1)
})

for (const { email, roles } of demoPeople.filter((person) => person.roles.northgate && !person.carries))
  test(`${email} opens the dashboard of each client of theirs, and of no other [dev-1purpose-1]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(email)
    await open(page, 'northgate')
    await expect(dashboard(page)).toBeVisible()
    const { status } = await ask(page, getTenantDashboardData, { body: { tenant: 'meridian' } })
    expect(status).toBe(roles.meridian ? 200 : 404)
  })

test('every widget shows the counts of its family as the server counts them [dev-2dash-2]', async ({ pageOf }) => {
  // Nothing lives in this client but its storied gateway, so its counts stand still.
  const page = await pageOf('manager@meridian.example')
  await open(page, 'meridian')
  const data = await countsOf(page, 'meridian')
  for (const [title, counts] of Object.entries(widgets)) {
    expect(counts(data).total, title).toBeGreaterThan(0)
    await expectCounts(widget(page, title), counts(data))
  }
})

test('a limited user counts what the limited lists show, and no more', async ({ pageOf }) => {
  const [page, everybody] = [await pageOf('limited@northgate.example'), await pageOf(manager)]
  for (const one of [page, everybody]) await open(one, 'northgate')
  let some!: DashboardData
  // Others may make one fail, or mend it, at this moment.
  await expect(async () => {
    some = await countsOf(page, 'northgate')
    const all = await countsOf(everybody, 'northgate')
    expect(some.listings.EmergencyLights.total).toBeGreaterThan(0)
    for (const title of ['Emergency lights', 'Boilers', 'Multi-dots']) {
      expect(widgets[title]!(some).total).toBeLessThan(widgets[title]!(all).total)
      await expectCounts(widget(page, title), widgets[title]!(some), { timeout: 2000 })
    }
  }).toPass({ timeout: 30_000 })
  await link(widget(page, 'Boilers'), 'Installed').click()
  await expect(rows(page).first()).toBeVisible()
  await expect(
    page.getByText(`${figure(some.listings.Boilers.installed)} of ${figure(some.listings.Boilers.total)}`),
  ).toBeVisible()
})

for (const { area, title, ids } of [
  {
    area: 'EmergencyLights',
    title: 'Emergency lights',
    ids: '[dev-2dash-10 dev-2dash-11 dev-2dash-12 dev-2dash-13 dev-2dash-17]',
  },
  { area: 'Boilers', title: 'Boilers', ids: '[dev-2dash-10 dev-2dash-11 dev-2dash-12 dev-2dash-13 dev-2dash-18]' },
  {
    area: 'ThirdParty',
    title: 'API Integration',
    ids: '[dev-2dash-10 dev-2dash-11 dev-2dash-12 dev-2dash-13 dev-2dash-19]',
  },
  { area: 'NetworkingDevices', title: 'Gateways', ids: '[dev-2dash-10 dev-2dash-11 dev-2dash-12 dev-2dash-13]' },
] as const)
  test(`the figures of ${title} open the preset views, which show as many rows ${ids}`, async ({ pageOf }) => {
    const page = await pageOf('manager@meridian.example')
    await open(page, 'meridian')
    const counts = (await countsOf(page, 'meridian')).listings[area]
    expect(counts.installed).toBeGreaterThan(0)
    for (const [name, preset, count] of [
      ['Installed', 'installed', counts.installed],
      ['Inventory', 'inventory', counts.inventory],
      ['Failed', 'failed', counts.fail],
      ['Warning', 'warning', counts.warn],
    ] as const) {
      // A link to an empty list is no link.
      if (count === 0) {
        await expect(link(widget(page, title), name)).toHaveCount(0)
        continue
      }
      await link(widget(page, title), name).click()
      await expect(page).toHaveURL(`/meridian/${area}/Listing/${presetViewId(listings[area], preset)}`)
      await expect(rows(page)).toHaveCount(Math.min(100, count))
      const { data } = await ask(page, fetchViewData, {
        body: { tenant: 'meridian', viewId: presetViewId(listings[area], preset) },
      })
      expect((data as ViewData).total, name).toBe(count)
      await back(page)
    }
    await widget(page, title).getByRole('link', { name: title, exact: true }).click()
    await expect(page).toHaveURL(
      new RegExp(`/meridian/${area}(/Listing/${presetViewId(listings[area], presets[0])})?$`),
    )
    await expect(rows(page)).toHaveCount(Math.min(100, counts.total))
  })

test('heat pumps lead to the Bcms page with the filter for them, and to as many rows [dev-2dash-21]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@meridian.example')
  await open(page, 'meridian')
  const { HeatPump } = (await countsOf(page, 'meridian')).monitoring
  const card = widget(page, 'Air source heat pumps')
  await card.getByRole('link', { name: 'Air source heat pumps' }).click()
  await expect(page).toHaveURL(
    (url) => url.pathname === '/meridian/Bcms' && url.searchParams.get('filter') === '{"type":"ASHP"}',
  )
  await expect(rows(page)).toHaveCount(Math.min(25, HeatPump.total))
  await back(page)
  await link(card, 'Installed').click()
  await expect(rows(page)).toHaveCount(Math.min(25, HeatPump.installed))
})

test('hubs, V-Stats and multi-dots lead to their grids, the other sensors to their rows among the boilers [dev-2dash-3 dev-2dash-22 dev-2dash-23 dev-2dash-24]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@meridian.example')
  await open(page, 'meridian')
  const data = await countsOf(page, 'meridian')
  for (const [title, path, total] of [
    ['Home hubs', 'HomeHubs', data.listings.HomeHubs.total],
    ['V-Stats', 'VStats', data.vStat.total],
    ['Multi-dots', 'MultiDots', data.multiDot.total],
    ['Autofills', 'Boilers/Listing/boiler-main', data.autofill.total],
    ['Enviro-dots', 'Boilers/Listing/boiler-main', data.enviroDot.total],
    ['Power meters', 'Boilers/Listing/boiler-main', data.powerMeter.total],
  ] as const) {
    await widget(page, title).getByRole('link', { name: title, exact: true }).click()
    await expect(page).toHaveURL((url) => url.pathname === `/meridian/${path}`)
    await expect(rows(page)).toHaveCount(Math.min(path.startsWith('Boilers') ? 100 : 25, total))
    await back(page)
  }
})

test('heat interface units lead nowhere [dev-2dash-25]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  await open(page, 'northgate')
  await expect(widget(page, 'Autofills').getByRole('link')).not.toHaveCount(0)
  await expect(widget(page, 'Heat interface units').locator('footer')).toBeVisible()
  await expect(widget(page, 'Heat interface units').getByRole('link')).toHaveCount(0)
})

test('every address below a client differs from that of another in the name of the client alone [dev-2dash-4]', async ({
  pageOf,
}) => {
  const page = await pageOf('dev@caretaker.example')
  const linksOf = async (tenant: string) => {
    await open(page, tenant)
    await expect(page.getByRole('article', { name: 'Gateways offline' }).locator('b')).toBeVisible()
    const all = await page
      .getByRole('main')
      .getByRole('link')
      .evaluateAll((links) => links.map((one) => one.getAttribute('href')!))
    for (const href of all) expect(href.startsWith(`/${tenant}/`), href).toBe(true)
    // The oldest cases are other devices in each.
    const isOfDevice = (href: string) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(href)
    return all
      .map((href) => href.slice(tenant.length + 1))
      .filter((href) => !href.includes('ManagedService') && !isOfDevice(href))
  }
  const [here, there] = [await linksOf('northgate'), await linksOf('meridian')]
  expect(there.length).toBeGreaterThan(30)
  // What one of them has nothing of is no link there.
  expect(here).toEqual(expect.arrayContaining(there))
})

test('titles are links for those who may read the area [dev-2dash-8]', async ({ pageOf }) => {
  const page = await pageOf('guest@northgate.example')
  await open(page, 'northgate')
  for (const title of titles.filter((one) => one !== 'Heat interface units'))
    await expect(widget(page, title).getByRole('link', { name: title, exact: true })).toBeVisible()
})

for (const { email, closed, opened } of [
  {
    email: 'boiler@northgate.example',
    closed: ['Emergency lights'],
    opened: ['Boilers', 'Air source heat pumps', 'Gateways', 'Multi-dots', 'API Integration'],
  },
  {
    email: 'lighting@northgate.example',
    closed: ['Boilers', 'Boilers by heating type', 'Air source heat pumps', 'Autofills'],
    opened: ['Emergency lights', 'Gateways', 'V-Stats', 'API Integration'],
  },
])
  test(`to ${email} titles and figures of other areas are plain text, their counts are there [dev-2dash-2 dev-2dash-9]`, async ({
    pageOf,
  }) => {
    const page = await pageOf(email)
    await open(page, 'northgate')
    for (const title of closed) {
      await expect(widget(page, title).getByRole('heading', { name: title, exact: true })).toBeVisible()
      await expect(widget(page, title).locator('footer')).toHaveText(/Installed [\d,]+/)
      await expect(widget(page, title).getByRole('link')).toHaveCount(0)
    }
    for (const title of opened)
      await expect(widget(page, title).getByRole('link', { name: title, exact: true })).toBeVisible()
  })

test('managed services, home hubs and the debug panel are there where their features are [dev-2dash-5 dev-2dash-6 dev-2dash-7]', async ({
  pageOf,
}) => {
  const byFeature = ['Managed services', 'Home hubs', 'System debug']
  for (const [email, tenant, shown] of [
    [manager, 'northgate', ['Managed services', 'Home hubs']],
    ['manager@harbour.example', 'harbour', ['System debug']],
    ['manager@meridian.example', 'meridian', byFeature],
    // A developer is shown what the client has, too.
    ['dev@caretaker.example', 'harbour', ['System debug']],
    ['dev@caretaker.example', 'northgate', ['Managed services', 'Home hubs']],
  ] as const) {
    const page = await pageOf(email)
    await open(page, tenant)
    for (const title of byFeature)
      await expect(widget(page, title), `${tenant} ${title}`).toHaveCount(
        (shown as readonly string[]).includes(title) ? 1 : 0,
      )
  }
})

test('the debug panel says who looks at which client, and what is turned on there', async ({ pageOf }) => {
  const page = await pageOf('manager@harbour.example')
  await open(page, 'harbour')
  const panel = widget(page, 'System debug')
  await expect(panel).toContainText('Tenantharbour')
  await expect(panel).toContainText('RoleManager')
  await expect(panel).toContainText('SystemDebug')
  await expect(panel).toContainText('Capabilitiesnone')
  await expect(panel).toContainText(/Build\d/)
})

test('the figures of managed services lead to the page that points them out [dev-2dash-14 dev-2dash-15 dev-2dash-16]', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await open(page, 'northgate')
  const card = widget(page, 'Managed services')
  await expect(card.locator('header')).toContainText('412')
  for (const [name, count, type] of [
    ['Assigned', '371', 'assigned'],
    ['of these expiring within 12 months', '28', 'expiring'],
    ['Available', '41', 'available'],
  ] as const)
    await expect(card.getByRole('link', { name: `${name} ${count}`, exact: true })).toHaveAttribute(
      'href',
      `/northgate/ManagedService?type=${type}`,
    )
  // Those that expire are some of those assigned, while the parts of the bar make up the total.
  await expect(card.getByRole('listitem')).toHaveText([/^Assigned/, /^of these/, /^Available/])
  await expect(card.getByRole('img')).toHaveAccessibleName(
    /: 343 assigned for 12 months or longer \(83%\), 28 expiring within 12 months \(7%\), 41 available \(10%\)$/,
  )
})

test('boilers by heating type are an accordion with its counts and a ring for each kind of monitoring [dev-2dash-26 dev-2dash-27]', async ({
  pageOf,
}) => {
  const page = await pageOf('manager@meridian.example')
  await open(page, 'meridian')
  const { listings, monitoring } = await countsOf(page, 'meridian')
  const card = widget(page, 'Boilers by heating type')
  const kinds: Record<string, Monitoring> = {
    Boilers: 'Boiler',
    'Heat pumps': 'HeatPump',
    'Surveyor cubes': 'None',
    'Not yet assigned': 'Unknown',
  }
  await expect(card.getByRole('img')).toHaveCount(4)
  for (const [title, kind] of Object.entries(kinds)) {
    const { total, pass, warn, fail, installed } = monitoring[kind]
    const of = [pass, warn, fail, total - installed]
    const [passed, warning, failed, rest] = percentages(of)
    await expect(card.getByRole('heading', { name: `${title} ${figure(total)}` })).toBeVisible()
    const words =
      installed === 0
        ? `${title}: ${figure(total)} not installed (100%)`
        : `${title}: ${figure(pass)} passed (${passed}%), ${figure(warn)} warning (${warning}%), ` +
          `${figure(fail)} failed (${failed}%), ${figure(total - installed)} not installed (${rest}%)`
    await expect(card.getByRole('img', { name: words })).toBeVisible()
  }

  const toggle = card.getByRole('button', { name: 'Boilers by heating type' })
  await expect(toggle).toHaveAttribute('aria-expanded', 'true')
  await toggle.click()
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(card.getByRole('img')).toHaveCount(0)
  for (const text of [listings.Bcms.total, listings.Bcms.pass, listings.Bcms.warn, listings.Bcms.fail])
    await expect(card.locator('header')).toContainText(figure(text))
  await page.reload()
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(card.getByRole('img')).toHaveCount(0)
  await toggle.click()
  await expect(card.getByRole('img')).toHaveCount(4)
})

test('each case that needs somebody has its count, its two oldest, and a way to exactly those rows', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await open(page, 'northgate')
  const worklist = widget(page, 'Worklist')
  await expect(worklist.getByRole('article')).toHaveCount(6)
  for (const [at, name] of [
    'Failed lights',
    'Failed boilers and sensors',
    'Lights not tested',
    'Gas checks due',
    'Water treatments due',
    'Gateways offline',
  ].entries()) {
    await open(page, 'northgate')
    const card = worklist.getByRole('article', { name })
    let known: WorkCase
    // Others may make one fail, or mend it, at this moment.
    await expect(async () => {
      const { data } = await ask(page, getWorklist, { body: { tenant: 'northgate' } })
      known = (data as WorkCase[])[at]!
      await expect(card.getByRole('heading')).toHaveText(`${figure(known.count)} ${name}`, { timeout: 2000 })
    }).toPass({ timeout: 15_000 })
    const { count, oldest, filters, listing } = known!
    await expect(card.locator('time')).toHaveCount(oldest.length)
    if (count === 0) {
      await expect(card.getByRole('link')).toHaveCount(0)
      continue
    }
    await card.getByRole('link', { name: /^See / }).click()
    await expect(rows(page)).toHaveCount(Math.min(100, count))
    const listed = await ask(page, fetchViewData, { body: { tenant: 'northgate', listing, filters: filters as never } })
    expect((listed.data as ViewData).total, name).toBe(count)
    for (const { deviceId } of count <= 100 ? oldest : [])
      await expect(page.locator(`tr[data-row="${deviceId}"]`)).toBeVisible()
  }
})

test('no failed device is left out of what needs somebody: the cases and what failed besides add up', async ({
  pageOf,
}) => {
  const page = await pageOf(manager)
  await open(page, 'northgate')
  const besides = page.getByText('Failed besides:')
  const links = besides.getByRole('link')
  await expect(links).not.toHaveCount(0)
  const figureIn = async (text: Promise<string>) => Number(/[\d,]+/.exec(await text)![0].replaceAll(',', ''))
  const worklist = widget(page, 'Worklist')
  const wholes = ['EmergencyLights', 'Boilers', 'NetworkingDevices', 'VStats', 'ThirdParty', 'HomeHubs'] as const
  // Others may make one fail, or mend it, at this moment.
  await expect(async () => {
    let sum = 0
    for (const name of ['Failed lights', 'Failed boilers and sensors'])
      sum += await figureIn(worklist.getByRole('article', { name }).getByRole('heading').innerText())
    for (const one of await links.all()) sum += await figureIn(one.innerText())
    const { listings: counts } = await countsOf(page, 'northgate')
    expect(sum).toBe(wholes.reduce((all, name) => all + counts[name].fail, 0))
  }).toPass({ timeout: 15_000 })
  const count = await figureIn(links.first().innerText())
  await links.first().click()
  await expect(rows(page)).toHaveCount(count)
})

test('an engineer is told only of the areas that engineer may see', async ({ pageOf }) => {
  for (const [email, cases] of [
    ['lighting@northgate.example', ['Failed lights', 'Lights not tested', 'Gateways offline']],
    [
      'boiler@northgate.example',
      ['Failed boilers and sensors', 'Gas checks due', 'Water treatments due', 'Gateways offline'],
    ],
  ] as const) {
    const page = await pageOf(email)
    await open(page, 'northgate')
    const articles = widget(page, 'Worklist').getByRole('article')
    await expect(articles).toHaveCount(cases.length)
    for (const name of cases) await expect(widget(page, 'Worklist').getByRole('article', { name })).toBeVisible()
  }
})

test('a status has one colour on the dashboard, in listings and on a page [core-4.1-15]', async ({ pageOf }) => {
  const page = await pageOf(manager)
  const colour = (icon: Locator) => icon.evaluate((svg) => getComputedStyle(svg).color)
  await open(page, 'northgate')
  const legend = widget(page, 'Emergency lights').getByRole('listitem')
  const onDashboard = Object.fromEntries(
    await Promise.all(
      ['Passed', 'Warning', 'Failed'].map(
        async (word) =>
          [word, await colour(legend.filter({ hasText: new RegExp(`^${word}`) }).locator('svg'))] as const,
      ),
    ),
  )
  expect(new Set(Object.values(onDashboard)).size).toBe(3)
  for (const word of ['Warning', 'Failed'] as const) {
    await open(page, 'northgate')
    await link(widget(page, 'Emergency lights'), word).click()
    const row = rows(page)
      .filter({ has: page.locator(`[data-tone="${word.toLowerCase()}"]`) })
      .first()
    expect(await colour(row.locator('[data-tone] svg')), word).toBe(onDashboard[word])
    const deviceId = await row.getAttribute('data-row')
    await page.goto(`/northgate/EmergencyLights/${deviceId}`)
    expect(await colour(page.locator('header [data-tone] svg').first()), word).toBe(onDashboard[word])
  }
})

test('while the counts load the widgets keep their places, and a failure can be tried again', async ({
  pageOf,
  expectedErrors,
}) => {
  expectedErrors.push(consoleText(500))
  const page = await pageOf('guest@northgate.example')
  // What others change would have it asked for again before Retry is pressed.
  await withoutStream(page)
  const release = await hold(page, '**/api/GetTenantDashboardData')
  await page.goto('/northgate/Dashboard')
  for (const title of titles) await expect(widget(page, title).getByRole('status')).toBeAttached()
  await page.unroute('**/api/GetTenantDashboardData')
  release()
  await expect(widget(page, 'Boilers').locator('footer')).toBeVisible()
  for (const [call, there] of [
    ['GetTenantDashboardData', () => widget(page, 'Boilers').locator('footer')],
    ['GetWorklist', () => widget(page, 'Worklist').getByRole('link', { name: 'See failed lights' })],
    ['tenants/northgate/licences/propertySummary', () => widget(page, 'Managed services').getByRole('link').first()],
  ] as const) {
    await page.route(`**/api/${call}`, (route) => route.fulfill({ status: 500, json: {} }))
    await page.reload()
    await expect(page.getByText('Failed to Load')).toBeVisible()
    // The rest of the page is there all the same.
    await expect(page.getByRole('main').locator('article, footer').first()).toBeVisible()
    await page.unroute(`**/api/${call}`)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(there()).toBeVisible()
    await expect(page.getByText('Failed to Load')).toHaveCount(0)
  }
})

test('a new client counts nothing, then each device by the group of its status, without a reload [core-4.1-20 dev-2dash-2]', async ({
  page,
}) => {
  await page.clock.install()
  const { tenant } = await newClient(page, 'Beacon Lettings')
  await expect(page).toHaveURL(`/${tenant}/Dashboard`)
  await expect(page.getByText('No device is installed yet.')).toBeVisible()
  for (const title of titles) await expectAbsent(page, title)
  await expect(widget(page, 'Worklist')).toContainText('0 Failed lights')
  // A link to an empty list is no link.
  await expect(page.getByRole('main').getByRole('link')).toHaveCount(0)

  const statuses = ['Ok', 'Installed', 'FailedEquipment', 'FailedDevice', 'Inventory']
  await Promise.all(statuses.map((status) => addDevice(tenant, '--product', 'EM', '--status', status)))
  await page.clock.runFor(10_000)
  // What was never tested has not passed.
  const five = { total: 5, pass: 0, warn: 2, fail: 2, installed: 4, inventory: 1 }
  await expectCounts(widget(page, 'Emergency lights'), five)
  for (const title of ['Boilers', 'Gateways']) await expectAbsent(page, title)
  const [lights, boilers] = await Promise.all(
    ['Emergency lights', 'Boilers'].map(async (title) => (await widget(page, title).boundingBox())!),
  )
  expect(boilers!.y).toBeGreaterThan(lights!.y + lights!.height)
  expect(boilers!.height).toBeLessThan(50)
  await expect(page.getByText('2 things to look at; 0 of 4 installed devices are fine.')).toBeVisible()
})

test('on a phone everything stands in one column, and nothing sticks out', async ({ pageOf }) => {
  const page = await pageOf(manager, { viewport: { width: 390, height: 844 } })
  await open(page, 'northgate')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  const boxes = await Promise.all(titles.map(async (title) => (await widget(page, title).boundingBox())!))
  for (const box of boxes) expect(box.width).toBeGreaterThan(340)
})
