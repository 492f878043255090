import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getProperty, putPropertyDetails } from '@caretaker/contract/properties.ts'
import { loading } from '../../testing/device-screen.ts'
import { aHome, homePages } from '../../testing/examples/homes.ts'
import { expectCount } from '../../testing/expect.ts'
import { answer, hold, refuse } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const home = aHome()
const field = page.getByCss('dl > div').filter({ has: page.getByCss('dt').getByText('Property REF', { exact: true }) })
const button = (name: string) => field.getByRole('button', { name, exact: true })

/** Opens a property, whose reference another user may change at any time, and edits it. */
async function edit(text: string) {
  const stored = { ...home }
  const portal = await openPortal(`/northgate/Properties/${home.propertyId}/info`, {
    features: ['PropertyCentric'],
    answers: [
      ...homePages(home),
      answer(getProperty, () => ({ ...stored })),
      answer(putPropertyDetails, ({ body }) => {
        Object.assign(stored, { propertyReference: body.propertyReference, version: stored.version + 1 })
        return { ...stored }
      }),
    ],
  })
  await expect.element(field, loading).toMatchTextContent('NG-0050')
  await page.getByRole('button', { name: 'Edit Property REF' }).click()
  await field.getByRole('textbox').fill(text)
  const changeByAnother = (propertyReference: string) =>
    Object.assign(stored, { propertyReference, version: stored.version + 1 })
  return { ...portal, changeByAnother, stored }
}

test('a value that another user changed in the meantime is a conflict with both values, and nothing is sent', async () => {
  const portal = await edit('MINE-1')
  portal.changeByAnother('THEIRS-1')
  await button('Save').click()
  await expect.element(field.getByRole('alert')).toMatchTextContent('Their value: THEIRS-1.')
  await expect.element(field.getByRole('textbox')).toHaveValue('MINE-1')
  expect(portal.sentTo(putPropertyDetails)).toEqual([])
  await button('Keep theirs').click()
  await expect.element(field).toMatchTextContent('THEIRS-1')
  expect(portal.sentTo(putPropertyDetails)).toEqual([])
})

test('in a conflict the user’s value is stored on request, unless the other value has changed again', async () => {
  const portal = await edit('MINE-2')
  portal.changeByAnother('THEIRS-2')
  await button('Save').click()
  await expect.element(field.getByRole('alert')).toMatchTextContent('THEIRS-2')
  portal.changeByAnother('THEIRS-3')
  await button('Save mine').click()
  await expect.element(field.getByRole('alert')).toMatchTextContent('THEIRS-3')
  expect(portal.sentTo(putPropertyDetails)).toEqual([])
  await button('Save mine').click()
  await expect.element(field).toMatchTextContent('Saved')
  expect(portal.stored.propertyReference).toBe('MINE-2')
})

test('a change of another field is no conflict', async () => {
  const portal = await edit('MINE-4')
  Object.assign(portal.stored, { numberOfRoom: 5, version: home.version + 1 })
  await button('Save').click()
  await expect.element(field).toMatchTextContent('Saved')
  expect(portal.sentTo(putPropertyDetails)).toMatchObject([{ body: { version: home.version + 1 } }])
})

test('a save that the server refuses as outdated shows the conflict', async () => {
  const portal = await edit('MINE-5')
  portal.use(refuse(putPropertyDetails, 'conflict'))
  await button('Save').click()
  await expect.poll(() => portal.sentTo(putPropertyDetails).length).toBe(1)
  portal.changeByAnother('THEIRS-5')
  await button('Cancel').or(button('Keep theirs')).click()
  await expectCount(field.getByRole('textbox'), 0)
})

test('a field that is opened while another one is being saved stays open', async () => {
  const portal = await edit('MINE-6')
  const held = hold(putPropertyDetails, answer(putPropertyDetails, { ...home, propertyReference: 'MINE-6' }))
  portal.use(held)
  await button('Save').click()
  await expect.poll(() => portal.sentTo(putPropertyDetails).length).toBe(1)
  await page.getByRole('button', { name: 'Edit Access rights tag' }).click()
  const tag = page.getByRole('combobox', { name: 'Access rights tag' })
  await expect.element(tag).toBeVisible()
  held.release()
  await expect.element(field).toMatchTextContent('Saved')
  await expect.element(tag).toBeVisible()
})
