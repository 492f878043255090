import type { FastifyInstance } from 'fastify'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import type { Received, Route } from '@caretaker/contract/route.ts'
import type { StepsCall, TenantCall } from '../../http/serve.ts'
import { serveTenant, serveTenantInSteps } from '../../http/serve.ts'
import { deleteListView, findListView, listViewsOf, readListView, saveListView } from './list-views.ts'
import { addPhotograph, deletePhotograph, photographsOf, sendPhotograph } from './property-records.ts'
import { deleteTips, findTips, saveTips, sendTips, tipsOf } from './savings-and-tips.ts'

/** Documents of every kind: users' own list views, and files with their details. */
export function documentRoutes(app: FastifyInstance): void {
  serveTenant(app, getDocuments, async (call) => ({ results: await found(call, call.query) }))

  serveTenant(app, getDocument, async (call) => {
    const { id } = call.params
    const view = await findListView(call, id)
    if (view) return readListView(call, view)
    const tips = await findTips(call, id)
    return tips ? sendTips(tips) : sendPhotograph(call, id)
  })

  serveTenantInSteps(app, saveDocument, async (call) => {
    const { tenant, reply } = call
    const document = await saved(call)
    void reply.header('location', getDocument.path.replace('{tenant}', tenant).replace('{id}', document.id))
    return document
  })

  serveTenant(app, deleteDocument, async (call) => {
    const { id } = call.params
    const view = await findListView(call, id, 'hold')
    if (view) return deleteListView(call, view)
    const tips = await findTips(call, id)
    return tips ? deleteTips(call, tips) : deletePhotograph(call, id)
  })
}

function found(call: Pick<TenantCall<Route>, 'tx' | 'actor'>, query: Received<typeof getDocuments>['query']) {
  if (query.documentType === 'PropertyRecords') return photographsOf(call, query.propertyId)
  if (query.documentType === 'SavingsAndTips') return tipsOf(call, query.userId)
  return listViewsOf(call, query.userId)
}

function saved(call: StepsCall<typeof saveDocument>) {
  const { form, inTx } = call
  if (form.documentType === 'PropertyRecords') return addPhotograph(call, form)
  if (form.documentType === 'SavingsAndTips') return inTx((step) => saveTips(step, form))
  return inTx((step) => saveListView(step, form))
}
