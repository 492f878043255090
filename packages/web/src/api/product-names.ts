import { queryOptions, useQuery } from '@tanstack/react-query'
import { getProductNames } from '@caretaker/contract/calls/products.ts'
import { call } from './call.ts'
import { useFailureToast } from './failure-toast.ts'

const productNamesQuery = queryOptions({
  queryKey: [getProductNames.path],
  queryFn: async ({ signal }) => (await call(getProductNames, {}, { signal })).results,
  staleTime: Infinity,
})

/** The name of a product by its code; the code itself until names are loaded. */
export function useProductName(code: string): string {
  const names = useQuery(productNamesQuery)
  useFailureToast(names, 'An error occurred while fetching productNames.')
  return names.data?.find(({ productCode }) => productCode === code)?.name ?? code
}
