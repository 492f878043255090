import { queryOptions } from '@tanstack/react-query'
import { getBatteryLimits, getStandardLuminaires } from '@caretaker/contract/calls/equipment.ts'
import { getEquipmentLists } from '@caretaker/contract/calls/products.ts'
import { call } from '../api/call.ts'

/** The common values for equipment. */
export const equipmentListsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'equipment lists'],
    queryFn: ({ signal }) => call(getEquipmentLists, { body: { tenant } }, { signal }),
  })

/** The standard luminaires of the client, used in settings and by every light. */
export const standardLuminairesQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'standard luminaires'],
    meta: { shows: { subjects: ['standard luminaire'] } },
    queryFn: ({ signal }) => call(getStandardLuminaires, { body: { tenant } }, { signal }),
  })

/** The battery voltages that the client allows. */
export const batteryLimitsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'battery limits'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getBatteryLimits, { params: { tenant } }, { signal }),
  })
