import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import type { Resident } from '@caretaker/contract/residents.ts'
import {
  approveResidence,
  getResidentAppSettings,
  getResidents,
  revokeResidence,
  setResidentAppSettings,
} from '@caretaker/contract/residents.ts'
import type { Feature } from '@caretaker/rules/identity/features.ts'
import { passUntil, stopClock } from '../../../testing/clock.ts'
import { idOf } from '../../../testing/examples/devices.ts'
import { aHome, homePages } from '../../../testing/examples/homes.ts'
import { expectCount } from '../../../testing/expect.ts'
import { dialog, rows, toast } from '../../../testing/list-screen.ts'
import { answer, answerStatus, exampleOf, hold } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { main, refused } from '../../../testing/screen.ts'

const address = '/northgate/Settings/residents'
const features: Feature[] = ['ManageResidentAccess', 'ManageApplication', 'PropertyCentric']
const contacts = {
  residentAppContactEmail: 'help@northgate.example',
  residentAppContactPhoneNumber: '+441134960142',
  version: 1,
}

/** A resident who has requested one property, by number. */
function aResident(number: number, approved: boolean, more: Partial<Resident> = {}): Resident {
  return {
    auth0UserId: `auth0|${number}`,
    email: `resident${number}@home.example`,
    name: `Resident ${number}`,
    residences: [
      {
        ...exampleOf(getResidents).results[0]!.residences[0]!,
        ...{ residenceId: idOf(number), propertyReference: `NG-${number}`, address: `${number} Mill Lane`, approved },
      },
    ],
    savingsAndTipsAt: null,
    ...more,
  }
}
const waits = aResident(1, false)
const approved = aResident(2, true)
const listed = (...residents: Resident[]) => answer(getResidents, { results: residents })

function open(options: Parameters<typeof openPortal>[1] = {}, at = address) {
  return openPortal(at, {
    features,
    ...options,
    answers: [answer(getResidentAppSettings, contacts), listed(approved, waits), ...(options.answers ?? [])],
  })
}

const card = main.getByRole('region', { name: 'Support Contact Details' })
const email = card.getByLabelText('Support Email')
const phone = card.getByLabelText('Support Phone')
const country = card.getByRole('combobox', { name: 'Country' })
const save = card.getByRole('button', { name: 'Save' })

test('the support contacts show the stored values, and an empty phone number defaults to the United Kingdom [est-2.5-1] [est-2.5-2] [est-2.5-3] [est-2.5-4] [dev-2settings-5] [core-3-61] [core-3-62]', async () => {
  await open({ answers: [answer(getResidentAppSettings, { ...contacts, residentAppContactPhoneNumber: '' })] })
  await expect.element(phone).toHaveValue('')
  await expect.element(country).toHaveValue('+44')
  await expect.element(country).toHaveAttribute('title', 'United Kingdom')
  await expect.poll(() => document.title).toMatch(/^Resident app settings – /)
  await open()
  await expect.element(email).toHaveValue('help@northgate.example')
  await expect.element(phone).toHaveValue('1134960142')
  await expect.element(save).toBeDisabled()
})

test(
  'e-mail and phone number of the support contacts are checked as they are written [est-5-31] [est-5-32] [est-5-33] [est-5-34] [est-5-35] [est-5-36] [est-5-37] [est-5-42] [est-5-43] [core-5-26] [core-5-27] [est-5-54] [est-5-55]',
  { timeout: 60_000 },
  async () => {
    await open()
    const fault = (text: string) => card.getByText(text, { exact: true })
    await email.fill('')
    await userEvent.tab()
    await expect.element(fault('Email is required')).toBeVisible()
    await email.fill('help@northgate')
    await userEvent.tab()
    await expect.element(fault('Email is not valid')).toBeVisible()
    await expect.element(save).toBeDisabled()
    await email.fill('desk@northgate.example')
    await expectCount(fault('Email is not valid'), 0)
    await expect.element(save).toBeEnabled()
    await phone.fill('')
    await userEvent.tab()
    await expect.element(fault('Phone number is required')).toBeVisible()
    await expect.element(save).toBeDisabled()
    await phone.click()
    await userEvent.keyboard('11a3-4 x9')
    await expect.element(phone).toHaveValue('11349')
    await userEvent.tab()
    await expect.element(fault('Phone number is not valid')).toBeVisible()
    await expect.element(save).toBeDisabled()
    await phone.fill('')
    await phone.click()
    await userEvent.keyboard('1234567890123')
    await expect.element(phone).toHaveValue('123456789012')
  },
)

test('the dial code is picked from a list of at most 20rem that scrolls [est-5-56] [est-9-15]', async () => {
  await open()
  await country.click()
  const list = page.getByRole('listbox')
  await expect.element(list.getByRole('option', { name: 'Ireland +353' })).toBeInTheDocument()
  expect(list.getByRole('option').elements().length).toBeGreaterThan(200)
  const view = list.element().querySelector('.mantine-ScrollArea-viewport, [data-scrollbars]') ?? list.element()
  expect(view.clientHeight).toBeLessThanOrEqual(200)
  expect(view.scrollHeight).toBeGreaterThan(1000)
})

test('the support contacts are saved together, and Save is disabled while they are sent [est-7.3-2]', async () => {
  const pending = hold(
    setResidentAppSettings,
    answer(setResidentAppSettings, ({ body }) => ({ ...body, version: 2 })),
  )
  const portal = await open({ answers: [pending] })
  await email.fill('desk@northgate.example')
  await phone.fill('01134960188')
  await save.click()
  await expect.element(save).toBeDisabled()
  const body = {
    residentAppContactEmail: 'desk@northgate.example',
    residentAppContactPhoneNumber: '+441134960188',
    // The version that the form was opened with.
    version: 1,
  }
  await expect.poll(() => portal.sentTo(setResidentAppSettings)).toMatchObject([{ body }])
  pending.release()
  await expect.element(toast('Resident app settings saved successfully')).toBeVisible()
  await expect.element(save).toBeDisabled()
})

const filter = main.getByRole('radiogroup', { name: 'Residents shown' })
const choice = (name: string) => filter.getByText(new RegExp(`^${name} \\d+$`))
const row = (name: string) => rows.filter({ hasText: name })

test('residents are filtered by access, pending ones first, and the choice is in the address [est-2.5-5] [est-2.5-6] [est-2.5-7] [est-2.5-8] [est-2.5-9]', async () => {
  const portal = await open({ answers: [listed(approved, waits, aResident(3, true))] })
  await expectCount(rows, 3)
  await expectCount(filter.getByRole('radio'), 3)
  for (const [name, count] of [
    ['All', 3],
    ['Approved', 2],
    ['Waiting for approval', 1],
  ] as const)
    await expect.element(choice(name)).toMatchTextContent(new RegExp(`${count}$`))
  await expect.element(rows.first()).toMatchTextContent('Waiting for approval')
  await choice('Approved').click()
  await expectCount(rows, 2)
  await expectCount(main.getByRole('grid').getByText('Waiting for approval'), 0)
  await choice('Waiting for approval').click()
  await expectCount(rows, 1)
  await expectCount(main.getByRole('grid').getByText('Approved', { exact: true }), 0)
  await expect.poll(() => portal.address()).toContain('access=Waiting')
})

test.each([
  ['Approve', waits, approveResidence, 'Approving …', true],
  ['Revoke', approved, revokeResidence, 'Revoking …', false],
] as const)(
  '%s asks first, and one second after it was done the residents are loaded again [est-2.5-10] [est-2.5-11] [est-2.5-12] [est-2.5-13] [est-4-31]',
  async (verb, resident, route, updating, isApproved) => {
    const portal = await open()
    const one = row(resident.name!)
    const ask = () => one.getByRole('button', { name: new RegExp(`^${verb}: ${resident.name}`) }).click()
    await ask()
    await expect.element(dialog).toMatchTextContent(resident.name!)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expectCount(dialog, 0)
    expect(portal.sentTo(route)).toEqual([])
    await ask()
    const after = { ...resident, residences: [{ ...resident.residences[0]!, approved: isApproved }] }
    const asked: number[] = []
    let done = 0
    portal.use(
      answer(getResidents, () => {
        asked.push(Date.now())
        return { results: [after] }
      }),
      answer(route, () => {
        done = Date.now()
        return undefined as never
      }),
    )
    stopClock()
    await dialog.getByRole('button', { name: verb }).click()
    await passUntil(() => done > 0)
    await expect.element(one.getByText(updating)).toBeVisible()
    expect(portal.sentTo(route)).toMatchObject([
      {
        query: { tenant: 'northgate' },
        body: { auth0UserId: resident.auth0UserId, residenceId: resident.residences[0]!.residenceId },
      },
    ])
    await passUntil(() => (asked.at(-1) ?? 0) >= done + 900)
    expect(asked.at(-1)! - done).toBeGreaterThanOrEqual(1000)
    expect(asked.at(-1)! - done).toBeLessThan(1200)
    await expect.element(one).toMatchTextContent(isApproved ? 'Approved' : 'Waiting for approval')
  },
)

test('a failed approval shows an error, stops the progress state and can be retried; so can a list that fails to load [est-4-32] [est-8-17]', async () => {
  await open({ answers: [answerStatus(approveResidence, 500)] })
  const approve = row('Resident 1').getByRole('button', { name: /^Approve/ })
  await approve.click()
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await expect.element(toast('Something went wrong!')).toBeVisible()
  await expectCount(main.getByText('Approving …'), 0)
  await expect.element(approve).toBeEnabled()
  await open({ answers: [answerStatus(getResidents, 500)] })
  await expect.element(toast('Something went wrong!').first()).toBeVisible()
  await expect.element(main.getByText('Failed to Load')).toBeVisible()
  await expectCount(main.getByText('Approving …'), 0)
})

const tips = (name: string) => row(name).getByRole('button', { name: new RegExp(`: savings and tips of ${name}`) })
const text = dialog.getByRole('textbox', { name: 'Savings and tips in Markdown' })
const button = (name: string) => dialog.getByRole('button', { name, exact: true })
const stored = (content: string) => [
  answer(getDocuments, {
    results: [
      {
        ...{ id: idOf(70), userId: approved.auth0UserId, documentType: 'SavingsAndTips', fileName: 'tips.md' },
        ...{ contentType: 'text/markdown', updatedAt: '2026-11-02T09:30:00Z' },
        resourceLocation: `https://files.example/${idOf(70)}`,
      },
    ],
  }),
  answer(getDocument, new File([content], 'tips.md', { type: 'text/markdown' }) as never),
]
const noTips = answer(getDocuments, { results: [] })

test('savings and tips are written in an editor of 20 rows in a dialog of at most 800 px, and shown as the resident sees them; nothing in them runs [est-2.5-16] [est-2.5-17] [est-4-58] [est-4-61] [est-9-16]', async () => {
  await open({ answers: [noTips] })
  await tips('Resident 2').click()
  await expect.element(text).toHaveValue('')
  expect(dialog.element().getBoundingClientRect().width).toBeLessThanOrEqual(800)
  await expect.element(text).toHaveAttribute('rows', '20')
  await expect.element(button('Save')).toBeDisabled()
  await expect.element(button('Delete')).toBeDisabled()
  await text.fill(
    '## Warm rooms\n\n- <img src=x onerror=alert(1)>\n- [no](javascript:alert(1)) and [yes](tel:+441134960142)',
  )
  const preview = dialog.getByRole('region', { name: 'As the resident sees it' })
  await expect.element(preview.getByRole('heading', { name: 'Warm rooms' })).toBeVisible()
  await expect.element(preview.getByRole('link')).toHaveTextContent('yes')
  await expectCount(preview.getByRole('img'), 0)
})

test('savings and tips are sent as a document of the resident; Save and Delete are disabled while they are sent [est-4-60] [est-4-62] [est-8-9]', async () => {
  const pending = hold(saveDocument)
  const portal = await open({ answers: [noTips, pending] })
  await tips('Resident 2').click()
  await text.fill('## Warm rooms')
  await button('Save').click()
  await expect.poll(() => portal.sentTo(saveDocument).length).toBe(1)
  for (const name of ['Save', 'Delete']) await expect.element(button(name)).toBeDisabled()
  const { form } = portal.sentTo(saveDocument)[0]!
  expect(form).toMatchObject({
    ...{ userId: approved.auth0UserId, contentType: 'text/markdown', documentType: 'SavingsAndTips' },
  })
  expect(await form.content.text()).toBe('## Warm rooms')
  portal.use(listed({ ...approved, savingsAndTipsAt: '2026-11-02T09:30:00Z' }))
  pending.release()
  await expect.element(toast('Savings and tips updated successfully!')).toBeVisible()
  await expectCount(dialog, 0)
  await expect.element(tips('Resident 2')).toMatchTextContent('Set ')
})

test('stored savings and tips are loaded from their document; unchanged they cannot be saved but can be deleted [est-4-59] [est-7.3-7] [est-8-10]', async () => {
  const portal = await open({ answers: stored('## Warm rooms') })
  await tips('Resident 2').click()
  await expect.element(text).toHaveValue('## Warm rooms')
  expect(portal.sentTo(getDocument)).toMatchObject([{ params: { tenant: 'northgate', id: idOf(70) } }])
  await expect.element(button('Save')).toBeDisabled()
  await expect.element(button('Delete')).toBeEnabled()
  portal.use(noTips)
  await button('Delete').click()
  await expect.element(toast('Savings and tips deleted successfully!')).toBeVisible()
  expect(portal.sentTo(deleteDocument)).toMatchObject([{ params: { tenant: 'northgate', id: idOf(70) } }])
  await tips('Resident 2').click()
  await expect.element(text).toHaveValue('')
})

test('savings and tips are for approved residents of clients with ManageApplication [est-2.5-14] [est-2.5-15]', async () => {
  await open()
  await expect.element(tips('Resident 2')).toBeVisible()
  await expect.element(row('Resident 1')).toMatchTextContent('After approval')
  await expectCount(tips('Resident 1'), 0)
  await open({ features: features.filter((one) => one !== 'ManageApplication') })
  await expect.element(row('Resident 2')).toBeVisible()
  await expectCount(tips('Resident 2'), 0)
})

test('a client without ManageResidentAccess has no list of residents, guests can only read it, and restricted users have no settings [est-6-8] [est-6-6]', async () => {
  const portal = await open({ features: [] })
  await expect.element(email).toHaveValue('help@northgate.example')
  await expectCount(main.getByRole('grid'), 0)
  expect(portal.sentTo(getResidents)).toEqual([])
  await open({ role: 'Guest' })
  await expectCount(rows, 2)
  await expect.element(email).toBeDisabled()
  await expectCount(main.getByRole('button', { name: /^(Save|Approve|Revoke|Add|Set)/ }), 0)
  await open({ tags: [idOf(9)] })
  await expect.element(refused).toBeVisible()
})

test('the Info tab of a property lists residents who requested it, or explains where residents come from', async () => {
  const home = aHome()
  const at = `/northgate/Properties/${home.propertyId}/info`
  const residents = main.getByRole('region', { name: 'Residents' })
  await open({ answers: [...homePages(home), listed()] }, at)
  await expect
    .element(residents)
    .toMatchTextContent('No requests for this property. Residents request access in the resident app')
  await open({ answers: [...homePages(home), listed(approved)] }, at)
  await expectCount(residents.getByRole('listitem'), 1)
})
