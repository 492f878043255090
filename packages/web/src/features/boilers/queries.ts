import { queryOptions } from '@tanstack/react-query'
import { getBoilerFaults } from '@caretaker/contract/faults.ts'
import { getBcmConnectedDevice } from '@caretaker/contract/links.ts'
import { call } from '../../api/call.ts'
import { devicePageKey } from '../../api/device.ts'

/** The boiler control module that a device is connected to. */
export const bcmQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'bcm', deviceId],
    queryFn: ({ signal }) => call(getBcmConnectedDevice, { body: { tenant, deviceId } }, { signal }),
  })

/** Faults of the boiler and its autofills of so many last days, newest first. */
export const faultsQuery = (tenant: string, deviceId: string, days: number) =>
  queryOptions({
    queryKey: [...devicePageKey(tenant, deviceId), 'faults', days],
    // Autofills are devices of their own, and a reset that ended a fault is told with it.
    meta: { shows: { subjects: ['device'], products: ['BX', 'BC', 'ASHP', 'AF', 'AZ'] } },
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString()
      return call(getBoilerFaults, { body: { tenant, deviceId, from } }, { signal })
    },
  })
