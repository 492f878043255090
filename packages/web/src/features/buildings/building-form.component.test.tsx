import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import {
  addBuilding,
  getBuilding,
  getTenantBuildings,
  getTenantBuildingSummary,
} from '@caretaker/contract/buildings.ts'
import { getMapBuildings } from '@caretaker/contract/maps.ts'
import { pass, stopClock } from '../../testing/clock.ts'
import { expectCount, expectTexts } from '../../testing/expect.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import type { Portal } from '../../testing/portal.tsx'
import { openPortal } from '../../testing/portal.tsx'
import { sidebar } from '../../testing/screen.ts'

const building = '11111111-1111-4111-8111-111111111111'
const floorIds = ['33333333-3333-4333-8333-333333333330', '33333333-3333-4333-8333-333333333331']
const storedBuilding = {
  ...{ building, name: 'Beck Court', lat: 53.72, lng: -1.87, defaultFloor: floorIds[0]!, address: 'HX1 5TX' },
  version: 1,
  floors: ['0', 'First'].map((name, number) => ({
    ...{ floor: floorIds[number]!, number, name, lat: null, lng: null, width: 30, height: 15, rotation: 0 },
    ...{ image: '', hasFloorPlan: false, planId: null, version: 1 },
  })),
}
const answers: ServerAnswer[] = [
  answer(getTenantBuildingSummary, [
    { ...exampleOf(getTenantBuildingSummary)[0]!, building: { building, name: 'Beck Court' } },
  ]),
  answer(getTenantBuildings, [storedBuilding]),
  answer(getBuilding, { ...storedBuilding, counts: [] }),
  answer(getMapBuildings, { ...exampleOf(getMapBuildings), clusters: [] }),
]

const name = page.getByLabelText('Building name')
const floors = page.getByRole('table', { name: 'Floors' }).getByCss('tbody tr')
const floorName = page.getByRole('textbox', { name: 'Floor name' })
const defaultFloor = page.getByRole('combobox', { name: 'Default floor' })
const press = (text: string) => page.getByRole('button', { name: text, exact: true }).click()

async function openForm(...more: ServerAnswer[]): Promise<Portal> {
  const portal = await openPortal('/northgate/Buildings/Add', { answers: [...answers, ...more] })
  await expect.element(name).toBeVisible()
  return portal
}

async function openBuilding(...more: ServerAnswer[]): Promise<Portal> {
  const portal = await openPortal(`/northgate/Buildings/${building}`, { answers: [...answers, ...more] })
  await expectCount(floors, 2)
  return portal
}

test('a name in use is reported one second after the last keystroke, not before [est-5-2 est-5-5]', async () => {
  const portal = await openForm()
  await expect.poll(() => portal.sentTo(getTenantBuildingSummary).length).toBeGreaterThan(0)
  const inUse = page.getByText('Name is already being used')
  await name.click()
  stopClock()
  await userEvent.keyboard('BECK  court')
  await pass(900)
  await expect.element(inUse).not.toBeInTheDocument()
  await pass(200)
  await expect.element(inUse).toBeVisible()
})

test('a new building starts with the floor 0, and further floors are named by their index [est-2.1-26 est-2.1-27 est-2.1-38 est-2.1-39 est-2.1-42 est-3-5]', async () => {
  await openForm()
  await expectTexts(floors.getByCss('td:first-child b'), ['0'])
  await expect.element(defaultFloor).toHaveValue('0')
  await press('Add floor')
  await expect.element(floorName).toHaveFocus()
  await expect.element(floorName).toHaveValue('1')
  await floorName.fill('First')
  await press('Save')
  await expect.element(floorName).not.toBeInTheDocument()
  await expect.poll(() => floors.elements().map((row) => row.querySelector('td b')?.textContent)).toContain('First')
})

test('a floor is renamed, left as it was, and removed in its row [est-2.1-32 est-2.1-40 est-2.1-41 est-2.1-43]', async () => {
  await openBuilding()
  await expect.element(floorName).not.toBeInTheDocument()
  await press('Edit name: First')
  await floorName.fill('Loft')
  await press('Cancel')
  await expect.poll(() => floors.elements().map((row) => row.querySelector('td b')?.textContent)).toContain('First')
  await press('Edit name: First')
  await floorName.fill('Attic')
  await press('Save')
  await expect.element(page.getByText('1 floor renamed, not saved')).toBeVisible()
  await press('Add floor')
  await press('Save')
  await expectCount(floors, 3)
  await press('Remove: 2')
  await expectCount(floors, 2)
})

test('changes are lost only after a confirmation or by the Discard button [est-2.1-22 est-2.1-34]', async () => {
  const portal = await openBuilding()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await press('Add floor')
  await press('Save')
  await sidebar.getByRole('link', { name: 'Buildings' }).click()
  await expect.element(question).toBeVisible()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect.poll(portal.address).toBe(`/northgate/Buildings/${building}`)
  await expectCount(floors, 3)
  await press('Back')
  await expect.poll(portal.address).toBe('/northgate/Buildings')
  await portal.go('/northgate/Buildings/Add')
  await name.fill('Never made')
  await press('Back')
  await expect.poll(portal.address).toBe('/northgate/Buildings')
  expect(portal.sentTo(addBuilding)).toEqual([])
})
