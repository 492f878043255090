import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Import } from '@caretaker/contract/imports.ts'
import { getImport, planImport } from '@caretaker/contract/imports.ts'
import { noWishes } from '@caretaker/rules/imports/life.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedExampleOf } from '../../testing/varied.ts'

const importId = '0d8a6c1e-3f5b-4c2d-9e7a-000000000001'
const question = {
  ...{ sheet: '', row: 2, value: '10012345678', isStored: true, answer: null },
  message: "A spreadsheet seems to have changed the digits of this reference. Did you mean '010012345678'?",
  ...{ offer: '010012345678', written: '10012345678', isAddressStored: false },
}

function planned(found: Partial<NonNullable<Import['found']>>): Import {
  const example = variedExampleOf(getImport)
  return {
    ...{ ...example, importId, state: 'planned', fault: null, wishes: noWishes, faults: [], cells: [] },
    found: { ...example.found!, words: [], notes: [], moreNotes: 0, questions: [], moreQuestions: 0, ...found },
  }
}

async function open(list: Import) {
  const wished: unknown[] = []
  await openPortal('/northgate/Properties/Import/' + importId, {
    features: ['PropertyCentric'],
    capabilities: { viewProperties: true },
    answers: [
      answer(getImport, list),
      answer(planImport, (sent) => {
        wished.push((sent.body as { wishes: unknown }).wishes)
        return { importId }
      }),
    ],
  })
  return wished
}

test('an ambiguous reference is a question, for each row and for all rows', async () => {
  const wished = await open(planned({ questions: [question] }))
  const same = page.getByRole('combobox', { name: 'Row 2: 10012345678' })
  await expect.element(same).toHaveValue('')
  await expect.element(page.getByText('1 row has a reference that may belong to an existing property.')).toBeVisible()
  await same.selectOptions('The same property: 010012345678')
  await expect.poll(() => wished).toMatchObject([{ references: { '2 ': 'offer' } }])
  await page.getByRole('checkbox', { name: 'Import all rows as new properties with the reference in the file' }).click()
  await expect.poll(() => wished.at(-1)).toMatchObject({ asWritten: true })
})

test('a row at a stored address is answered individually, or as a new property with all such rows, never by accepting all suggestions', async () => {
  const message = "Property 'ASK-1' already has this address. Did you mean 'ASK-1'?"
  const address = { ...question, value: 'NEW-1', message, offer: 'ASK-1', written: 'NEW-1', isAddressStored: true }
  const wished = await open(planned({ questions: [address] }))
  const asNew = page.getByRole('checkbox', { name: 'Import all rows with a stored address as new properties' })
  await expect.element(asNew).toBeVisible()
  expect(page.getByRole('checkbox', { name: /suggested reference|reference in the file/ }).query()).toBeNull()
  await asNew.click()
  await expect.poll(() => wished.at(-1)).toMatchObject({ storedAddressesAsNew: true })
})

test('a text file shows its encoding, and another encoding can be chosen', async () => {
  const format = {
    encoding: 'windows-1252',
    code: 'windows-1252',
    separator: ',',
    examples: ['PM-1,1 CafŽ Yard'],
  } as const
  const wished = await open(planned({ format: { ...format, examples: [...format.examples] } }))
  await expect.element(page.getByText('PM-1,1 CafŽ Yard')).toBeVisible()
  const encoding = page.getByRole('combobox', { name: 'The file is read as' })
  await expect.element(encoding).toHaveValue('windows-1252')
  await encoding.selectOptions('Mac Roman')
  await expect.poll(() => wished).toMatchObject([{ encoding: 'macintosh' }])
})

test('a workbook or an ASCII file has no encoding to choose', async () => {
  await open(planned({ format: null }))
  await expect.element(page.getByRole('heading', { name: 'What the import will do' })).toBeVisible()
  expect(page.getByRole('combobox', { name: 'The file is read as' }).query()).toBeNull()
})
