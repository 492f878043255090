import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { getTenantBuildings } from '@caretaker/contract/buildings.ts'
import type { GroupRow } from '@caretaker/contract/groups.ts'
import {
  addEmeredGroup,
  deleteEmeredGroup,
  getConflictingTestSchedules,
  getEmeredGroup,
  getEmeredGroups,
  getTenantEmereds,
} from '@caretaker/contract/groups.ts'
import { dialog } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { button, main } from '../../testing/screen.ts'

const address = '/northgate/EmergencyLightSchedules'
const building = '11111111-1111-4111-8111-111111111111'
const floor = '33333333-3333-4333-8333-333333333333'
const lightId = '44444444-4444-4444-8444-444444444444'
const hour = '2026-11-28T15:00'

const group: GroupRow = {
  ...{ groupId: '55555555-5555-4555-8555-555555555555', groupName: 'Calder Wharf east', building },
  ...{ buildingName: 'Calder Wharf', t180StartDate: '2026-12-05T02:00', alsoTypes: [], version: 1, address: '' },
  ...{ lights: 1, passed: 1, warning: 0, failed: 0, next: [], missed: null },
}

/** A server on which Monday is free and the current hour needs confirmation. */
function server(groups: GroupRow[]): ServerAnswer[] {
  const light = {
    ...{ deviceId: lightId, deviceName: 'Stair A', deviceProductId: 'EM', serialNumber: 'EM1', deviceStatus: 'Ok' },
    ...{ connectionStatus: 'Connected', building, buildingName: 'Calder Wharf', floor, floorName: 'Ground floor' },
    ...{ floorNumber: 0, room: null, lat: null, lng: null, groupName: null },
  }
  return [
    answer(getEmeredGroups, { groups, collisions: [], ungrouped: 1, hour }),
    answer(getTenantBuildings, [
      {
        ...exampleOf(getTenantBuildings)[0]!,
        ...{ building, name: 'Calder Wharf' },
        floors: [],
      },
    ]),
    answer(getTenantEmereds, [
      light as never,
      ...['b', 'c', 'd'].map(
        (letter) =>
          ({
            ...light,
            deviceId: `44444444-4444-4444-8444-44444444444${letter}`,
            deviceName: `Stair ${letter}`,
            groupName: letter === 'd' ? 'Calder Wharf west' : 'Calder Wharf east',
          }) as never,
      ),
    ]),
    answer(getConflictingTestSchedules, ({ body }) => ({
      ...{ fault: null, conflicts: [], runs: [], t180: null, night: null, freeStarts: [] },
      moved:
        body.t180StartDate === '2027-03-28T01:30' ? '28/03/2027 has no 01:30. The test starts at 02:30 BST.' : null,
      question:
        body.t180StartDate === hour
          ? {
              ...{ isSoon: true, isByDay: true, lights: 1 },
              ...{ from: '2026-11-28T15:34:00.000Z', to: '2026-11-28T18:34:00.000Z' },
              chargedBy: '2026-11-29T18:34:00.000Z',
              title: 'If the power fails, 1 light on 1 floor goes dark',
              text: 'The test drains the batteries from 15:34 to 18:34 today.',
              floors: [{ floorName: 'Ground floor', lights: 1 }],
              charging: [{ deviceId: lightId, deviceName: 'Stair A', until: '2026-11-29T02:00:00.000Z' }],
            }
          : null,
      nights: [
        {
          ...{ t180StartDate: '2026-11-29T02:00', from: '2026-11-29T02:00:00.000Z', isFree: false },
          taken: [
            { groupName: 'Calder Wharf east', testType: 'T5' as const, lights: 6 },
            { groupName: 'Calder Wharf west', testType: 'T5' as const, lights: 2 },
          ],
          ...{ charging: 0, isDark: false },
        },
        {
          ...{ t180StartDate: '2026-11-30T02:00', from: '2026-11-30T02:00:00.000Z', isFree: true },
          ...{ taken: [], charging: 0, isDark: false },
        },
      ],
      freeNight: '2026-11-30T02:00',
    })),
  ]
}

const start = dialog.getByLabelText('T180 start')
const question = page.getByRole('dialog', { name: 'Start the 3-hour test now?' })

async function fillIn() {
  await main.getByRole('button', { name: 'Add Group' }).first().click()
  await dialog.getByRole('textbox', { name: 'Group Name' }).fill('Stairs')
  await dialog.getByLabelText('Building').fill('Calder Wharf')
  await button('Add: Stair A').click()
}

test('the start is the current hour, and one click takes the next free night [dev-2groups-8]', async () => {
  await openPortal(address, { answers: server([]) })
  await fillIn()
  await expect.element(start).toHaveTextContent('28/11/2026 15:00')
  await expect
    .element(
      dialog.getByText('29 November: 6 lights already run a T5 with Calder Wharf east, 2 with Calder Wharf west'),
    )
    .toBeVisible()
  await expect.element(page.getByRole('radio', { name: 'Start now' })).toBeChecked()
  await expect.element(dialog.getByText('Monday 30 November 2026, 02:00')).toBeVisible()
  await expect.element(dialog.getByText('Until 05:00 GMT. No collisions.')).toBeVisible()
  const free = page.getByRole('radio', { name: 'Next free night at 02:00' })
  await free.click()
  await expect.element(free).toBeChecked()
  await expect.element(start).toHaveTextContent('30/11/2026 02:00')
  await expect.element(button(', Monday 30 November 2026')).toHaveAttribute('aria-pressed', 'true')
  // An occupied night can be chosen, as another night.
  await button(', Sunday 29 November 2026').click()
  await expect.element(page.getByRole('radio', { name: 'Another night' })).toBeChecked()
  await expect.element(start).toHaveTextContent('29/11/2026 02:00')
  await page.getByRole('radio', { name: 'Start now' }).click()
  await expect.element(start).toHaveTextContent('28/11/2026 15:00')
})

test('entries for a group survive Escape and a reload, and are deleted once discarded', async () => {
  await openPortal(address, { answers: server([]) })
  await fillIn()
  await expect.element(dialog).toMatchTextContent('Draft saved in this browser')
  await userEvent.keyboard('{Escape}')
  await openPortal(address, { answers: server([]), isReload: true })
  await main.getByRole('button', { name: 'Add Group' }).first().click()
  await expect.element(dialog.getByRole('textbox', { name: 'Group Name' })).toHaveValue('Stairs')
  await expect.element(dialog.getByRole('tab', { name: /Devices/ })).toBeVisible()
  await expect.element(dialog).toMatchTextContent('1 added: 1 light')
  await button('Discard draft').click()
  await expect.element(dialog.getByRole('textbox', { name: 'Group Name' })).toHaveValue('')
})

test('a start in the current hour asks for confirmation and is sent with the reason', async () => {
  const sent: unknown[] = []
  await openPortal(address, {
    answers: [
      ...server([]),
      answer(addEmeredGroup, ({ body }) => {
        sent.push(body.confirmation)
        return exampleOf(addEmeredGroup)
      }),
    ],
  })
  await fillIn()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect.element(question.getByText('If the power fails, 1 light on 1 floor goes dark')).toBeVisible()
  await expect.element(question.getByText('1 light is still charging and is left out')).toBeVisible()
  const go = question.getByRole('button', { name: 'Start test on 1 light' })
  await expect.element(go).toBeDisabled()
  await question.getByRole('textbox', { name: 'Reason' }).fill('The building is empty')
  await expect.element(go).toBeDisabled()
  await question.getByLabelText('The responsible person has agreed to a daytime test').click()
  expect(sent).toEqual([])
  await go.click()
  await expect.poll(() => sent).toEqual([{ reason: 'The building is empty', agreed: true }])
})

test('the question offers the free night instead, which does not save yet', async () => {
  const portal = await openPortal(address, { answers: server([]) })
  await fillIn()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const instead = question.getByRole('button', { name: 'Use Monday at 02:00 instead' })
  await expect.element(instead).toHaveFocus()
  await instead.click()
  await expect.element(start).toHaveTextContent('30/11/2026 02:00')
  expect(portal.sentTo(addEmeredGroup)).toHaveLength(0)
})

test('deleting a group with a running test shows a warning and offers to stop the test', async () => {
  const full = {
    ...exampleOf(getEmeredGroup),
    running: [
      {
        ...{ testType: 'T180' as const, lights: 5 },
        ...{ startedAt: '2026-11-28T02:00:00.000Z', endsAt: '2026-11-28T05:00:00.000Z' },
      },
    ],
  }
  const portal = await openPortal(address, { answers: [...server([group]), answer(getEmeredGroup, full)] })
  await button('Delete Group: Calder Wharf east').click()
  await expect
    .element(dialog.getByText(/^3-hour test \(T180\): (running since|started at) .*02:00, .*, 5 lights\./))
    .toBeVisible()
  await dialog.getByLabelText('Stop the running test').click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => portal.sentTo(deleteEmeredGroup).length).toBe(1)
  expect(portal.sentTo(deleteEmeredGroup)[0]!.body).toMatchObject({ groupName: 'Calder Wharf east', stopTest: true })
})

test('the view of a group deleted by someone else shows that', async () => {
  await openPortal(address, { answers: [...server([group]), refuse(getEmeredGroup, 'not found')] })
  await expect.element(main.getByText('This group was deleted')).toBeVisible()
})

test('lights of another group are shown with its name', async () => {
  await openPortal(address, { answers: server([]) })
  await fillIn()
  const section = dialog.getByRole('region', { name: 'Another group' })
  await expect.element(section.getByText('Calder Wharf east 2, Calder Wharf west 1')).toBeVisible()
  await expect.element(section.getByText('EM1 · Ground floor, Calder Wharf west')).toBeVisible()
  await expect.element(dialog.getByRole('list', { name: 'Legend' })).toMatchTextContent('Calder Wharf east 2')
})

test('the report of groups has readable headings', async () => {
  let saved: Blob | undefined
  const create = URL.createObjectURL
  URL.createObjectURL = (file) => {
    saved = file as Blob
    return create(file)
  }
  try {
    await openPortal(address, { answers: server([group]) })
    await button('Download report').click()
    await expect.poll(() => saved).toBeDefined()
    const [head, row] = (await saved!.text()).split('\r\n')
    expect(head).toContain('"Group","Building","Lights","Passed","Warning","Failed","T180 start","Next test"')
    expect(row).toContain('"Calder Wharf east","Calder Wharf","1","1","0","0","05/12/2026 02:00"')
  } finally {
    URL.createObjectURL = create
  }
})

test('a listing without a view opens the built-in view', async () => {
  const portal = await openPortal('/northgate/EmergencyLights/Listing')
  await expect.poll(portal.address).toBe('/northgate/EmergencyLights')
  await portal.go('/northgate/Boilers/Listing')
  await expect.poll(portal.address).toBe('/northgate/Boilers')
})
