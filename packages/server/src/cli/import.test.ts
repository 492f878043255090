import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { TestApp } from '../testing/app.ts'
import { testApp } from '../testing/app.ts'
import { importFile, importLines } from './import.ts'

let app: TestApp
const folder = mkdtempSync(path.join(tmpdir(), 'caretaker-import-'))
before(async () => {
  app = await testApp()
  await app.addTenant('north')
})
after(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

async function told(text: string, yes?: true, tenant = 'north'): Promise<string[]> {
  const file = path.join(folder, 'homes.csv')
  writeFileSync(file, text)
  const operator = { config: app.context.config, owner: app.database.owner, db: app.database.db }
  const parts: string[] = []
  for await (const one of importFile(operator, { tenant, file, ...(yes && { yes }) }))
    parts.push(importLines(one).join('\n'))
  return parts
}

test('a list says what it would do, and does it when that is wanted', async () => {
  const list = 'Property Ref,Address 1,Postcode,EPC,Rent\nN-1,1 Elm Road,LS1 4AB,C,90\nN-2,2 Elm Road,LS1 4AB,H,95'
  const homes = async () => (await app.database.owner.query(`select from property where tenant_id = 'north'`)).rowCount
  const [preview, ...more] = await told(list)
  assert.match(preview!, /headings in row 1, 2 rows\n {2}Property Ref is Property REF/)
  assert.match(preview!, /left: Rent/)
  assert.match(preview!, /To make: 2 homes/)
  assert.match(preview!, /row 3, D 'H': EPC rating must be A to G or No rating/)
  assert.deepEqual([more, await homes()], [[], 0])
  const [, report] = await told(list, true)
  assert.deepEqual([report, await homes()], ['Done: 2 made or changed, 0 not.', 2])
  assert.match((await told(list))[0]!, /To make: nothing\nTo change: nothing\nAs it is: 2 homes/)
})

test('what cannot be read, and a client that is none, are said in one line', async () => {
  await assert.rejects(told('Name,Age\nAnn,4'), { message: 'The file has no rows.' })
  await assert.rejects(told('Name', undefined, 'nobody'), /There is no client nobody/)
})
