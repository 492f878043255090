import { queryOptions } from '@tanstack/react-query'
import { getLatLong } from '@caretaker/contract/calls/buildings.ts'
import { call } from './call.ts'

/** The middle of the area of a post code, in degrees; null if it is not known. */
export const postcodeQuery = (tenant: string, postcode: string) =>
  queryOptions({
    queryKey: [tenant, 'post code', postcode],
    enabled: postcode !== '',
    staleTime: Infinity,
    queryFn: async ({ signal }) =>
      (await call(getLatLong, { body: { tenant, postCode: postcode } }, { signal })) as {
        lat: number
        lng: number
      } | null,
  })
