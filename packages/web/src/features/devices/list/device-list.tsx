import { useMemo } from 'react'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { exportListing, fetchViewData, getFieldChoices, shouldUpdateView } from '@caretaker/contract/calls/devices.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { detailListings, listings } from '@caretaker/rules/devices/list.ts'
import type { Product } from '@caretaker/rules/devices/products.ts'
import { isReadOnly } from '@caretaker/rules/devices/rights.ts'
import type { DeviceStatus, DisplayGroup } from '@caretaker/rules/devices/status.ts'
import type { HandedOver } from '@caretaker/rules/links/handover.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { rowPath } from '@caretaker/rules/links/row-click.ts'
import { lazily } from '../../../ui/lazily.tsx'
import type { Picked } from '../../../actions/picked.ts'
import { RowMenu } from '../../../actions/row-menu.tsx'
import { call } from '../../../api/call.ts'
import { prefetchDevice } from '../../../api/device.ts'
import { rememberListing } from '../../../api/last-listing.ts'
import type { Chosen, ChosenProps, ListSource } from '../../../lists/list-source.ts'
import { StatusChip } from '../../../ui/status-chip.tsx'
import { StatusIcon, toneOfGroup } from '../../../ui/status-icon.tsx'
import { statusGroups } from '../../../ui/status-groups.ts'
import { deviceWords } from './device-words.ts'
import { HeatingMenu, heatingScope } from './heating-menu.tsx'
import { deviceLooks } from './looks.tsx'
import { PartsLink } from '../parts/parts-link.tsx'
import { PhoneRow } from './phone-row.tsx'

const BulkBar = lazily(async () => (await import('../../../actions/bulk-bar.tsx')).BulkBar)

/** The description of a device listing for the list component. */
export function deviceList(listing: ListingName): ListSource<DeviceRow> {
  const list = listings[listing]
  const { products } = list
  const below = listing === 'Bcms' ? 'Boilers' : listing
  const detail = detailListings.find((name) => name === below)
  return {
    list,
    calls: { page: fetchViewData, choices: getFieldChoices, file: exportListing },
    async changedSince(tenant, { updatedAt, position }, signal) {
      const sent = { body: { tenant, deviceTypes: [...products], date: updatedAt, position } }
      const { shouldUpdate, deviceIds } = await call(shouldUpdateView, sent, { signal })
      // The affected rows are unknown: other devices may be visible now.
      return shouldUpdate && deviceIds.length === 0 ? 'any' : deviceIds
    },
    shows: { subjects: ['device'], products },
    looks: deviceLooks,
    words: deviceWords,
    groupSign: (_fieldId, group, place) => <GroupSign group={group as DisplayGroup} place={place} />,
    possible: (fieldId) => (fieldId === 'product' ? products : undefined),
    noun: 'devices',
    emptyHint: 'Devices appear here once they are added to this client.',
    rowId: ({ deviceId }) => deviceId,
    rowName: (row) => row.deviceDisplayName || row.deviceSerial,
    rowHref: (actor, row) => rowPath(actor, listing, handedOver(row)),
    onHover(client, tenant, { deviceId }, href) {
      if (detail && href === pathTo(tenant, detail, deviceId)) prefetchDevice(client, tenant, detail, deviceId)
    },
    phoneRow: (row) => <PhoneRow row={row} />,
    phoneFields: ['name', 'serial', 'status', 'statusReason', 'connection'],
    rowActions: (row) => <RowMenu row={row} />,
    selecting: {
      isOffered: (actor) => products.some((product) => !isReadOnly(actor, { product })),
      fault: (row) => (row.userHasReadOnlyAccess ? 'You can see this device but not change it' : undefined),
      Bar: (props) => <DeviceBar products={products} {...props} />,
    },
    ...('statusReason' in list.fields && { exportedBeside: { status: 'statusReason' } }),
    pinField: { fieldId: 'serial', of: ({ deviceSerial }) => deviceSerial },
    ...(listing === 'EmergencyLights' && { Tools: PartsLink }),
    tabs: ['failed'],
    keepsViews: listing !== 'ThirdParty',
    ...(listing === 'Bcms' ? { scopeIn: heatingScope, ScopeMenu: HeatingMenu } : {}),
    onShown(tenant, area, address) {
      rememberListing(tenant, area as ListingName, address)
      // Rows of Bcms open below Boilers, so the back link of that page must return here.
      if (area === 'Bcms') rememberListing(tenant, 'Boilers', address)
    },
  }
}

function DeviceBar({ chosen, ...rest }: ChosenProps<DeviceRow> & { products: readonly Product[] }) {
  const picked = useMemo(() => chosen && pickedOf(chosen), [chosen])
  return <BulkBar picked={picked} {...rest} />
}

function pickedOf(chosen: Chosen<DeviceRow>): Picked {
  if ('rows' in chosen) return { devices: chosen.rows }
  const { question, except } = chosen
  return { query: { ...question, listing: question.listing as ListingName }, except: [...except] }
}

function GroupSign({ group, place }: { group: DisplayGroup; place: 'chip' | 'choice' }) {
  if (place === 'chip') return <StatusIcon tone={toneOfGroup[group]} size={14} />
  const { values } = statusGroups.find(({ id }) => id === group)!
  return <StatusChip status={values[0] as DeviceStatus} brief />
}

function handedOver(row: DeviceRow): HandedOver {
  return {
    deviceId: row.deviceId,
    serialNumber: row.deviceSerial,
    product: row.deviceProductId,
    status: row.deviceStatus,
    inWholesale: row.deviceInWholesale,
    propertyId: row.devicePropertyId,
  }
}
