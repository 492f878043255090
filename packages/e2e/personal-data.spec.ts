import type { Page } from '@playwright/test'
import { demoDevices } from '@caretaker/demo/fixtures.ts'
import { getFieldChoices } from '@caretaker/contract/devices.ts'
import { exportListing } from '@caretaker/contract/devices.ts'
import { searchEverything } from '@caretaker/contract/search.ts'
import { ask, isCall } from './fixtures/api.ts'
import { dashboard, rows } from './fixtures/portal.ts'
import { expect, test } from './fixtures/test.ts'

const addressColumns = ['Address', 'Postcode']

/** Records whether any response to this page, or the page itself, contains an address in one of these towns. */
function recordAddresses(page: Page, address: RegExp) {
  const pathsWithAddress = new Set<string>()
  const answers: Promise<void>[] = []
  page.on('response', (response) => {
    if (!isCall(response.request())) return
    const { pathname } = new URL(response.url())
    // The change stream stays open with the page and contains only ids.
    if (response.headers()['content-type']?.startsWith('text/event-stream')) return
    // A response that the page abandons when it navigates has no text.
    const text = response.text().catch(() => '')
    answers.push(text.then((body) => void (address.test(body) && pathsWithAddress.add(pathname))))
  })
  return {
    look: async (place: string) => {
      if (address.test(await page.getByRole('main').innerText())) pathsWithAddress.add(place)
    },
    all: async () => {
      await Promise.all(answers)
      return [...pathsWithAddress]
    },
  }
}

for (const [email, tenant, isHidden, light, boiler, town, address] of [
  [
    'manager@meridian.example',
    'meridian',
    true,
    demoDevices.meridianLight,
    demoDevices.meridianBoiler,
    'Louth',
    /, (Louth|Cleethorpes|Grimsby)\b|\b(LN11|DN3[125]) \d[A-Z]{2}\b/,
  ],
  [
    'manager@northgate.example',
    'northgate',
    false,
    demoDevices.livelyLight,
    demoDevices.livelyBoiler,
    'Leeds',
    /, (Leeds|Bradford|Halifax|Wakefield|Huddersfield)\b|\b(LS|BD|HX|WF|HD)\d{1,2} \d[A-Z]{2}\b/,
  ],
] as const)
  test(`device pages show ${isHidden ? 'no addresses or postcodes if the client hides personal data' : 'addresses and postcodes if the client does not hide personal data'} [dev-6other-19]`, async ({
    pageOf,
  }) => {
    test.setTimeout(120_000)
    const page = await pageOf(email)
    const recorded = recordAddresses(page, address)
    const count = isHidden ? 0 : 1
    await page.goto(`/${tenant}/Dashboard`)
    await expect(dashboard(page)).toBeVisible()
    await recorded.look('Dashboard')

    // For the columns and filters of all listings, see packages/web/src/lists/personal-data.component.test.tsx.
    for (const listing of ['EmergencyLights', 'Boilers', 'MultiDots']) {
      await page.goto(`/${tenant}/${listing}?columns=serial,name,address,postcode`)
      await expect(rows(page)).not.toHaveCount(0)
      for (const name of addressColumns)
        await expect(page.getByRole('columnheader', { name, exact: true })).toHaveCount(count)
      await recorded.look(listing)
    }

    const lights = `/${tenant}/EmergencyLights`
    await page.goto(`${lights}?search=${town}`)
    if (isHidden) await expect(page.getByRole('main').getByText(`No devices match '${town}'`)).toBeVisible()
    else await expect(rows(page)).not.toHaveCount(0)

    await page.goto(lights)
    await rows(page)
      .first()
      .getByRole('button', { name: /^Pin row/ })
      .click()
    await expect(page.locator('tr[data-pinned]')).toHaveCount(1)
    await recorded.look('a pinned row')

    for (const [area, { deviceId }] of [
      ['EmergencyLights', light],
      ['Boilers', boiler],
    ] as const) {
      await page.goto(`/${tenant}/${area}/${deviceId}`)
      const place = page.getByRole('region', { name: 'Location', exact: true })
      await expect(place).toBeVisible()
      await expect(place.getByText('Address', { exact: true })).toHaveCount(count)
      await recorded.look(area)
    }

    await page.keyboard.press('Control+k')
    const found = page.waitForResponse(
      (response) =>
        response.url().endsWith(searchEverything.path) && response.request().postDataJSON().search === light.serial,
    )
    await page.getByRole('combobox', { name: 'Search devices, buildings and people' }).fill(light.serial)
    await found
    await expect(page.getByRole('dialog', { name: 'Search' }).getByRole('option').first()).toContainText(light.serial)
    expect(address.test(await page.getByRole('dialog', { name: 'Search' }).innerText())).toBe(!isHidden)
    const { data } = await ask(page, searchEverything, { body: { tenant, search: town } })
    const { devices } = data as { devices: { total: number } }
    expect(devices.total > 0).toBe(!isHidden)

    const listing = 'EmergencyLights'
    for (const fieldId of ['address', 'postcode'] as const) {
      const choices = await ask(page, getFieldChoices, { body: { tenant, listing, fieldId } })
      expect(choices.status).toBe(isHidden ? 400 : 200)
      const file = await ask(page, exportListing, { body: { tenant, listing, columns: ['serial', fieldId] } })
      expect(file.status).toBe(isHidden ? 400 : 200)
    }
    const pathsWithAddress = await recorded.all()
    if (isHidden) expect(pathsWithAddress).toEqual([])
    else expect(pathsWithAddress).toEqual(expect.arrayContaining(['/api/FetchViewData', 'EmergencyLights', 'Boilers']))
  })
