import { queryOptions } from '@tanstack/react-query'
import { getSelectionTags, previewPropertySelection, previewSelection } from '@caretaker/contract/calls/actions.ts'
import type { DeviceRow, DeviceSelection } from '@caretaker/contract/devices.ts'
import type { PropertySelection } from '@caretaker/contract/property-selection.ts'
import { call } from '../api/call.ts'

/** The part of a device that bulk actions need. */
export type SelectedDevice = Pick<
  DeviceRow,
  'deviceId' | 'deviceProductId' | 'deviceStatus' | 'deviceSerial' | 'deviceDisplayName'
>

/** Selected devices: picked rows, all that match a query except some, or those in selected properties. */
export type Picked = { devices: readonly SelectedDevice[] } | Exclude<DeviceSelection, { deviceIds: unknown }>

/** The selection in the form that the calls expect. */
export function selectionOf(picked: Picked): DeviceSelection {
  return 'devices' in picked ? { deviceIds: picked.devices.map(({ deviceId }) => deviceId) } : picked
}

/** The devices of a query and the actions for them, counted by the server. */
export const previewQuery = (tenant: string, picked: Picked | undefined) =>
  queryOptions({
    queryKey: [tenant, 'selection', picked],
    queryFn: ({ signal }) => call(previewSelection, { body: { tenant, selection: selectionOf(picked!) } }, { signal }),
    enabled: picked !== undefined && 'query' in picked,
    // Deselecting a row changes the count by one: the previous count is shown until the new one arrives.
    placeholderData: (former, query) => (query?.queryKey[0] === tenant ? former : undefined),
  })

/** The selected properties and the actions for them. */
export const homesPreviewQuery = (tenant: string, selection: PropertySelection | undefined) =>
  queryOptions({
    queryKey: [tenant, 'selection', 'homes', selection],
    queryFn: ({ signal }) => call(previewPropertySelection, { body: { tenant, selection: selection! } }, { signal }),
    enabled: selection !== undefined,
    placeholderData: (former, query) => (query?.queryKey[0] === tenant ? former : undefined),
  })

/** The tags of the selected devices, with the number of devices for each. */
export const carriedTagsQuery = (tenant: string, picked: Picked) =>
  queryOptions({
    queryKey: [tenant, 'selection', 'tags', picked],
    queryFn: ({ signal }) => call(getSelectionTags, { body: { tenant, selection: selectionOf(picked) } }, { signal }),
  })
