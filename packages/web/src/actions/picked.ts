import { queryOptions } from '@tanstack/react-query'
import { getSelectionTags, previewPropertySelection, previewSelection } from '@caretaker/contract/calls/actions.ts'
import type { DeviceRow, DeviceSelection } from '@caretaker/contract/devices.ts'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import { call } from '../api/call.ts'

/** A device as far as a bulk action on it needs. */
export type SelectedDevice = Pick<
  DeviceRow,
  'deviceId' | 'deviceProductId' | 'deviceStatus' | 'deviceSerial' | 'deviceDisplayName'
>

/** Devices that something is done with: some that were picked, all that a question finds but for a few, or those in homes. */
export type Picked = { devices: readonly SelectedDevice[] } | Exclude<DeviceSelection, { deviceIds: unknown }>

/** The same, as the calls take it. */
export function selectionOf(picked: Picked): DeviceSelection {
  return 'devices' in picked ? { deviceIds: picked.devices.map(({ deviceId }) => deviceId) } : picked
}

/** What the devices of a question come to, and what can be done with them: the server counts, however many they are. */
export const previewQuery = (tenant: string, picked: Picked | undefined) =>
  queryOptions({
    queryKey: [tenant, 'selection', picked],
    queryFn: ({ signal }) => call(previewSelection, { body: { tenant, selection: selectionOf(picked!) } }, { signal }),
    enabled: picked !== undefined && 'query' in picked,
    // One row more or less: until it is counted again, the former count is nearly right.
    placeholderData: (former, query) => (query?.queryKey[0] === tenant ? former : undefined),
  })

/** What a selection of homes comes to, and what can be done with them. */
export const homesPreviewQuery = (tenant: string, selection: PropertySelection | undefined) =>
  queryOptions({
    queryKey: [tenant, 'selection', 'homes', selection],
    queryFn: ({ signal }) => call(previewPropertySelection, { body: { tenant, selection: selection! } }, { signal }),
    enabled: selection !== undefined,
    placeholderData: (former, query) => (query?.queryKey[0] === tenant ? former : undefined),
  })

/** The tags that the selected devices carry, and how many carry each. */
export const carriedTagsQuery = (tenant: string, picked: Picked) =>
  queryOptions({
    queryKey: [tenant, 'selection', 'tags', picked],
    queryFn: ({ signal }) => call(getSelectionTags, { body: { tenant, selection: selectionOf(picked) } }, { signal }),
  })
