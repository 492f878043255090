import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { importLines } from '@caretaker/contract/import-lines.ts'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { importFile, undoFile, writeTemplate } from './import.ts'
import { OperatorError } from './operator.ts'

let app: TestApp
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-import-'))
beforeAll(async () => {
  app = await testApp()
  await app.addTenant('north', { features: ['VoidFlag'] })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

const operator = () => ({ config: app.context.config, owner: app.database.owner, db: app.database.db })

async function importList(text: string, yes?: true, tenant = 'north', settings?: string): Promise<string[]> {
  const [file, wishes] = [path.join(folder, 'homes.csv'), path.join(folder, 'wishes.json')]
  writeFileSync(file, text)
  if (settings !== undefined) writeFileSync(wishes, settings)
  const parts: string[] = []
  for await (const one of importFile(operator(), {
    ...{ tenant, file, ...(yes && { yes }) },
    ...(settings !== undefined && { wishes }),
  }))
    parts.push(importLines(one).join('\n'))
  return parts
}

test('an import shows a preview, and runs on request', async () => {
  const list = 'Property Ref,Address 1,Postcode,EPC,Rent\nN-1,1 Elm Road,LS1 4AB,C,90\nN-2,2 Elm Road,LS1 4AB,H,95'
  const homes = async () => (await app.database.owner.query(`select from property where tenant_id = 'north'`)).rowCount
  const [preview, ...more] = await importList(list)
  assert.match(preview!, /header in row 1, 2 rows\n {2}Property Ref is Property REF/)
  assert.match(preview!, /ignored: Rent/)
  assert.match(preview!, /To create: 2 properties/)
  assert.match(preview!, /row 3, D 'H': EPC rating must be A to G or No rating/)
  assert.deepEqual([more, await homes()], [[], 0])
  // Neither a preview nor an unreadable list is left waiting in the portal.
  await assert.rejects(importList('', undefined), /has no rows|empty/)
  const lists = await app.database.owner.query(`select from data_import where tenant_id = 'north'`)
  assert.equal(lists.rowCount, 0)
  const [, report] = await importList(list, true)
  const [, id] = /^Done: 2 created or updated, 0 rejected\.\nTo undo it within 30 days: import undo (\S+)$/.exec(
    report!,
  )!
  assert.equal(await homes(), 2)
  assert.match((await importList(list))[0]!, /To create: nothing\nTo update: nothing\nUnchanged: 2 properties/)
  const undo = () => undoFile(operator(), { tenant: 'north', id: id! })
  assert.deepEqual([importLines(await undo()), await homes()], [['Undone: 2 reverted, 0 kept.'], 0])
  await assert.rejects(undo, { message: 'Only a finished import can be undone.' })
  await assert.rejects(undoFile(operator(), { tenant: 'north', id: randomUUID() }), /There is no import/)
})

test('a settings file names the header row, the columns and the values', async () => {
  const list = 'Homes of June\nHome,Door,PC,Let?\nW-1,1 Elm Road,LS1 4AB,nobody'
  const sheets = [{ sheet: '', headerRow: 2, columns: ['propertyReference', 'address1', 'postcode', 'voidStatus'] }]
  const wishes = { sheets, answers: { voidStatus: { nobody: 'Void' } } }
  const [preview] = await importList(list, undefined, 'north', JSON.stringify(wishes))
  assert.match(preview!, /header in row 2, 1 row\n {2}Home is Property REF/)
  assert.match(preview!, /Properties that become void: 1/)
  await assert.rejects(importList(list, undefined, 'north', '{"sheet": []}'), /wishes.json: .*sheet/)
  await assert.rejects(importList(list, undefined, 'north', 'no JSON'), OperatorError)
})

test('the template is written once and not overwritten', async () => {
  const file = path.join(folder, 'template.xlsx')
  await writeTemplate(file)
  assert.equal(readFileSync(file).subarray(0, 2).toString(), 'PK')
  await assert.rejects(writeTemplate(file), /already exists/)
})

test('an unreadable list and an unknown client are reported in one line', async () => {
  await assert.rejects(importList('Property Ref,Town'), { message: 'The file has no rows.' })
  await assert.rejects(importList('Name,Age\nAnn,4'), {
    message:
      'No column identifies the rows. The header seems to be in row 1: Name, Age. Map the columns with --wishes.',
  })
  await assert.rejects(importList('Name', undefined, 'nobody'), /There is no client nobody/)
})
