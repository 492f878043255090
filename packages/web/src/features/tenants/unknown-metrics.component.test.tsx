import { expect, test } from 'vitest'
import { getTenantSetup, setUnknownMetrics } from '@caretaker/contract/tenant-administration.ts'
import { toasts } from '../../testing/list-screen.ts'
import { answer, exampleOf, refuse } from '../../testing/network.ts'
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
  let isOn = false
  const asked: boolean[] = []
  await openPortal(place, {
    role: 'Developer',
    answers: [
      answer(getTenantSetup, () => setup(isOn)),
      answer(setUnknownMetrics, ({ body }) => {
        asked.push(body.areKept)
        isOn = body.areKept
        return undefined
      }),
    ],
  })
  await expect.element(field).not.toBeChecked()
  await field.click()
  await expect.element(field).toBeChecked()
  await field.click()
  await expect.element(field).not.toBeChecked()
  expect(asked).toEqual([true, false])
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
