import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { exportPartsList, getPartsList } from '@caretaker/contract/calls/parts.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { call } from '../../../api/call.ts'

interface Asked {
  filters: readonly Filter[]
  search: string
}

const bodyOf = (tenant: string, { filters, search }: Asked) => ({
  tenant,
  filters: filters.map(({ fieldId, filterOp, value }) => ({
    ...{ fieldId, filterOp },
    value: typeof value === 'object' ? [...value] : value,
  })),
  search,
})

export const partsQuery = (tenant: string, asked: Asked) =>
  queryOptions({
    queryKey: [tenant, 'parts list', asked],
    meta: { shows: { subjects: ['device'], products: listings.EmergencyLights.products } },
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call(getPartsList, { body: bodyOf(tenant, asked) }, { signal }),
  })

export const partsFile = (tenant: string, asked: Asked) => call(exportPartsList, { body: bodyOf(tenant, asked) })
