import { expect, test } from 'vitest'
import { getTenantSetup, setUnknownMetrics } from '@caretaker/contract/tenant-administration.ts'
import { toasts } from '../../testing/list-screen.ts'
import { answer, answerStatus, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { main } from '../../testing/screen.ts'

const place = '/northgate/Settings/Tenants/southbank'
const field = main.getByRole('switch', { name: 'Keep unknown metrics' })
const setup = (keepsUnknownMetrics: boolean) => ({
  ...exampleOf(getTenantSetup),
  keepsUnknownMetrics,
  suspension: null,
})

test('the switch for unknown metrics shows what is stored, and stores the other', async () => {
  const sent: boolean[] = []
  const portal = await openPortal(place, {
    role: 'Developer',
    answers: [answer(getTenantSetup, () => setup(sent.at(-1) ?? false)), answerStatus(setUnknownMetrics, 204)],
  })
  for (const areKept of [true, false]) {
    sent.push(areKept)
    await field.click()
    await expect.poll(() => portal.sentTo(setUnknownMetrics).map(({ body }) => body.areKept)).toEqual(sent)
    await (areKept ? expect.element(field).toBeChecked() : expect.element(field).not.toBeChecked())
  }
})

test('a refused change of unknown metrics is named, and the switch shows what is stored', async () => {
  await openPortal(place, {
    role: 'Developer',
    answers: [answer(getTenantSetup, setup(true)), refuse(setUnknownMetrics, 'forbidden')],
  })
  await field.click()
  await expect.element(toasts.first()).toBeVisible()
  await expect.element(field).toBeChecked()
})

test('a manager of a client does not see the switch for unknown metrics', async () => {
  await openPortal(place, { answers: [answer(getTenantSetup, setup(true))] })
  await expect.element(main.getByText("You don't have permission.")).toBeVisible()
  expect(field.elements()).toHaveLength(0)
})
