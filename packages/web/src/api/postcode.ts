import { queryOptions } from '@tanstack/react-query'
import { getLatLong } from '@caretaker/contract/calls/buildings.ts'
import { call } from './call.ts'

/** The centre of a postcode area, in degrees; null if unknown. */
export const postcodeQuery = (tenant: string, postcode: string) =>
  queryOptions({
    queryKey: [tenant, 'postcode', postcode],
    enabled: postcode !== '',
    staleTime: Infinity,
    queryFn: async ({ signal }) =>
      (await call(getLatLong, { body: { tenant, postCode: postcode } }, { signal })) as {
        lat: number
        lng: number
      } | null,
  })
