import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { importFile, importLines, undoFile, writeTemplate } from './import.ts'
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

async function told(text: string, yes?: true, tenant = 'north', said?: string): Promise<string[]> {
  const [file, wishes] = [path.join(folder, 'homes.csv'), path.join(folder, 'wishes.json')]
  writeFileSync(file, text)
  if (said !== undefined) writeFileSync(wishes, said)
  const parts: string[] = []
  for await (const one of importFile(operator(), {
    ...{ tenant, file, ...(yes && { yes }) },
    ...(said !== undefined && { wishes }),
  }))
    parts.push(importLines(one).join('\n'))
  return parts
}

test('a list says what it would do, and does it when that is wanted', async () => {
  const list = 'Property Ref,Address 1,Postcode,EPC,Rent\nN-1,1 Elm Road,LS1 4AB,C,90\nN-2,2 Elm Road,LS1 4AB,H,95'
  const homes = async () => (await app.database.owner.query(`select from property where tenant_id = 'north'`)).rowCount
  const [preview, ...more] = await told(list)
  assert.match(preview!, /headings in row 1, 2 rows\n {2}Property Ref is Property REF/)
  assert.match(preview!, /left: Rent/)
  assert.match(preview!, /To make: 2 properties/)
  assert.match(preview!, /row 3, D 'H': EPC rating must be A to G or No rating/)
  assert.deepEqual([more, await homes()], [[], 0])
  // Neither a preview nor a list that cannot be read waits in the portal.
  await assert.rejects(told('', undefined), /has no rows|empty/)
  const lists = await app.database.owner.query(`select from data_import where tenant_id = 'north'`)
  assert.equal(lists.rowCount, 0)
  const [, report] = await told(list, true)
  const [, id] = /^Done: 2 made or changed, 0 not\.\nTo take it back within 30 days: import undo (\S+)$/.exec(report!)!
  assert.equal(await homes(), 2)
  assert.match((await told(list))[0]!, /To make: nothing\nTo change: nothing\nAs it is: 2 properties/)
  const undo = () => undoFile(operator(), { tenant: 'north', id: id! })
  assert.deepEqual([importLines(await undo()), await homes()], [['Undone: 2 taken back, 0 kept.'], 0])
  await assert.rejects(undo, { message: 'Only an import that is finished can be undone.' })
  await assert.rejects(undoFile(operator(), { tenant: 'north', id: randomUUID() }), /There is no import/)
})

test('a file says which row holds the headings, what columns are and what words mean', async () => {
  const list = 'Homes of June\nHome,Door,PC,Let?\nW-1,1 Elm Road,LS1 4AB,nobody'
  const sheets = [{ sheet: '', headerRow: 2, columns: ['propertyReference', 'address1', 'postcode', 'voidStatus'] }]
  const wishes = { sheets, answers: { voidStatus: { nobody: 'Void' } } }
  const [preview] = await told(list, undefined, 'north', JSON.stringify(wishes))
  assert.match(preview!, /headings in row 2, 1 rows\n {2}Home is Property REF/)
  assert.match(preview!, /1 homes become void/)
  await assert.rejects(told(list, undefined, 'north', '{"sheet": []}'), /wishes.json: .*sheet/)
  await assert.rejects(told(list, undefined, 'north', 'no JSON'), OperatorError)
})

test('the template is written once', async () => {
  const file = path.join(folder, 'template.xlsx')
  await writeTemplate(file)
  assert.equal(readFileSync(file).subarray(0, 2).toString(), 'PK')
  await assert.rejects(writeTemplate(file), /is there already/)
})

test('what cannot be read, and a client that is none, are said in one line', async () => {
  await assert.rejects(told('Property Ref,Town'), { message: 'The file has no rows.' })
  await assert.rejects(told('Name,Age\nAnn,4'), {
    message:
      'No column is known by which rows are recognised. The headings seem to stand in row 1: Name, Age. Say with --wishes which column is what.',
  })
  await assert.rejects(told('Name', undefined, 'nobody'), /There is no client nobody/)
})
