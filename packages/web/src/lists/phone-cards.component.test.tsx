import { expect, test } from 'vitest'
import { fetchProperties } from '@caretaker/contract/properties.ts'
import { propertyLists } from '@caretaker/rules/properties/list.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { aHomeRow } from '../testing/examples/homes.ts'
import { viewDefinitions } from '../testing/examples/views.ts'
import { rows } from '../testing/list-screen.ts'
import { answer, exampleOf } from '../testing/network.ts'
import { openPortal } from '../testing/portal.tsx'

const row = aHomeRow({ damp: 'high', epcRating: 'C', deviceCount: 7 })
const open = (search: string) =>
  openPortal(`/northgate/Properties${search}`, {
    features: ['PropertyCentric'],
    viewport: { width: 390, height: 844 },
    answers: [
      ...viewDefinitions(),
      answer(fetchProperties, {
        ...exampleOf(fetchProperties),
        rows: [row],
        total: 1,
        outOf: 1,
        page: 1,
        pageSize: 25,
      }),
    ],
  })

test('on a phone the cards of a view show the fields of the view, and cards of the list nothing more', async () => {
  await open('')
  await expect.element(rows.first()).toMatchTextContent(/NG-0050/)
  await expect.element(rows.first()).not.toMatchTextContent(/Damp|Devices/)
  await open(`?view=${presetViewId(propertyLists.Properties, 'damp-and-mould')}`)
  await expect.element(rows.first()).toMatchTextContent(/Damp.* High/)
  await open('?sort=-epcRating')
  await expect.element(rows.first()).toMatchTextContent(/EPC.* C$/)
})
