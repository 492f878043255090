import { expect, onTestFinished, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { exportListing } from '@caretaker/contract/devices.ts'
import type { Import } from '@caretaker/contract/imports.ts'
import { commitImport, getImport, uploadImport } from '@caretaker/contract/imports.ts'
import { exportProperties, fetchProperties } from '@caretaker/contract/properties.ts'
import { noWishes } from '@caretaker/rules/imports/life.ts'
import { deviceList, listedDevices } from '../../testing/examples/device-list.ts'
import { viewDefinitions } from '../../testing/examples/views.ts'
import type { ServerAnswer } from '../../testing/network.ts'
import { answer } from '../../testing/network.ts'
import { openPortal } from '../../testing/portal.tsx'
import { variedExampleOf } from '../../testing/varied.ts'

const importId = '0d8a6c1e-3f5b-4c2d-9e7a-000000000001'
const access = { features: ['PropertyCentric'], capabilities: { viewProperties: true } } as const

/** The files that the page saves. */
function savedFiles(): File[] {
  const files: File[] = []
  const original = URL.createObjectURL.bind(URL)
  const spy = vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => {
    if (file instanceof File) files.push(file)
    return original(file)
  })
  onTestFinished(() => spy.mockRestore())
  return files
}

/** The preview of a list that changes one field of one record. */
function planned({
  kind,
  name,
  old,
  values,
}: Pick<Import['items'][number], 'kind' | 'name' | 'old' | 'values'>): Import {
  const example = variedExampleOf(getImport)
  const none = { words: [], notes: [], moreNotes: 0, questions: [], moreQuestions: 0, repeats: [], sheets: [] }
  const totals = { ...example.found!.totals, create: {}, change: { [kind]: 1 }, unchanged: {} }
  const zero = { left: 0, refusedRows: 0, refusedCells: 0, becomeVoid: 0, emptyUntilMapped: {}, filledDown: 0 }
  const item = { kind, name, old, values, sheet: '', row: 2, action: 'change', state: 'planned', reason: null } as const
  return {
    ...{ ...example, importId, state: 'planned', fault: null, wishes: noWishes, faults: [], cells: [], left: [] },
    ...{ revision: 7, total: 1, items: [item] },
    found: { ...example.found!, ...none, totals: { ...totals, ...zero } },
  }
}

interface RoundTrip {
  address: string
  answers: ServerAnswer[]
  exported: string
  change: [from: string, to: string]
  preview: Import
  words: string
}

const lists: RoundTrip[] = [
  {
    address: '/northgate/EmergencyLights',
    answers: [
      ...deviceList(listedDevices(2)),
      answer(exportListing, new File(['Serial,Room\nEM000001,Stair\n'], 'lights.csv') as never),
    ],
    exported: 'Serial,Room\nEM000001,Stair\n',
    change: ['Stair', 'Landing'],
    preview: planned({ kind: 'device', name: 'EM000001', old: { room: 'Stair' }, values: { room: 'Landing' } }),
    words: '1 device',
  },
  {
    address: '/northgate/Properties',
    answers: [
      answer(fetchProperties, variedExampleOf(fetchProperties)),
      answer(exportProperties, new File(['Property REF,EPC\nN-1,C\n'], 'homes.csv') as never),
    ],
    exported: 'Property REF,EPC\nN-1,C\n',
    change: [',C', ',B'],
    preview: planned({ kind: 'property', name: 'N-1', old: { epcRating: 'C' }, values: { epcRating: 'B' } }),
    words: '1 property',
  },
]

for (const { address, answers, exported, change, preview, words } of lists)
  test(`${address}: an exported file is changed and chosen, the preview shows the change, and the import is sent`, async () => {
    const files = savedFiles()
    await openPortal(address, { ...access, answers: [...answers, ...viewDefinitions()] })
    await page.getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    await expect.poll(() => files.length).toBe(1)
    const text = await files[0]!.text()
    expect(text).toBe(exported)

    let list = preview
    const portal = await openPortal('/northgate/Properties/Import', {
      ...access,
      answers: [
        answer(uploadImport, { importId }),
        answer(getImport, () => list),
        answer(commitImport, () => {
          list = { ...preview, state: 'done', done: 1, refused: 0, items: [] }
          return { importId }
        }),
      ],
    })
    await page.getByLabelText('Choose a list').upload(new File([text.replace(...change)], files[0]!.name))
    await expect.poll(portal.address).toBe(`/northgate/Properties/Import/${importId}`)
    const [upload] = portal.sentTo(uploadImport)
    expect(await upload!.form.file.text()).toBe(exported.replace(...change))
    const values = page.getByRole('table').getByRole('listitem')
    await expect.element(values).toBeVisible()
    expect(values.element().textContent).toMatch(/(Stair|C) → to ?(Landing|B)/)
    await expect.element(page.getByText(words, { exact: true })).toBeVisible()
    expect(portal.sentTo(commitImport)).toEqual([])
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await expect.poll(() => portal.sentTo(commitImport)).toMatchObject([{ body: { importId, revision: 7 } }])
    await expect.element(page.getByRole('button', { name: /Undo this import/ })).toBeVisible()
  })
