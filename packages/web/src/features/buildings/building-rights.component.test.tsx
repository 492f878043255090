import { describe, expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  getBuilding,
  getFloorPlan,
  getTenantBuildings,
  getTenantBuildingSummary,
} from '@caretaker/contract/buildings.ts'
import { getFloorDevices } from '@caretaker/contract/devices.ts'
import { expectConsoleError } from '../../testing/console.ts'
import { expectCount } from '../../testing/expect.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { main } from '../../testing/screen.ts'

const building = '11111111-1111-4111-8111-111111111111'
const floor = '33333333-3333-4333-8333-333333333333'
const storedBuilding = {
  ...{
    building,
    name: 'Calder Wharf',
    lat: 53.68,
    lng: -1.49,
    defaultFloor: floor,
    address: '1 Mill Lane',
    version: 1,
  },
  floors: [
    {
      ...{ floor, number: 0, name: 'Ground floor', lat: 53.68, lng: -1.49, width: 30, height: 15, rotation: 0 },
      ...{ image: 'ground.svg', hasFloorPlan: true, planId: floor, version: 1 },
    },
    {
      ...{ floor: building, number: 1, name: 'First', lat: null, lng: null, width: 30, height: 15, rotation: 0 },
      ...{ image: '', hasFloorPlan: false, planId: null, version: 1 },
    },
  ],
}
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10"/></svg>'
const light = {
  ...exampleOf(getFloorDevices)[0]!,
  ...{ deviceId: floor, deviceName: 'Hall', lat: 53.68, long: -1.49, mayPlace: false },
}
const answers: ServerAnswer[] = [
  answer(getTenantBuildingSummary, [
    { ...exampleOf(getTenantBuildingSummary)[0]!, building: { building, name: 'Calder Wharf' } },
  ]),
  answer(getTenantBuildings, [storedBuilding]),
  answer(getBuilding, { ...storedBuilding, counts: [] }),
  answer(getFloorDevices, [light]),
  { route: getFloorPlan, respond: () => new Response(drawing, { headers: { 'content-type': 'image/svg+xml' } }) },
]
const add = page.getByRole('link', { name: 'Add a building' })
const image = page.getByCss('img[data-plan]')
const pin = page.getByCss('[data-marker]').first()

describe('the list of buildings', () => {
  test('shows a guest an empty state without buttons [est-2.1-15]', async () => {
    await openPortal('/northgate/Buildings', { role: 'Guest', answers: [answer(getTenantBuildingSummary, [])] })
    await expect.element(page.getByText('No buildings!')).toBeVisible()
    await expect.element(main.getByRole('link')).not.toBeInTheDocument()
  })

  test.each(['Manager', 'LightingEngineer'] as const)('can be added to by %s [est-2.1-10]', async (role) => {
    await openPortal('/northgate/Buildings', { role, answers })
    await expect.element(add).toBeVisible()
  })
})

describe('a guest', () => {
  test('sees the position of a plan and has no controls to move or save it [core-2.4-44]', async () => {
    await openPortal(`/northgate/PositionFloor?building=${building}&floor=0`, { role: 'Guest', answers })
    await expect.element(image).toBeVisible()
    await expect.element(page.getByText('You can see the position of the plan but cannot move it')).toBeVisible()
    await expect.element(page.getByRole('application', { name: /^Plan of/ })).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: /^(Save|Match)$/ })).not.toBeInTheDocument()
    await expect.element(page.getByRole('textbox', { name: 'Width' })).toBeDisabled()
  })

  test('sees where devices are and cannot move them', async () => {
    await openPortal(`/northgate/FloorPlan/Place?building=${building}&floor=0`, { role: 'Guest', answers })
    await expect.element(image).toBeVisible()
    await expect.element(pin).toBeVisible()
    await expect.element(page.getByText('You can see where devices are but cannot place them.')).toBeVisible()
    await expectCount(page.getByCss('[data-draggable], [data-grip]'), 0)
    await expectCount(page.getByRole('button', { name: /^(Add devices|Lay out|Done)/ }), 0)
    ;(pin.element() as HTMLElement).focus()
    await userEvent.keyboard('{Enter}')
    await expectCount(page.getByRole('button', { name: /, being placed\./ }), 0)
  })

  test('cannot change buildings or floors', async () => {
    await openPortal(`/northgate/Buildings/${building}`, { role: 'Guest', answers })
    await expect.element(page.getByRole('table', { name: 'Floors' })).toBeVisible()
    const changing = /^(Upload|Save Building|Add floor|Position Building|Edit name|Remove)/
    await expectCount(page.getByRole('button', { name: changing }), 0)
  })
})

test.each([
  ['no floor of that number', `building=${building}&floor=7`, 'has no such floor'],
  ['a floor without a plan', `building=${building}&floor=1`, 'has no floor plan yet'],
] as const)('the editor of a plan says what is wrong with its address: %s', async (_name, query, text) => {
  await openPortal(`/northgate/PositionFloor?${query}`, { answers })
  await expect.element(page.getByText(text, { exact: false })).toBeVisible()
})

test.each(['PositionFloor', 'FloorPlan/Place'])('%s of no building of this client says so', async (at) => {
  expectConsoleError('404')
  const none = [answer(getTenantBuildings, []), refuse(getBuilding, 'not found')]
  await openPortal(`/northgate/${at}?building=${building}&floor=0`, { answers: none })
  await expect.element(page.getByText('Building not found', { exact: false })).toBeVisible()
})
