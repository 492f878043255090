import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getImport, planImport } from '@caretaker/contract/imports.ts'
import { loading } from '../../testing/device-screen.ts'
import { idOf } from '../../testing/examples/devices.ts'
import { answer, exampleOf } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'

const list = exampleOf(getImport)
const row = (at: number, epcRating: string) => ({
  ...{ sheet: '', row: at },
  values: { propertyReference: 'NG-7', address1: '1 Ash Road', epcRating },
})
const repeats = [
  {
    ...{ key: 'ng7', name: 'NG-7', stored: { propertyReference: 'NG-7', address1: '1 Ash Road', epcRating: 'D' } },
    rows: [row(2, 'C'), row(4, 'E')],
  },
]
const planned = {
  ...list,
  ...{ importId: idOf(90), name: 'homes.csv', state: 'planned' as const, items: [], faults: [], total: 1 },
  wishes: { ...list.wishes, answers: {}, sheets: [], chosenRows: {} },
  found: {
    ...{ format: null, sheets: [], words: [], notes: [], moreNotes: 0, repeats },
    ...{ questions: [], moreQuestions: 0 },
    totals: {
      ...{ rows: 2, create: {}, change: {}, unchanged: {}, left: 0, refusedRows: 1, refusedCells: 1 },
      ...{ becomeVoid: 0, becomeVoidWithDevices: 0, emptyUntilMapped: {}, filledDown: 0 },
    },
  },
}

test('rows that repeat a reference are shown beside the stored values, and one of the three is chosen', async () => {
  const portal = await openPortal(`/northgate/Properties/Import/${idOf(90)}`, {
    features: ['PropertyCentric'],
    answers: [answer(getImport, planned), answer(planImport, exampleOf(planImport))],
  })
  const choice = page.getByRole('radiogroup', { name: 'Rows of NG-7' })
  await expect.element(choice, loading).toBeVisible()
  const epc = choice.getByRole('row').filter({ hasText: 'EPC' })
  await expect.element(epc).toMatchTextContent(/D ?C ?E$/)
  const radio = (name: string) => choice.getByRole('radio', { name })
  await expect.element(radio('Row 2')).toBeChecked()
  await radio('Row 4').click()
  await expect
    .poll(() => portal.sentTo(planImport).at(-1)?.body.wishes.chosenRows)
    .toEqual({ ng7: { sheet: '', row: 4 } })
  await expect.element(radio('Keep the stored values')).toBeEnabled()
  await radio('Keep the stored values').click()
  await expect.poll(() => portal.sentTo(planImport).at(-1)?.body.wishes.chosenRows).toEqual({ ng7: null })
})
