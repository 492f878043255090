import { useMemo } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { isDefinitionListing, listings } from '@caretaker/rules/devices/list.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import { builtInViews } from '@caretaker/rules/views/view.ts'
import { useActor } from '../../api/actor.ts'
import { useFailureToast } from '../../api/failure-toast.ts'
import { listViewsQuery, viewOfDocument, viewsQuery } from '../../api/views.ts'

/** The views of a listing, built-in ones first; undefined while they load. Saved ones that do not load are left out. */
export function useListingViews(listing: ListingName): readonly View[] | undefined {
  const { tenant, memberId } = useActor()
  const areDefinitions = isDefinitionListing(listing)
  const definitions = useQuery({ ...viewsQuery(tenant), enabled: areDefinitions })
  const documents = useQuery({ ...listViewsQuery(tenant, memberId), enabled: !areDefinitions })
  useFailureToast(areDefinitions ? definitions : documents, 'The saved views could not be loaded.')
  return useMemo(() => {
    if (areDefinitions) {
      if (definitions.isPending) return undefined
      return (
        definitions.data?.views.filter(({ root }) => root === listings[listing].root) ?? builtInViews(listings[listing])
      )
    }
    if (documents.isPending) return undefined
    const own = (documents.data ?? []).filter(({ metadata }) => metadata.userViewType === listing)
    return [...builtInViews(listings[listing]), ...own.map((document) => viewOfDocument(document, memberId))]
  }, [listing, areDefinitions, definitions.isPending, definitions.data, documents.isPending, documents.data, memberId])
}

/** The view that a listing shows unless another is asked for. */
export function mainView(listing: ListingName, views: readonly View[]): View | undefined {
  const { label } = listings[listing]
  return views.find((view) => view.builtIn && view.label === label) ?? views[0]
}
