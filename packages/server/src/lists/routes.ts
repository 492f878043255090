import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { ListCalls } from '@caretaker/contract/lists.ts'
import { refuse, success } from '@caretaker/contract/refusal.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { fieldsSeen } from '@caretaker/rules/lists/list.ts'
import { presetViewId } from '@caretaker/rules/views/view.ts'
import { dateOf, positionOf } from '../changes/feed.ts'
import { sendTable } from '../http/send-table.ts'
import type { CommonCall } from '../http/serve.ts'
import { serveTenant, serveTogether } from '../http/serve.ts'
import { exportedRows, fileOf, oneOfFew } from './export.ts'
import { choicesIn, pageOf, zoneOf } from './read.ts'
import { rejectInvalidView } from './validate.ts'
import type { RowSource, Table } from './source.ts'
import type { FindView } from './wanted.ts'
import { wantedOf } from './wanted.ts'

/** Serves a subject's list calls from its row source. */
export function listRoutes<N extends string, I extends string, R extends z.ZodType>(
  app: FastifyInstance,
  calls: ListCalls<N, I, R>,
  source: RowSource<z.input<R>, Table, N>,
  findView: FindView,
): void {
  const { lists } = source

  const page = async ({ tx, actor, body }: CommonCall<typeof calls.page>) => {
    const wanted = await wantedOf(source, tx, actor, body, findView)
    const list = lists[wanted.listing]
    const pageSize = body.pageSize ?? list.pageSizes[0]!
    if (!list.pageSizes.includes(pageSize)) {
      const message = `A page can have ${list.pageSizes.join(', ')} rows here`
      throw refuse('invalid', message, [{ field: 'pageSize', message }])
    }
    const now = await app.feed.now(tx)
    const data = await pageOf(source, tx, actor, { ...wanted, page: body.page, pageSize, after: body.after })
    const viewId = body.viewId ?? presetViewId(list, 'main')
    const context = { page: data.page, tenantId: tx.tenant, viewId }
    return success({ ...data, updatedAt: dateOf(now), position: positionOf(now), context })
  }
  // A named view may be personal, and so is the page after one that a person has read.
  serveTogether(app, calls.page, page, ({ body }) => body.viewId !== undefined || body.after !== undefined)

  serveTenant(app, calls.choices, async ({ tx, actor, body: { listing, fieldId, search } }) => {
    if (!can(actor, lists[listing].may)) throw refuse('forbidden')
    const field = fieldsSeen(lists[listing], actor).find((one) => one.fieldId === fieldId)
    const hasValues = field?.viewFilterable && (field.dataType === 'string' || field.dataType === 'stringarray')
    const message = 'This field has no values to choose from'
    if (!hasValues) throw refuse('invalid', message, [{ field: 'fieldId', message }])
    return success(await choicesIn(source, tx, actor, listing, { fieldId, search }))
  })

  // Rows change while a file is read: it contains each once, as of the time of the request.
  serveTenant(
    app,
    calls.file,
    async ({ tx, actor, person, body, reply }) => {
      const wanted = await wantedOf(source, tx, actor, body, findView)
      const { columns, format } = body
      const { fields } = lists[wanted.listing]
      const known = fieldsSeen(lists[wanted.listing], actor)
      // A file contains any columns that can be exported.
      rejectInvalidView(
        { columns },
        known.map((field) => ({ ...field, viewable: fields[field.fieldId]!.exportable })),
      )
      const zone = await zoneOf(tx)
      const { file, table } = fileOf(source, wanted.listing, columns, format, zone)
      const rows = exportedRows(source, tx, actor, wanted, columns)
      return oneOfFew(tx, person.id, () => sendTable(reply, file, table, rows))
    },
    'repeatable read',
  )
}
