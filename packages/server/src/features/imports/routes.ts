import { create as contentDisposition } from 'content-disposition'
import type { FastifyInstance } from 'fastify'
import {
  commitImport,
  exportImportFaults,
  exportMarkedImport,
  getImport,
  getImports,
  getImportTemplate,
  makeImportKeys,
  planImport,
  undoImport,
  uploadImport,
} from '@caretaker/contract/imports.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { importLimits, unreadable } from '@caretaker/rules/imports/cells.ts'
import type { ImportWishes } from '@caretaker/rules/imports/life.ts'
import { sendTable } from '../../http/send-table.ts'
import { Sending } from '../../http/sending.ts'
import { serveTenant } from '../../http/serve.ts'
import { oneOfFew } from '../../lists/export.ts'
import { zoneOf } from '../../lists/read.ts'
import { addressForDevices } from '../../mqtt/device-keys.ts'
import { csvTable, csvType } from '../../spreadsheets/csv.ts'
import type { Row } from '../../spreadsheets/table.ts'
import { xlsxType } from '../../spreadsheets/xlsx.ts'
import { addImport, begin, faultsOf, findImport, importInFull, listImports, replan } from './store.ts'
import { makeDeviceKeys } from './device-keys.ts'
import { rowsToMend } from './marked.ts'
import { template } from './template.ts'

export function importRoutes(app: FastifyInstance): void {
  serveTenant(app, uploadImport, async ({ tx, person, form: { file } }) => {
    if (file.size > importLimits.bytes) throw refuse('too large', `${unreadable.size}.`)
    if (file.size === 0) throw refuse('unsupported', 'The file is empty.')
    const name = file.name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '').slice(-200) || 'List'
    const content = Buffer.from(await file.arrayBuffer())
    return success({ importId: await addImport(tx, person, { name, content }, new Date()) })
  })

  serveTenant(app, getImports, async ({ tx }) => success(await listImports(tx)))

  serveTenant(app, getImport, async ({ tx, body }) => success(await importInFull(tx, body.importId)))

  serveTenant(app, planImport, async ({ tx, body: { importId, wishes } }) => {
    await replan(tx, importId, wishes as ImportWishes)
    return success({ importId })
  })

  serveTenant(app, commitImport, async ({ tx, person, body: { importId, revision } }) => {
    await begin(tx, importId, person, { from: 'planned', to: 'importing', revision })
    return success({ importId })
  })

  serveTenant(app, undoImport, async ({ tx, person, body: { importId } }) => {
    await begin(tx, importId, person, { from: 'done', to: 'undoing' })
    return success({ importId })
  })

  serveTenant(
    app,
    exportImportFaults,
    async ({ tx, person, body: { importId }, reply }) => {
      await findImport(tx, importId)
      const file = { name: 'Not imported.csv', type: csvType }
      const table = csvTable(await zoneOf(tx))
      return oneOfFew(tx, person.id, () => sendTable(reply, file, table, faultsOf(tx, importId)))
    },
    'repeatable read',
  )

  serveTenant(app, exportMarkedImport, async ({ tx, body: { importId } }) => {
    const workbook = await rowsToMend(tx, importId)
    const headers = { 'content-type': xlsxType, 'content-disposition': contentDisposition('Rejected rows.xlsx') }
    return new Sending((reply) => Promise.resolve(reply.headers(headers).send(workbook)))
  })

  serveTenant(app, makeImportKeys, async ({ tx, person, body, context: { config } }) => {
    await findImport(tx, body.importId)
    const keys = await makeDeviceKeys(tx, person, body)
    const table = csvTable(await zoneOf(tx))
    const address = addressForDevices(config)
    async function* rows(): AsyncGenerator<Row[]> {
      yield [['Serial number', 'User name', 'Password', 'Address']]
      yield keys.map(({ serial, deviceId, password }) => [serial, deviceId, password, address])
    }
    // Sent after the keys are committed, so that no invalid key is handed out.
    const file = { name: 'Device keys.csv', type: csvType }
    return new Sending((reply) => sendTable(reply, file, table, rows()))
  })

  serveTenant(
    app,
    getImportTemplate,
    async () =>
      new Sending((reply) =>
        Promise.resolve(
          reply
            .headers({
              'content-type': xlsxType,
              'content-disposition': contentDisposition('Caretaker import template.xlsx'),
            })
            .send(template()),
        ),
      ),
  )
}
