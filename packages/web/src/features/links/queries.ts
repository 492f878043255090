import { queryOptions } from '@tanstack/react-query'
import { getDeviceBySerial } from '@caretaker/contract/calls/links.ts'
import { listingRefresh } from '@caretaker/rules/lists/staleness.ts'
import { call } from '../../api/call.ts'

/**
 * The device to hand over, and the BCM or gateway that it connects to. Polled while the page is open, because the
 * mobile app changes it.
 */
export const handoverQuery = (tenant: string, serialNumber: string, bcmOrGatewayId?: string) =>
  queryOptions({
    queryKey: [tenant, 'handover', serialNumber, bcmOrGatewayId],
    queryFn: ({ signal }) => call(getDeviceBySerial, { body: { tenant, serialNumber, bcmOrGatewayId } }, { signal }),
    refetchInterval: ({ state }) => (state.error ? false : listingRefresh),
  })
