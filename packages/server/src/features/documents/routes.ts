import type { FastifyInstance } from 'fastify'
import { deleteDocument, getDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import { serveTenant } from '../../http/serve.ts'
import { deleteListView, findListView, listViewsOf, readListView, saveListView } from './list-views.ts'
import { addPhotograph, deletePhotograph, photographsOf, sendPhotograph } from './property-records.ts'

/** Documents of every kind: list views that people keep for themselves, and files with what is said of them. */
export function documentRoutes(app: FastifyInstance): void {
  serveTenant(app, getDocuments, async (call) => ({
    results:
      call.query.documentType === 'PropertyRecords'
        ? await photographsOf(call, call.query.propertyId)
        : await listViewsOf(call, call.query.userId),
  }))

  serveTenant(app, getDocument, async (call) => {
    const view = await findListView(call, call.params.id)
    return view ? readListView(call, view) : sendPhotograph(call, call.params.id)
  })

  serveTenant(app, saveDocument, async (call) => {
    const { tx, form, reply } = call
    const document =
      form.documentType === 'PropertyRecords' ? await addPhotograph(call, form) : await saveListView(call, form)
    void reply.header('location', getDocument.path.replace('{tenant}', tx.tenant).replace('{id}', document.id))
    return document
  })

  serveTenant(app, deleteDocument, async (call) => {
    const view = await findListView(call, call.params.id, 'hold')
    return view ? deleteListView(call, view) : deletePhotograph(call, call.params.id)
  })
}
