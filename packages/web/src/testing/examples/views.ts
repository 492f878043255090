import type { UserDocument } from '@caretaker/contract/documents.ts'
import { deleteDocument, getDocuments, saveDocument } from '@caretaker/contract/documents.ts'
import type { ViewDefinition } from '@caretaker/contract/views.ts'
import {
  countStartPages,
  createViewDefinition,
  deleteViewDefinition,
  getStartPage,
  getViewDefinitions,
  setStartPage,
  updateViewDefinition,
  ViewContent,
} from '@caretaker/contract/views.ts'
import { allLists, definitionListNames, listOfRoot } from '@caretaker/rules/views/lists.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import type { ServerAnswer } from '../network.ts'
import { answer } from '../network.ts'

/** The system views of all listings with view definitions. */
export const systemViews = (): ViewDefinition[] =>
  definitionListNames
    .flatMap((name) => builtInViews(allLists[name]))
    .map((view) => structuredClone({ ...view, ownerName: null })) as unknown as ViewDefinition[]

let made = 0

/** A private view of emergency lights owned by the user: passed lights in three columns. */
export function savedView(more: Partial<ViewDefinition> = {}): ViewDefinition {
  made++
  return {
    viewId: `11111111-0000-4000-8000-${String(made).padStart(12, '0')}`,
    label: `View ${made}`,
    root: 'emered',
    category: 'emered',
    builtIn: false,
    private: true,
    authors: [],
    owner: 'member',
    ownerName: 'Priya Nair',
    columns: ['serial', 'name', 'status'],
    filters: [{ fieldId: 'status', filterOp: 'equals', value: 'Ok' }],
    sorts: [],
    version: 1,
    ...more,
  }
}

/** The view definitions of a client: system views and these, which can be added, changed and deleted. */
export function viewDefinitions(...saved: ViewDefinition[]): ServerAnswer[] {
  let views = [...systemViews(), ...saved]
  let startPage: string | null = null
  return [
    answer(getStartPage, () => ({ viewId: startPage })),
    answer(setStartPage, ({ body: { viewId } }) => {
      startPage = viewId
      return { viewId }
    }),
    answer(countStartPages, { people: 0, losingAccess: 0 }),
    answer(getViewDefinitions, () => ({ views, fields: {} })),
    answer(createViewDefinition, ({ body: { view: sent } }) => {
      const { category } = listOfRoot(sent.root)!
      const view = savedView({ ...(sent as Partial<ViewDefinition>), category })
      views = [...views, view]
      return view
    }),
    answer(updateViewDefinition, ({ body: { view: sent } }) => {
      const { viewId, version, ...change } = sent
      const known = views.find((view) => view.viewId === viewId)!
      const view = { ...known, ...(change as Partial<ViewDefinition>), version: version + 1 }
      views = views.map((one) => (one.viewId === viewId ? view : one))
      return view
    }),
    answer(deleteViewDefinition, ({ body: { viewId } }) => {
      views = views.filter((view) => view.viewId !== viewId)
      return { viewId }
    }),
  ]
}

/** The grid views of the signed-in user. */
export function viewDocuments(): ServerAnswer[] {
  let documents: UserDocument[] = []
  return [
    answer(getDocuments, () => ({ results: documents })),
    answer(saveDocument, async ({ form }) => {
      if (!('metadata' in form) || !('userViewName' in form.metadata)) throw new Error('This is not a view of a list')
      const { documentId = `22222222-0000-4000-8000-${String(++made).padStart(12, '0')}` } = form as {
        documentId?: string
      }
      const document: UserDocument = {
        id: documentId,
        userId: 'member',
        documentType: 'ListingViewConfig',
        contentType: 'application/json',
        metadata: form.metadata,
        content: ViewContent.parse(JSON.parse(await form.content.text())),
        updatedAt: new Date().toISOString(),
      }
      documents = [...documents.filter(({ id }) => id !== documentId), document]
      return document
    }),
    answer(deleteDocument, ({ params }) => {
      documents = documents.filter(({ id }) => id !== params.id)
      return undefined as never
    }),
  ]
}
