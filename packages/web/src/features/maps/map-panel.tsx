import type { OpenedMapBuilding } from '@caretaker/contract/maps.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { listingAddress } from '../../api/listing-address.ts'
import { notPlacedText } from '../../plans/device-look.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { OtherFloors } from './floor-selector.tsx'
import type { FloorOf } from './floors.ts'
import { MapList } from './map-list.tsx'
import type { Shown } from './shown.ts'
import type { MapContents } from './use-map-contents.ts'
import type { MapSubject } from './use-map-subject.ts'
import classes from './maps.module.css'

interface MapPanelProps {
  subject: MapSubject
  contents: MapContents
  chosenId: string | undefined
  choose: (one: Shown) => void
}

/** The list beside the map, or an empty state. */
export function MapPanel({ subject, contents, chosenId, choose }: MapPanelProps) {
  const { search, hasBuilding, building, buildingAnswer, floor, floors, by, isOfDevices, change } = subject
  const { data, all, list, find, setFind, debouncedFind, most, isFetching, showMore } = contents
  if (hasBuilding && buildingAnswer.isError && !building)
    return <Failed onRetry={() => void buildingAnswer.refetch()} />
  if (search.floor !== undefined && building && !floor)
    return <Empty text="Floor not found" hint="Choose another floor or go back to the map." />
  if (contents.hasFailed) return <Failed onRetry={contents.retry} />
  if (all?.total === 0) return <NothingPlaced subject={subject} />
  if (!data || !all) return <Loading label="Loading the map" />
  const title = () => {
    if (debouncedFind) return isOfDevices ? 'Devices found' : 'Buildings found'
    return floor ? floorTitle(floor.name) : isOfDevices ? 'Devices here' : 'Buildings here'
  }
  return (
    <MapList
      title={title()}
      data={{ ...data, list, total: all.total }}
      by={by}
      chosen={search.deviceId ?? (isOfDevices ? undefined : chosenId)}
      onChoose={choose}
      find={find}
      onFind={setFind}
      finds={isOfDevices ? 'Find a device or building' : 'Find a building or postcode'}
      found={debouncedFind !== ''}
      most={most}
      isFetching={isFetching}
      onMore={showMore}
      places={!isOfDevices ? 'beside' : floor && !debouncedFind ? 'known' : 'above'}
    >
      {floor && !debouncedFind && floor.notPlaced > 0 && (
        <p className={classes.none}>
          {notPlacedText(floor.notPlaced, floor.notPlacedFailed)}: they are on this floor and not on its map.
        </p>
      )}
      {floor && !debouncedFind && (
        <OtherFloors
          floors={floors}
          shown={floor}
          by={by}
          onFloor={(at) => change({ floor: at, deviceId: undefined })}
        />
      )}
    </MapList>
  )
}

function NothingPlaced({ subject: { floor, actor, isOfDevices } }: { subject: MapSubject }) {
  if (!isOfDevices) return <Empty text="No building has a position" hint="Set a position on the page of a building." />
  const how = () => {
    if (!floor || !can(actor, 'edit buildings')) return 'Set coordinates on the page of a device.'
    return floor.hasFloorPlan
      ? 'Place the devices on its floor plan.'
      : 'Upload a floor plan and place the devices on it.'
  }
  const waiting = floor && floor.notPlaced > 0 ? `${notPlacedText(floor.notPlaced, floor.notPlacedFailed)}. ` : ''
  return (
    <Empty
      text={floor ? 'No device on this floor has coordinates' : 'No device has coordinates'}
      hint={`${waiting}${how()}`}
    />
  )
}

/** The links below the list: the rows in the listing, and the plan of the floor. */
export function MapPanelLinks({ subject }: { subject: MapSubject }) {
  const { actor, tenant, search, building, floor, isOfDevices } = subject
  const mayPlace = floor !== undefined && can(actor, 'edit buildings')
  const listing = isOfDevices ? building && floor && listingOf(actor, building, floor) : pathTo(tenant, 'Buildings')
  if (!listing && !mayPlace) return null
  return (
    <footer className={classes.ways}>
      {listing && <AppLink href={listing}>Open in the listing</AppLink>}
      {mayPlace && floor.hasFloorPlan && (
        <AppLink href={`${pathTo(tenant, 'FloorPlan', 'Place')}?building=${search.building}&floor=${search.floor}`}>
          Place devices
        </AppLink>
      )}
      {mayPlace && !floor.hasFloorPlan && (
        <AppLink href={pathTo(tenant, 'Buildings', search.building!)}>Upload a floor plan</AppLink>
      )}
    </footer>
  )
}

/** The address of the listing with exactly the devices of a floor; undefined if no single listing has them all. */
function listingOf(actor: Actor, building: OpenedMapBuilding, { listing, name }: FloorOf): string | undefined {
  if (!listing || !can(actor, listings[listing].may)) return undefined
  const filters = [
    { fieldId: 'building', filterOp: 'equals', value: building.name },
    { fieldId: 'floor', filterOp: 'equals', value: name },
  ] as const
  return listingAddress(actor.tenant, listing, { filters })
}

const floorTitle = (name: string) => (/^-?\d+$/.test(name) ? `Floor ${name}` : name)
