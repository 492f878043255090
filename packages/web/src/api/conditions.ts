import { queryOptions } from '@tanstack/react-query'
import { getDeviceConditions } from '@caretaker/contract/calls/conditions.ts'
import { call } from './call.ts'
import { devicePageKey } from './device.ts'

/** The reasons for the status of a device. */
export const conditionsQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'conditions'],
    meta: { shows: { subjects: ['device'], deviceId } },
    queryFn: ({ signal }) => call(getDeviceConditions, { body: { tenant, deviceId } }, { signal }),
  })
