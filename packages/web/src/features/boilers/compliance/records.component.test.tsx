import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { BoilerRecord } from '@caretaker/contract/compliance.ts'
import {
  addBoilerGasSafetyRecord,
  getBoilerRecords,
  getComplianceFigures,
  withdrawBoilerRecord,
} from '@caretaker/contract/compliance.ts'
import { defaultFigures } from '@caretaker/rules/compliance/due.ts'
import { loading } from '../../../testing/device-screen.ts'
import { aBoiler, boilerPage } from '../../../testing/examples/devices.ts'
import { expectCount } from '../../../testing/expect.ts'
import { answer, refuse } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { region } from '../../../testing/screen.ts'

const dialog = (name: string) => page.getByRole('dialog', { name })

const boiler = aBoiler({ gasSafety: { dueAt: null, state: 'NeverChecked' }, waterTreatment: null })
const address = `/northgate/Boilers/${boiler.deviceId}/compliance`
const record = (more: Partial<BoilerRecord> = {}): BoilerRecord => ({
  ...{ recordId: 'one', serialNumber: 'LGSR-2026-11207', recordType: 'GasSafety', status: 'Pass' },
  ...{ timestamp: new Date().toISOString(), properties: { testKitUsed: null }, attachmentIds: ['file'] },
  attachments: [{ attachmentId: 'file', name: 'certificate.pdf', contentType: 'application/pdf', size: 1000 }],
  ...{ withdrawn: null, coversAlso: null },
  ...more,
})
const withdrawn = { at: '2026-11-14T10:00:00Z', by: 'Morgan Ellis', reason: 'the certificate is for 21 Quarry Lane' }

const open = (records: BoilerRecord[], role: 'Manager' | 'Guest' = 'Manager') =>
  openPortal(address, {
    role,
    answers: [
      ...boilerPage(boiler),
      answer(getBoilerRecords, records),
      answer(getComplianceFigures, { ...defaultFigures, version: 1 }),
    ],
  })

test('a boiler that was never checked shows that, and is not green', async () => {
  await open([])
  const card = region('Gas safety')
  await expect.element(card, loading).toMatchTextContent('Never checked')
  await expect.element(card).toMatchTextContent('Add the latest certificate, or book a check.')
  await expectCount(card.getByCss('[data-tone="passed"]'), 0)
})

test('a withdrawn record stays, struck through, with its file and the reason; it counts towards no date', async () => {
  await open([record({ withdrawn })])
  const table = region('Records').last()
  await expect.element(table.getByText('Withdrawn', { exact: true }), loading).toBeVisible()
  await expectCount(table.getByCss('s').filter({ hasText: 'LGSR-2026-11207' }), 1)
  await expect
    .element(table)
    .toMatchTextContent(
      'Withdrawn on 14/11/2026 by Morgan Ellis. Reason: the certificate is for 21 Quarry Lane. The record no longer counts towards any date.',
    )
  await expect.element(table.getByRole('button', { name: 'certificate.pdf' })).toBeVisible()
  await expect.element(region('Gas safety')).toMatchTextContent('Never checked')
})

test('a record is withdrawn with a reason, and the form for the replacement opens', async () => {
  const portal = await open([record()])
  await page.getByRole('button', { name: 'Actions for LGSR-2026-11207' }).click()
  await page.getByRole('menuitem', { name: 'Withdraw' }).click()
  const question = dialog('Withdraw LGSR-2026-11207')
  await question.getByRole('button', { name: 'Withdraw' }).click()
  await expect.element(question.getByText('Reason is required')).toBeVisible()
  portal.use(answer(withdrawBoilerRecord, { isWithdrawn: true }))
  await question.getByRole('textbox').fill('Wrong home')
  await question.getByRole('button', { name: 'Withdraw' }).click()
  await expect.element(page.getByRole('form', { name: 'Add gas safety record' })).toBeVisible()
  expect(portal.sentTo(withdrawBoilerRecord).map(({ body }) => body?.reason)).toEqual(['Wrong home'])
})

test('a guest cannot withdraw records', async () => {
  await open([record()], 'Guest')
  await expect.element(region('Records').getByText('LGSR-2026-11207'), loading).toBeVisible()
  await expectCount(page.getByRole('button', { name: 'Actions for LGSR-2026-11207' }), 0)
})

test('a number that is already used asks to change it or to confirm that it covers both properties', async () => {
  const portal = await open([])
  portal.use(
    refuse(addBoilerGasSafetyRecord, 'conflict', { message: 'LGSR-1 is already used for NG-000498, 21 Quarry Lane.' }),
  )
  await region('Gas safety').getByRole('button', { name: 'Add record' }).click()
  const form = page.getByRole('form', { name: 'Add gas safety record' })
  await form.getByRole('textbox', { name: 'Certificate Number' }).fill('LGSR-1')
  await form.getByRole('textbox', { name: 'Date' }).fill('01/11/2026')
  await form.getByText('Pass', { exact: true }).click()
  const file = new File(['%PDF-1.7 certificate'], 'certificate.pdf', { type: 'application/pdf' })
  await form.getByCss('input[type="file"]').first().upload(file)
  await form.getByRole('button', { name: 'Save record' }).click()
  const question = form.getByRole('alert').filter({ hasText: 'already used' })
  await expect.element(question).toMatchTextContent('LGSR-1 is already used for NG-000498, 21 Quarry Lane.')
  await expect.element(question).toMatchTextContent('Does it cover both properties?')
  await question.getByRole('button', { name: 'Change number' }).click()
  await expect.element(form.getByRole('textbox', { name: 'Certificate Number' })).toHaveFocus()
  await form.getByRole('button', { name: 'Save record' }).click()
  await question.getByRole('button', { name: 'It covers both properties' }).click()
  await expect
    .poll(() => portal.sentTo(addBoilerGasSafetyRecord).map(({ body }) => body?.coversOtherHome))
    .toEqual([false, false, true])
})
