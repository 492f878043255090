import { expect, test } from 'vitest'
import { getTenantSetup, setUnknownMetrics } from '@caretaker/contract/tenant-administration.ts'
import { loading } from '../../testing/device-screen.ts'
import { toasts } from '../../testing/list-screen.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer, answerStatus, exampleOf, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { main } from '../../testing/screen.ts'

const place = '/northgate/Settings/Tenants/southbank'
const field = main.getByRole('switch', { name: 'Keep unknown metrics' })
const setup = (keepsUnknownMetrics: boolean) => ({
  ...exampleOf(getTenantSetup),
  keepsUnknownMetrics,
  suspension: null,
  timeZone: 'Europe/London',
})

test('the switch for unknown metrics shows the stored value and stores the new one', async () => {
  let isOn = false
  const done = answerStatus(setUnknownMetrics, 200)
  const store: ServerAnswer = {
    route: setUnknownMetrics,
    respond: (sent) => {
      isOn = (sent.body as unknown as { areKept: boolean }).areKept
      return done.respond(sent)
    },
  }
  const portal = await openPortal(place, {
    role: 'Developer',
    answers: [answer(getTenantSetup, () => setup(isOn)), store],
  })
  await expect.element(field, loading).not.toBeChecked()
  await field.click()
  await expect.element(field).toBeChecked()
  await expect.element(field).toBeEnabled()
  await field.click()
  await expect.element(field).not.toBeChecked()
  expect(portal.sentTo(setUnknownMetrics).map(({ body }) => body.areKept)).toEqual([true, false])
})

test('a refused change of unknown metrics shows an error, and the switch shows the stored value', async () => {
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
