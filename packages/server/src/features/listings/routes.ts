import type { FastifyInstance } from 'fastify'
import { fetchViewData, getFieldChoices, selectListing, shouldUpdateView } from '@caretaker/contract/devices.ts'
import { exportListing } from '@caretaker/contract/exports.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { fieldsOf } from '@caretaker/rules/devices/fields.ts'
import { listings } from '@caretaker/rules/devices/listings.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { sendTable } from '../../http/send-table.ts'
import { serveTenant } from '../../http/serve.ts'
import { hidesPersonalData } from '../devices/visible.ts'
import { refuseUnsound } from '../views/content.ts'
import { exportedRows, fileOf, oneOfFew } from './export.ts'
import { changedDevices, choicesIn, pageOf, selectable, zoneOf } from './store.ts'
import { wantedOf } from './wanted.ts'

export function listingRoutes(app: FastifyInstance): void {
  serveTenant(app, fetchViewData, async ({ tx, actor, body }) => {
    const wanted = await wantedOf(tx, actor, body)
    const viewId = body.viewId ?? presetViewId(wanted.listing, 'main')
    const sizes: readonly number[] = listings[wanted.listing].pageSizes
    const pageSize = body.pageSize ?? sizes[0]!
    if (!sizes.includes(pageSize)) {
      const message = `A page has ${sizes.join(', ')} rows here`
      throw refuse('invalid', message, [{ field: 'pageSize', message }])
    }
    const data = await pageOf(tx, actor, { ...wanted, page: body.page, pageSize })
    return success({ ...data, context: { page: data.page, tenantId: tx.tenant, viewId } })
  })

  serveTenant(app, selectListing, async ({ tx, actor, body }) =>
    success(await selectable(tx, actor, await wantedOf(tx, actor, body))),
  )

  serveTenant(app, getFieldChoices, async ({ tx, actor, body: { listing, fieldId, search } }) => {
    if (!can(actor, listings[listing].may)) throw refuse('forbidden')
    const field = fieldsOf(listing, hidesPersonalData(actor)).find((one) => one.fieldId === fieldId)
    const hasValues = field?.viewFilterable && (field.dataType === 'string' || field.dataType === 'stringarray')
    const message = 'This field has no values to choose from'
    if (!hasValues) throw refuse('invalid', message, [{ field: 'fieldId', message }])
    return success(await choicesIn(tx, actor, listing, fieldId, search))
  })

  serveTenant(app, shouldUpdateView, async ({ tx, actor, body }) => {
    const deviceIds = await changedDevices(tx, actor, body.deviceTypes, body.date)
    return success({ shouldUpdate: deviceIds.length > 0, deviceIds })
  })

  // Devices change while a file is being read: it has each of them once, as it was when the file was asked for.
  serveTenant(
    app,
    exportListing,
    async ({ tx, actor, person, body, reply }) => {
      const wanted = await wantedOf(tx, actor, body)
      const { columns, format } = body
      refuseUnsound({ columns }, fieldsOf(wanted.listing, hidesPersonalData(actor)))
      const zone = await zoneOf(tx)
      const { file, table } = fileOf(wanted, columns, format, dayAt(Date.now(), zone))
      return oneOfFew(person.id, () => sendTable(reply, file, table, exportedRows(tx, actor, wanted, columns, zone)))
    },
    'one snapshot',
  )
}
