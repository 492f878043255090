import { queryOptions } from '@tanstack/react-query'
import { getBatteryLimits, getStandardLuminaires } from '@caretaker/contract/calls/equipment.ts'
import { getEquipmentLists } from '@caretaker/contract/calls/products.ts'
import { call } from '../api/call.ts'

/** What is offered where equipment is filled in. */
export const equipmentListsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'equipment lists'],
    queryFn: ({ signal }) => call(getEquipmentLists, { body: { tenant } }, { signal }),
  })

/** The client's standard luminaires, of which the settings and every light speak. */
export const standardLuminairesQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'standard luminaires'],
    meta: { shows: { subjects: ['standard luminaire'] } },
    queryFn: ({ signal }) => call(getStandardLuminaires, { body: { tenant } }, { signal }),
  })

/** Which voltages of batteries the client takes. */
export const batteryLimitsQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'battery limits'],
    meta: { shows: { subjects: ['client'] } },
    queryFn: ({ signal }) => call(getBatteryLimits, { params: { tenant } }, { signal }),
  })
