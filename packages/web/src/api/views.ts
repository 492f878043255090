import { queryOptions } from '@tanstack/react-query'
import type { UserDocument } from '@caretaker/contract/documents.ts'
import { getDocuments } from '@caretaker/contract/calls/documents.ts'
import { getViewDefinitions } from '@caretaker/contract/calls/views.ts'
import { allLists } from '@caretaker/rules/views/lists.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { call } from './call.ts'

/**
 * The views of all listings that the user may see, with the fields of each. Change events do not refresh them: a user
 * who edits a view must get the conflict on save instead of overwriting unseen changes.
 */
export const viewsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'views'],
    queryFn: ({ signal }) => call(getViewDefinitions, { body: { tenant } }, { signal }),
    staleTime: 60_000,
  })

/** The saved list views of the grids, by user. */
export const listViewsQuery = (tenant: string, memberId: string) =>
  queryOptions({
    queryKey: [tenant, 'list views', memberId],
    queryFn: async ({ signal }) => {
      const query = { userId: memberId, documentType: 'ListingViewConfig' as const }
      const { results } = await call(getDocuments, { params: { tenant }, query }, { signal })
      return results.filter((document) => document.documentType === 'ListingViewConfig')
    },
    staleTime: 60_000,
  })

/** A saved list view of a grid in the shape of other views; it is private to its user. */
export function viewOfDocument({ id, metadata, content }: UserDocument, memberId: string): View {
  const { root, category } = allLists[metadata.userViewType]
  return {
    viewId: id,
    label: metadata.userViewName,
    root,
    category,
    builtIn: false,
    private: true,
    authors: [],
    owner: memberId,
    ...content,
    version: 0,
  }
}
