import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { PartsRow } from '@caretaker/contract/parts.ts'
import { getPartsList } from '@caretaker/contract/parts.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { expectTexts } from '../../../testing/expect.ts'
import { deviceList, listedDevices } from '../../../testing/examples/device-list.ts'
import { viewDefinitions } from '../../../testing/examples/views.ts'
import { answer } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'

const light = (name: string, building: string, reason: string): PartsRow['lights'][number] => ({
  ...{ deviceId: name, name, serial: `EM ${name}`, buildingId: building, building, floor: null, room: null, reason },
})
const rows: PartsRow[] = [
  {
    ...{ buildingId: 'a', building: 'Alder House', part: 'Lamp', model: null, quantity: 1 },
    lights: [light('Landing', 'Alder House', 'Lamp T0')],
  },
  {
    ...{ buildingId: 'b', building: 'Beech Hill Court', part: 'Battery', model: 'NiCd 3.6 V, 4 Ah', quantity: 2 },
    lights: [light('Hall', 'Beech Hill Court', 'Battery T180'), light('Stair', 'Beech Hill Court', 'Battery T180')],
  },
]
const parts = (some: PartsRow[]) =>
  answer(getPartsList, { rows: some, lights: some.length + 1, hasMore: false, at: '2026-11-28T15:34:00Z' })
const failed = listings.EmergencyLights.presets.find(({ id }) => id === 'failed')!.filters

test('the parts list shows the parts that failed lights need per building, and the quantities for the van', async () => {
  const portal = await openPortal('/northgate/EmergencyLights/Parts', {
    role: 'LightingEngineer',
    answers: [parts(rows), ...viewDefinitions()],
  })
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Parts list')
  await expect.element(page.getByText('3 parts for 3 failed lights in 2 buildings')).toBeVisible()
  await expectTexts(page.getByRole('table', { name: 'Parts by building' }).getByCss('tbody tr'), [
    /Alder House.*Lamp.*Model not entered.*1.*Landing Lamp T0/s,
    /Beech Hill Court.*Battery.*NiCd 3\.6 V, 4 Ah.*2.*Hall Battery T180, Stair Battery T180/s,
  ])
  await expect
    .element(page.getByRole('region', { name: 'For the van' }))
    .toMatchTextContent(/For the van 3\s*Batteries\s*2/)
  await expect.element(page.getByText('1 light has no lamp model')).toBeVisible()
  await expect.element(page.getByText('As at 28/11/2026, 15:34 GMT')).toBeVisible()
  expect(portal.sentTo(getPartsList)[0]!.body.filters).toEqual(failed)
  expect(document.title).toMatch(/^Parts list – /)
})

test('the listing of lights leads to the parts of the filtered lights', async () => {
  const filter = { fieldId: 'building', filterOp: 'equals', value: 'Beech Hill Court' }
  const address = `/northgate/EmergencyLights?filters=${encodeURIComponent(JSON.stringify([filter]))}`
  const portal = await openPortal(address, {
    answers: [...deviceList(listedDevices(2)), ...viewDefinitions(), parts([])],
  })
  await page.getByRole('button', { name: 'Parts list' }).click()
  await expect.element(page.getByText('No parts needed')).toBeVisible()
  expect(portal.sentTo(getPartsList).at(-1)!.body.filters).toEqual([...failed, filter])
  await expect.element(page.getByRole('button', { name: 'Export to Excel' })).toBeDisabled()
})

test('users without access to lights see no parts', async () => {
  const portal = await openPortal('/northgate/EmergencyLights/Parts', {
    role: 'BoilerEngineer',
    answers: [parts(rows)],
  })
  await expect.element(page.getByText("You don't have permission.")).toBeVisible()
  expect(portal.sentTo(getPartsList)).toEqual([])
})
