import { useEffect, useEffectEvent, useMemo, useState, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { ActionIcon } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconArrowLeft } from '../../icons/index.ts'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { MapCluster, MapOpened } from '@caretaker/contract/maps.ts'
import { openingFloor } from '@caretaker/rules/buildings/default-floor.ts'
import { cornersOf } from '@caretaker/rules/buildings/geometry.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { Frame, Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { isIn, startView, viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { listed } from '@caretaker/rules/maps/listed.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { usePresence } from '../../api/actor.ts'
import { listingAddress } from '../../api/listing-address.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { buildingsExtentQuery, buildingsQuery } from '../../map/buildings-query.ts'
import { buildingMarker, clusterMarker, orderOf } from '../../map/map-markers.tsx'
import type { MapMarker } from '../../map/map-props.ts'
import { LandSwitch } from '../../map/land-switch.tsx'
import { MapSwitch } from '../../map/map-switch.tsx'
import { MapView } from '../../map/map-view.tsx'
import { DevicePin, sharesOf, StackPin, ToneIcon, UnreachedIcon } from '../../map/pins.tsx'
import { notPlacedText } from '../../plans/device-look.tsx'
import { usePlanPicture } from '../../plans/plan-picture.ts'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading, NotFound, Refused } from '../../ui/states.tsx'
import { BuildingCard } from './building-card.tsx'
import { DeviceCard } from './device-card.tsx'
import { FloorSelector, OtherFloors } from './floor-selector.tsx'
import type { FloorOf } from './floors.ts'
import { MapList } from './map-list.tsx'
import { atText, viewIn, type MapSearch } from './map-place.ts'
import { devicesExtentQuery, devicesQuery, openedQuery, pointQuery, wholeWorld } from './queries.ts'
import { idOf, isDevice, lookAlone, nameOf, wordOf, type Shown } from './shown.ts'
import { SheetGrip } from './sheet-grip.tsx'
import { StackCard } from './stack-card.tsx'
import { stacksOf } from './stacks.ts'
import classes from './maps.module.css'

/** Milliseconds after the last letter until it is looked for. */
const findDelay = 250

interface MapPageProps {
  /** What the map is of as long as no floor is chosen. */
  of: 'buildings' | 'devices'
  title: string
}

/** A map and the list of what it shows, which choose each other. The address is the state. */
export function MapPage({ of, title }: MapPageProps) {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle(title, client.displayName)
  const search = useSearch({ strict: false }) as MapSearch
  const navigate = useNavigate()
  const { history } = useRouter()
  const by: MapStatusFilter = search.by ?? 'device'
  const change = (more: { [Part in keyof MapSearch]: MapSearch[Part] | undefined }, replace = false) =>
    void navigate({
      to: '.',
      search: ((before: MapSearch) => ({ ...before, ...more })) as never,
      replace,
      resetScroll: false,
    })

  const [seen, setSeen] = useState<{ frame: Frame; size: Size; zoom: number }>()
  /** It is on its way to somewhere else. */
  const [leaving, setLeaving] = useState(false)
  const [view, setView] = useState<View>(viewIn(search.at) ?? startView)
  const [find, setFind] = useState('')
  const [settledFind] = useDebouncedValue(find.trim(), findDelay)
  const listOf = [search.building, search.floor, settledFind].join()
  const [rows, setRows] = useState({ of: listOf, most: listed.first as number })
  const most = rows.of === listOf ? rows.most : listed.first
  const asked = {
    ...(most > listed.first && { most }),
    ...{ frame: seen?.frame ?? wholeWorld, zoom: seen?.zoom ?? startView.zoom, by },
    ...(settledFind && { find: settledFind }),
  }

  const hasBuilding = search.building !== undefined
  const buildingAnswer = useQuery({ ...openedQuery(tenant, search.building ?? ''), enabled: hasBuilding })
  const building = hasBuilding ? buildingAnswer.data : undefined
  const floors = building?.floors ?? none
  const floor = floors.find(({ index }) => index === search.floor)
  const pointAnswer = useQuery({
    ...pointQuery(tenant, search.deviceId ?? ''),
    enabled: search.deviceId !== undefined,
  })
  const preselected = pointAnswer.data ?? undefined
  // Who comes for a device, or for a building as a plan, is shown the floor; who looks at the map itself stays there.
  const [comesFor, setComesFor] = useState(hasBuilding || search.at ? undefined : search.deviceId)
  const isFetchingDevice = comesFor !== undefined && comesFor === search.deviceId && !hasBuilding
  const floorOfDevice = preselected?.deviceId === search.deviceId ? preselected?.floorId : undefined
  const opening =
    floors.find((one) => one.floor === floorOfDevice) ??
    openingFloor(
      floors,
      floors.find((one) => one.floor === building?.defaultFloor),
    )
  const isOpening =
    of === 'devices' &&
    search.floor === undefined &&
    (hasBuilding
      ? !buildingAnswer.isError && (!building || opening !== undefined)
      : isFetchingDevice && (pointAnswer.isPending || Boolean(preselected?.buildingId && preselected.floorId)))
  const isOfDevices = of === 'devices' || search.floor !== undefined
  const part = floor && building ? { building: building.building, floor: floor.floor } : {}
  const areDevicesKnown = isOfDevices && !isOpening && (search.floor === undefined || floor !== undefined)
  const devicesExtent = useQuery({ ...devicesExtentQuery(tenant, part), enabled: areDevicesKnown })
  const buildingsExtent = useQuery({ ...buildingsExtentQuery(tenant), enabled: !isOfDevices })
  const { data: all, isError: isExtentUnknown, refetch: refetchExtent } = isOfDevices ? devicesExtent : buildingsExtent
  const [lookedAt, setLookedAt] = useState(viewIn(search.at) ? keyOf(search) : undefined)
  // Nothing is asked of a frame that is left at once for where everything is.
  const staysHere =
    seen !== undefined &&
    !leaving &&
    (lookedAt !== undefined || hasBuilding || search.deviceId !== undefined || all !== undefined)
  const deviceAnswer = useQuery({
    ...devicesQuery(tenant, part, asked),
    enabled: staysHere && areDevicesKnown,
  })
  const buildingsAnswer = useQuery({ ...buildingsQuery(tenant, asked), enabled: staysHere && !isOfDevices })
  const { data, isError, isFetching, refetch } = isOfDevices ? deviceAnswer : buildingsAnswer
  const points: readonly Shown[] = data?.points ?? []
  const list: readonly Shown[] = data?.list ?? []
  const device =
    search.deviceId === undefined
      ? undefined
      : ([...list, ...points].find((one): one is MapPoint => isDevice(one) && one.deviceId === search.deviceId) ??
        preselected)

  const picture = usePlanPicture(building?.building ?? '', floor)
  const plans = useMemo(
    () =>
      floor && picture && floor.lat !== null && floor.lng !== null
        ? [{ id: floor.floor, src: picture, corners: cornersOf({ ...floor, lat: floor.lat, lng: floor.lng }) }]
        : [],
    [floor, picture],
  )

  // What is chosen is looked at, once its place is known; not again when somebody has moved on, and not over an address that says where.
  const key = keyOf(search)
  const target = targetOf()
  function targetOf(): View | undefined {
    if (!seen) return undefined
    if (search.deviceId !== undefined) return device && { lat: device.lat, lng: device.lng, zoom: mapZooms.marker }
    const opened = (floor && placeIn(floor)) ?? (building && placeIn(building))
    // A floor that has no place, in a building without one, is where its devices are.
    const isNowhere = floor !== undefined && !opened && !devicesExtent.isPlaceholderData
    if (hasBuilding && !isNowhere) return opened && { ...opened, zoom: mapZooms.building }
    // Back from a building the map stays where it is.
    return (isNowhere || lookedAt === undefined) && all?.extent
      ? viewOf(all.extent, seen.size, { most: mapZooms.building })
      : undefined
  }
  // A client with one building has nothing to choose from.
  const isOnly = of === 'buildings' && !hasBuilding && lookedAt === undefined && all?.total === 1
  const only = isOnly ? list[0] : undefined
  if (
    !isOnly &&
    lookedAt !== key &&
    (target || (lookedAt !== undefined && !hasBuilding && search.deviceId === undefined))
  ) {
    setLookedAt(key)
    // The next floor is looked at from where one is.
    const isThere = floor && seen && target && seen.zoom >= mapZooms.building - 1 && isIn(seen.frame, target)
    if (target && !isThere) {
      setView(target)
      setLeaving(seen !== undefined && Math.abs(target.zoom - seen.zoom) > 1)
    }
  }
  const onlyId = only && idOf(only)
  const openOnly = useEffectEvent((building: string) => change({ building }, true))
  useEffect(() => {
    if (onlyId) openOnly(onlyId)
  }, [onlyId])
  const openFloor = useEffectEvent((floor: number) => change({ floor }, true))
  const openBuilding = useEffectEvent((building: string) => change({ building }, true))
  const isDeviceAwaited = search.deviceId !== undefined && pointAnswer.isPending
  const awaited = isDeviceAwaited ? undefined : hasBuilding ? opening?.index : (preselected?.buildingId ?? undefined)
  useEffect(() => {
    if (!isOpening || awaited === undefined) return
    if (typeof awaited === 'number') openFloor(awaited)
    else openBuilding(awaited)
  }, [isOpening, awaited])

  const [isUp, setUp] = useState(false)
  const choose = (one: Shown) => {
    // On a phone what was chosen is below the list.
    setUp(false)
    if (isDevice(one)) change({ deviceId: one.deviceId })
    else change({ building: one.building, floor: undefined })
  }
  const goBack = () => {
    setComesFor(undefined)
    if (hasBuilding || search.deviceId !== undefined)
      change({ building: undefined, floor: undefined, deviceId: undefined })
    else history.back()
  }
  const zoomIn = (cluster: MapCluster) => {
    const nearer = viewOf(cluster.extent, seen?.size ?? { width: 600, height: 400 }, { most: mapZooms.marker })
    setView({ ...nearer, zoom: Math.max(nearer.zoom, Math.min(view.zoom + 1, mapZooms.marker)) })
  }

  // An address may name a building by its name.
  const chosenId = search.deviceId ?? building?.building ?? search.building
  // What is chosen lies above the others and in no stack.
  const stacks = useMemo(
    () =>
      stacksOf(
        points.filter((one) => idOf(one) !== chosenId),
        view.zoom,
      ),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- points are those of data
    [data, chosenId, view.zoom],
  )
  const markers = useMemo(
    () => [
      ...(data?.clusters ?? []).map((cluster) => clusterMarker(cluster, by, isOfDevices ? 'devices' : 'buildings')),
      ...points.filter((one) => idOf(one) === chosenId).map((one) => markerOf(one, by, true, view.zoom)),
      ...stacks.map((stack) => (stack.length > 1 ? stackMarker(stack, by) : markerOf(stack[0]!, by, false, view.zoom))),
    ],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- points are those of data
    [data, stacks, by, isOfDevices, chosenId, view.zoom],
  )
  const [opened, setOpened] = useState<string>()
  const stack = stacks.find((spot) => spot.length > 1 && idOf(spot[0]!) === opened)
  const press = (id: string) => {
    const cluster = data?.clusters.find((one) => one.id === id)
    const spot = stacks.find(([first]) => idOf(first!) === id)
    const one = points.find((point) => idOf(point) === id)
    setOpened(undefined)
    if (spot && spot.length > 1) setOpened(id)
    else if (one) choose(one)
    else if (cluster) zoomIn(cluster)
  }

  const refused = hasBuilding && buildingAnswer.error instanceof CallError ? buildingAnswer.error.status : undefined
  const back = { href: pathTo(tenant, of === 'buildings' ? 'BuildingMap' : 'FloorPlan'), label: title }
  if (refused === 403) return <Refused back={back} />
  if (refused === 404 || refused === 400) return <NotFound back={back} hint="There is no such building here." />

  const head = building?.name ?? title
  const signs = data ? sharesOf(data.counts, by) : []
  const mayPlace = floor !== undefined && can(actor, 'edit buildings')
  const listing = isOfDevices ? building && floor && listingOf(actor, building, floor) : pathTo(tenant, 'Buildings')
  return (
    <div className={classes.page}>
      <h1 className="visually-hidden">{hasBuilding && building ? `${title}: ${building.name}` : title}</h1>
      <div className={classes.stage}>
        <MapView
          label={`Map of ${isOfDevices ? 'devices' : 'buildings'}`}
          view={view}
          onView={(moved, frame, size) => {
            setLeaving(false)
            setSeen({ frame, size, zoom: Math.round(moved.zoom * 100) / 100 })
            setView(moved)
            if (seen) change({ at: atText(moved) }, true)
          }}
          markers={markers}
          plans={plans}
          kind={search.land ?? 'roadmap'}
          onMarker={press}
          onShowAll={
            all?.extent && seen ? () => setView(viewOf(all.extent!, seen.size, { most: mapZooms.building })) : undefined
          }
        />
        <div className={classes.topLeft}>
          <div className={classes.head}>
            <ActionIcon variant="subtle" color="gray" aria-label="Back" onClick={goBack}>
              <IconArrowLeft size={18} aria-hidden />
            </ActionIcon>
            <div>
              <p className={classes.title}>{head}</p>
              <p className={classes.sub}>{subOf()}</p>
            </div>
          </div>
          {building && floors.length > 0 && (
            <FloorSelector
              floors={floors}
              at={search.floor}
              by={by}
              onFloor={(at) => change({ floor: at, deviceId: undefined })}
            />
          )}
        </div>
        <div className={classes.topRight}>
          <MapSwitch
            label="Colours show"
            choices={[
              { value: 'device', label: 'Device' },
              { value: 'connection', label: 'Connection' },
            ]}
            value={by}
            onChange={(value) => change({ by: value === 'connection' ? value : undefined }, true)}
          />
          <LandSwitch
            kind={search.land ?? 'roadmap'}
            onKind={(kind) => change({ land: kind === 'satellite' ? kind : undefined }, true)}
          />
        </div>
        {data && signs.length > 0 && (
          // On a phone it is moved sideways, by keys too.
          <div className={classes.legend} role="region" aria-label="What the signs mean" tabIndex={0}>
            <ul aria-label="Legend">
              {signs.map(({ id, tone, word, count }) => (
                <li key={id}>
                  <ToneIcon tone={tone} /> {word} <b>{count.toLocaleString('en-GB')}</b>
                </li>
              ))}
              {isOfDevices && by === 'device' && data.counts.connection.NotConnected > 0 && (
                <li>
                  <UnreachedIcon /> Not connected <b>{data.counts.connection.NotConnected.toLocaleString('en-GB')}</b>
                </li>
              )}
            </ul>
          </div>
        )}
        {stack && (
          <StackCard
            key={opened}
            stack={stack}
            by={by}
            onChoose={(one) => {
              setOpened(undefined)
              choose(one)
            }}
            onClose={() => {
              setOpened(undefined)
              document.querySelector<HTMLElement>(`[data-marker="${opened}"]`)?.focus()
            }}
          />
        )}
        {device && !stack && (
          <DeviceCard
            device={device}
            tenant={tenant}
            onFloor={
              device.buildingId !== null && device.floorId !== null && device.floorId !== floor?.floor
                ? () => change({ building: device.buildingId!, floor: undefined })
                : undefined
            }
            onClose={() => change({ deviceId: undefined })}
          />
        )}
        {building && search.floor === undefined && !isOpening && !device && !stack && (
          <BuildingCard
            actor={actor}
            building={building}
            by={by}
            opening={opening}
            onFloor={(at) => change({ floor: at })}
            onClose={() => change({ building: undefined })}
          />
        )}
      </div>
      <aside className={classes.side} aria-label="What the map shows" data-up={isUp || undefined}>
        <SheetGrip isUp={isUp} onUp={setUp} />
        <div className={classes.scrolled}>{panel()}</div>
        {(listing || mayPlace) && (
          <footer className={classes.ways}>
            {listing && <AppLink href={listing}>Open in the listing</AppLink>}
            {mayPlace && floor.hasFloorPlan && (
              <AppLink
                href={`${pathTo(tenant, 'FloorPlan', 'Place')}?building=${search.building}&floor=${search.floor}`}
              >
                Place devices
              </AppLink>
            )}
            {mayPlace && !floor.hasFloorPlan && (
              <AppLink href={pathTo(tenant, 'Buildings', search.building!)}>Upload a floor plan</AppLink>
            )}
          </footer>
        )}
      </aside>
    </div>
  )

  function subOf(): string {
    if (building) return building.address ?? ''
    if (!all) return ''
    return `${all.total.toLocaleString('en-GB')} ${isOfDevices ? 'devices' : 'buildings'} on the map`
  }

  function panel(): ReactNode {
    if (hasBuilding && buildingAnswer.isError && !building)
      return <Failed onRetry={() => void buildingAnswer.refetch()} />
    if (search.floor !== undefined && building && !floor)
      return <Empty text="This building has no such floor" hint="Choose another floor, or go back to the map." />
    if ((isError && !data) || (isExtentUnknown && !all))
      return <Failed onRetry={() => void Promise.all([refetch(), refetchExtent()])} />
    if (all?.total === 0)
      return isOfDevices ? (
        <Empty
          text={floor ? 'No device of this floor has coordinates' : 'No device has coordinates'}
          hint={`${floor && floor.notPlaced > 0 ? `${notPlacedText(floor.notPlaced, floor.notPlacedFailed)}. ` : ''}${
            !floor || !can(actor, 'edit buildings')
              ? 'They are set on the page of a device.'
              : floor.hasFloorPlan
                ? 'Place them on its plan.'
                : 'Upload its plan, and place them on it.'
          }`}
        />
      ) : (
        <Empty text="No building has a position" hint="It is set on the page of a building." />
      )
    if (!data || !all) return <Loading label="Loading the map" />
    return (
      <MapList
        title={titleOfList()}
        data={{ ...data, list, total: all.total }}
        by={by}
        chosen={search.deviceId ?? (isOfDevices ? undefined : chosenId)}
        onChoose={choose}
        find={find}
        onFind={setFind}
        finds={isOfDevices ? 'Find a device or building' : 'Find a building or post code'}
        found={settledFind !== ''}
        most={most}
        isFetching={isFetching}
        onMore={most < listed.most ? () => setRows({ of: listOf, most: Math.min(listed.most, most * 2) }) : undefined}
        places={!isOfDevices ? 'beside' : floor && !settledFind ? 'known' : 'above'}
      >
        {floor && !settledFind && floor.notPlaced > 0 && (
          <p className={classes.none}>
            {notPlacedText(floor.notPlaced, floor.notPlacedFailed)}: they are on this floor and not on its map.
          </p>
        )}
        {floor && !settledFind && (
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

  function titleOfList(): string {
    if (settledFind) return isOfDevices ? 'Devices found' : 'Buildings found'
    return floor ? floorTitle(floor.name) : isOfDevices ? 'Devices here' : 'Buildings here'
  }
}

const none: readonly FloorOf[] = []

/** The listing with exactly the devices of a floor; undefined where no single one has them all. */
function listingOf(actor: Actor, building: MapOpened, { listing, name }: FloorOf): string | undefined {
  if (!listing || !can(actor, listings[listing].may)) return undefined
  const filters = [
    { fieldId: 'building', filterOp: 'equals', value: building.name },
    { fieldId: 'floor', filterOp: 'equals', value: name },
  ] as const
  return listingAddress(actor.tenant, listing, { filters })
}

/** What is chosen, as one text. */
const keyOf = ({ building, floor, deviceId }: MapSearch) => [building, floor, deviceId].join()

const floorTitle = (name: string) => (/^-?\d+$/.test(name) ? `Floor ${name}` : name)

const placeIn = ({ lat, lng }: { lat: number | null; lng: number | null }): Place | undefined =>
  lat === null || lng === null ? undefined : { lat, lng }

const markerOf = (one: Shown, by: MapStatusFilter, selected: boolean, zoom: number): MapMarker =>
  isDevice(one) ? deviceMarker(one, by, selected) : buildingMarker(one, by, selected, zoom)

/** Those that lie on one another as one, which looks like the worst of them and opens as a list. */
function stackMarker(stack: readonly Shown[], by: MapStatusFilter): MapMarker {
  const looks = stack.map((one) => lookAlone(one, by)).toSorted((a, b) => orderOf[b.tone] - orderOf[a.tone])
  const counted = [...Map.groupBy(looks, ({ word }) => word)].map(
    ([word, all]) => `${all.length} ${word.toLowerCase()}`,
  )
  const [first] = stack as [Shown]
  const size = 28
  return {
    id: idOf(first),
    place: first,
    name: `${[`${stack.length} ${wordOf(stack)}`, ...counted].join(', ')}. Show the list`,
    look: <StackPin look={looks[0]!} size={size} count={stack.length} square={!isDevice(first)} />,
    size,
    order: 6,
  }
}

function deviceMarker(point: MapPoint, by: MapStatusFilter, selected: boolean): MapMarker {
  const look = lookAlone(point, by)
  const size = look.tone === 'passed' ? 20 : 26
  const reason = by === 'device' && point.deviceStatusReason
  const unreached = by === 'device' && point.connectionStatus === 'NotConnected'
  return {
    id: point.deviceId,
    place: point,
    name: [nameOf(point), look.word.toLowerCase(), reason, unreached && 'not connected'].filter(Boolean).join(', '),
    look: <DevicePin look={look} size={selected ? 28 : size} selected={selected} unreached={unreached} />,
    size,
    selected,
    order: orderOf[look.tone],
  }
}
