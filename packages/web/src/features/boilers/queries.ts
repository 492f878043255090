import { queryOptions } from '@tanstack/react-query'
import { getBcmConnectedDevice } from '@caretaker/contract/links.ts'
import { call } from '../../api/call.ts'

/** The boiler control module that a device is connected to. */
export const bcmQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    queryKey: [tenant, 'bcm', deviceId],
    queryFn: ({ signal }) => call(getBcmConnectedDevice, { body: { tenant, deviceId } }, { signal }),
  })
