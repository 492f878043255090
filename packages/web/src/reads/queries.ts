import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { getPersonalDataReads } from '@caretaker/contract/calls/reads.ts'
import { call } from '../api/call.ts'

/** Exactly one: the property or resident that was looked at, or the user who looked. */
export type ReadsAbout = { propertyId: string } | { residentId: string } | { userId: string }

export const readsPageSize = 25

export const readsQuery = (tenant: string, about: ReadsAbout, page: number) =>
  queryOptions({
    queryKey: [tenant, 'personal data reads', about, page],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      call(
        getPersonalDataReads,
        { params: { tenant }, query: { ...about, page, pageSize: readsPageSize } },
        { signal },
      ),
  })
