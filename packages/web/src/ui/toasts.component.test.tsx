import { expect, test, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { addTagToDevice } from '@caretaker/contract/actions.ts'
import { exportListing } from '@caretaker/contract/devices.ts'
import { statusText } from '@caretaker/contract/error-texts.ts'
import { listUsers } from '@caretaker/contract/people.ts'
import { getProductNames } from '@caretaker/contract/products.ts'
import { getTenantTags, tenantCreateTag } from '@caretaker/contract/tags.ts'
import { lifeOf, pass, passUntil, stopClock } from '../testing/clock.ts'
import { expectConsoleError } from '../testing/console.ts'
import { idOf, lightPage, listingsOf, rowsOf } from '../testing/examples/devices.ts'
import { expectCount } from '../testing/expect.ts'
import { answer, answerStatus, refuse } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'
import { rows, toast, loading } from '../testing/device-screen.ts'

const refusal = 'Not today'
const dialog = page.getByRole('dialog')

/** A page on which a button shows a toast, with toast animations. */
async function refusedTag(): Promise<() => Promise<void>> {
  await openPortal('/northgate/Settings/tags', {
    hasMotion: true,
    answers: [refuse(tenantCreateTag, 'refused', { message: refusal })],
  })
  await expect.element(page.getByRole('button', { name: 'Add tag' }), loading).toBeVisible()
  await page.getByRole('button', { name: 'Add tag' }).click()
  let names = 0
  return async () => {
    // A refused name is not sent again.
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Another${++names}`)
    await dialog.getByRole('button', { name: 'Add' }).click()
  }
}

test('a toast slides in [core-4.4-15 est-2.7-8]', async () => {
  const press = await refusedTag()
  const sliding = new Promise<string[]>((resolve) => {
    const look = () => {
      const shown = document.querySelector('.mantine-Notification-root')
      const moving = shown?.getAnimations().map((one) => (one as CSSTransition).transitionProperty) ?? []
      if (moving.length > 0) resolve(moving)
      else requestAnimationFrame(look)
    }
    look()
  })
  await press()
  expect(await sliding).toContain('transform')
})

test('a toast disappears after four seconds [core-4.4-16 est-2.7-9]', async () => {
  const press = await refusedTag()
  const life = await lifeOf(toast(refusal), press)
  // Including its animation.
  expect(life).toBeGreaterThanOrEqual(4_450)
  expect(life).toBeLessThanOrEqual(4_650)
})

test('a dismissed toast takes about 550 ms to disappear [est-9-18]', async () => {
  const press = await refusedTag()
  stopClock()
  await press()
  await passUntil(() => toast(refusal).query() !== null)
  await pass(1_000)
  await toast(refusal).getByText(refusal).click()
  const life = await passUntil(() => toast(refusal).query() === null)
  expect(life).toBeGreaterThanOrEqual(450)
  expect(life).toBeLessThanOrEqual(650)
})

test('a toast that offers to undo disappears after the same four seconds', async () => {
  await openPortal(`/northgate/EmergencyLights/${idOf(1)}`, {
    hasMotion: true,
    answers: [
      ...lightPage(),
      answer(getTenantTags, { tags: [{ id: idOf(11), name: 'Stairwell' }], alerts: [] }),
      answer(addTagToDevice, { tags: [], accessRightsTag: null, version: 2 }),
    ],
  })
  await expect.element(page.getByRole('button', { name: 'Add tag' }), loading).toBeVisible()
  await page.getByRole('button', { name: 'Add tag' }).click()
  await expect.element(page.getByRole('option', { name: 'Stairwell' })).toBeVisible()
  const offer = toast('Request Successful')
  const life = await lifeOf(offer, () => page.getByRole('option', { name: 'Stairwell' }).click())
  expect(life).toBeGreaterThanOrEqual(4_000)
  expect(life).toBeLessThanOrEqual(4_700)
})

test('a dialog takes 300 ms to disappear and cannot be used meanwhile [est-9-1]', async () => {
  await refusedTag()
  await expect.element(dialog).toBeVisible()
  const leaving = page.getByCss('[data-leaving]')
  stopClock()
  await userEvent.keyboard('{Escape}')
  await passUntil(() => leaving.query() !== null)
  expect(dialog.query()).toBeNull()
  const shown = leaving.element() as HTMLElement
  expect(shown.inert).toBe(true)
  expect(getComputedStyle(shown).animationDuration).toBe('0.3s')
  const life = await passUntil(() => leaving.query() === null)
  expect(life).toBeGreaterThanOrEqual(200)
  expect(life).toBeLessThanOrEqual(350)
})

test('a toast is dismissed by a click anywhere on it [core-4.4-18 est-2.7-11]', async () => {
  const press = await refusedTag()
  await press()
  await toast(refusal).hover()
  await toast(refusal).getByText(refusal).click()
  stopClock()
  await pass(650)
  await expectCount(toast(refusal), 0)
})

test('a success message is shown for two seconds [core-9-1 dev-9const-12]', async () => {
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await openPortal('/northgate/Support')
  const copy = page.getByRole('button', { name: 'Copy the build information' })
  await expect.element(copy, loading).toBeVisible()
  const life = await lifeOf(page.getByRole('status').filter({ hasText: 'Copied' }), () => copy.click())
  expect(life).toBeGreaterThanOrEqual(1_900)
  expect(life).toBeLessThanOrEqual(2_300)
  expect(copied.mock.calls).toEqual([[expect.stringMatching(/^Build .+, commit .+, branch .+$/)]])
  copied.mockRestore()
})

test('product names are loaded by their call, and a toast reports a failure [core-8-15]', async () => {
  expectConsoleError('500')
  const text = 'An error occurred while fetching productNames.'
  const address = `/northgate/EmergencyLights/${idOf(1)}`
  const names = answer(getProductNames, { results: [{ productCode: 'EM', name: 'Glow worm' }] })
  await openPortal(address, { answers: [...lightPage(), names] })
  await expect.element(page.getByRole('definition').getByText('Glow worm'), loading).toBeVisible()
  await expectCount(toast(text), 0)
  await openPortal(address, { answers: [...lightPage(), answerStatus(getProductNames, 500)] })
  await expect.element(toast(text)).toBeVisible()
})

test('a page that fails to load again while its error is shown adds no second toast [core-8-33]', async () => {
  expectConsoleError('500')
  const portal = await openPortal('/northgate/Users', { answers: [answerStatus(listUsers, 500)] })
  const text = 'An error occurred while fetching users.'
  await expect.element(toast(text), loading).toBeVisible()
  const asked = portal.sentTo(listUsers).length
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect.poll(() => portal.sentTo(listUsers).length).toBeGreaterThan(asked)
  await expect.element(page.getByText('Failed to Load')).toBeVisible()
  await expectCount(toast(text), 1)
})

test.each([500, 503])(
  'a failed call without a text of its own shows the text of its status %i [est-8-18]',
  async (status) => {
    expectConsoleError(String(status))
    const portal = await openPortal('/northgate/EmergencyLights', {
      answers: [...listingsOf(rowsOf(2)), answerStatus(exportListing, status)],
    })
    const exportAsCsv = async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'CSV' }).click()
    }
    await expect.element(rows.first(), loading).toBeVisible()
    await exportAsCsv()
    await expect.element(toast(statusText(status))).toHaveRole('alert')
    // A server message takes precedence over the status text.
    portal.use(answerStatus(exportListing, status, JSON.stringify({ message: refusal })))
    await exportAsCsv()
    await expect.element(toast(refusal)).toBeVisible()
  },
)
