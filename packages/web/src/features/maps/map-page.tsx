import { useEffect, useEffectEvent, useMemo, useState, type ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { ActionIcon, SegmentedControl } from '@mantine/core'
import { IconArrowLeft } from '@tabler/icons-react'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import type { MapBuilding, MapCluster } from '@caretaker/contract/maps.ts'
import { openingFloor } from '@caretaker/rules/buildings/default-floor.ts'
import { cornersOf } from '@caretaker/rules/buildings/geometry.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { displayGroup } from '@caretaker/rules/devices/status.ts'
import type { Frame, Place, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { isIn, startView, viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import type { MapStatusFilter } from '@caretaker/rules/maps/status.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { settingsQuery } from '../../api/settings.ts'
import { MapView } from '../../map/map-view.tsx'
import type { MapMarker } from '../../map/map-props.ts'
import { usePlanPicture } from '../../plans/plan-picture.ts'
import { AppLink } from '../../ui/link.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { BuildingCard } from './building-card.tsx'
import { DeviceCard } from './device-card.tsx'
import { FloorSelector } from './floor-selector.tsx'
import { floorsOf } from './floors.ts'
import { MapList } from './map-list.tsx'
import { atText, viewIn, type MapSearch } from './map-place.ts'
import { BuildingPin, ClusterRing, clusterSize, DevicePin, lookOf, sharesOf, ToneIcon } from './pins.tsx'
import { buildingQuery, buildingsQuery, devicesQuery, pointQuery, sketchQuery, wholeWorld } from './queries.ts'
import { idOf, isDevice, nameOf, type Shown } from './shown.ts'
import classes from './maps.module.css'

/** From this zoom on streets are asked for. */
const sketchedFrom = 13

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
  const [view, setView] = useState<View>(viewIn(search.at) ?? startView)
  const asked = { frame: seen?.frame ?? wholeWorld, zoom: seen?.zoom ?? startView.zoom, by }

  const hasBuilding = search.building !== undefined
  const buildingAnswer = useQuery({ ...buildingQuery(tenant, search.building ?? ''), enabled: hasBuilding })
  const building = hasBuilding ? buildingAnswer.data : undefined
  const floors = useMemo(() => (building ? floorsOf(building) : []), [building])
  const floor = search.floor === undefined ? undefined : floors[search.floor]
  const isOfDevices = of === 'devices' || search.floor !== undefined
  const deviceAnswer = useQuery({
    ...devicesQuery(tenant, floor && building ? { building: building.building, floor: floor.floor } : {}, asked),
    enabled: isOfDevices && (search.floor === undefined || floor !== undefined),
  })
  const buildingsAnswer = useQuery({ ...buildingsQuery(tenant, asked), enabled: !isOfDevices })
  const { data, isError, refetch } = isOfDevices ? deviceAnswer : buildingsAnswer
  const { data: preselected } = useQuery({
    ...pointQuery(tenant, search.deviceId ?? ''),
    enabled: search.deviceId !== undefined,
  })
  const points: readonly Shown[] = data?.points ?? []
  const list: readonly Shown[] = data?.list ?? []
  const device =
    search.deviceId === undefined
      ? undefined
      : ([...list, ...points].find((one): one is MapPoint => isDevice(one) && one.deviceId === search.deviceId) ??
        preselected ??
        undefined)

  const { data: settings } = useQuery(settingsQuery)
  const { data: sketch } = useQuery({
    ...sketchQuery(tenant, seen?.frame ?? wholeWorld),
    enabled: settings?.map.sketch === true && seen !== undefined && seen.zoom >= sketchedFrom,
  })
  const picture = usePlanPicture(search.building ?? '', floor)
  const plans = useMemo(
    () =>
      floor && picture && floor.lat !== null && floor.lng !== null
        ? [{ id: floor.floor, src: picture, corners: cornersOf({ ...floor, lat: floor.lat, lng: floor.lng }) }]
        : [],
    [floor, picture],
  )

  // What is chosen is looked at, once its place is known; not again when somebody has moved on, and not over an address that says where.
  const key = [search.building, search.floor, search.deviceId].join()
  const [lookedAt, setLookedAt] = useState(viewIn(search.at) ? key : undefined)
  const target = targetOf()
  function targetOf(): View | undefined {
    if (!seen) return undefined
    if (search.deviceId !== undefined) return device && { lat: device.lat, lng: device.lng, zoom: mapZooms.marker }
    const opened = (floor && placeIn(floor)) ?? (building && placeIn(building))
    if (hasBuilding) return opened && { ...opened, zoom: mapZooms.building }
    // Back from a building the map stays where it is.
    return lookedAt === undefined && data?.extent
      ? viewOf(data.extent, seen.size, { most: mapZooms.building })
      : undefined
  }
  // A client with one building has nothing to choose from.
  const only = of === 'buildings' && !hasBuilding && lookedAt === undefined && data?.total === 1 ? list[0] : undefined
  if (
    !only &&
    lookedAt !== key &&
    (target || (lookedAt !== undefined && !hasBuilding && search.deviceId === undefined))
  ) {
    setLookedAt(key)
    // The next floor is looked at from where one is.
    const isThere = floor && seen && target && seen.zoom >= mapZooms.building - 1 && isIn(seen.frame, target)
    if (target && !isThere) setView(target)
  }
  const onlyId = only && idOf(only)
  const openOnly = useEffectEvent((building: string) => change({ building }, true))
  useEffect(() => {
    if (onlyId) openOnly(onlyId)
  }, [onlyId])
  const opening =
    building &&
    openingFloor(
      floors,
      floors.find((one) => one.floor === building.defaultFloor),
    )

  const choose = (one: Shown) =>
    isDevice(one) ? change({ deviceId: one.deviceId }) : change({ building: one.building, floor: undefined })
  const back = () => {
    if (hasBuilding || search.deviceId !== undefined)
      change({ building: undefined, floor: undefined, deviceId: undefined })
    else history.back()
  }
  const zoomIn = (cluster: MapCluster) => {
    const nearer = viewOf(cluster.extent, seen?.size ?? { width: 600, height: 400 }, { most: mapZooms.marker })
    setView({ ...nearer, zoom: Math.max(nearer.zoom, Math.min(view.zoom + 1, mapZooms.marker)) })
  }

  const markers = useMemo(
    () => [
      ...(data?.clusters ?? []).map((cluster) => clusterMarker(cluster, by, isOfDevices ? 'devices' : 'buildings')),
      ...points.map((one) =>
        isDevice(one)
          ? deviceMarker(one, by, one.deviceId === search.deviceId)
          : buildingMarker(one, by, one.building === search.building, view.zoom),
      ),
    ],
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- points are those of data
    [data, by, isOfDevices, search.deviceId, search.building, view.zoom],
  )
  const press = (id: string) => {
    const cluster = data?.clusters.find((one) => one.id === id)
    const one = points.find((point) => idOf(point) === id)
    if (one) choose(one)
    else if (cluster) zoomIn(cluster)
  }

  const head = building?.name ?? title
  return (
    <div className={classes.page}>
      <h1 className="visually-hidden">{hasBuilding && building ? `${title}: ${building.name}` : title}</h1>
      <div className={classes.stage}>
        <MapView
          label={`Map of ${isOfDevices ? 'devices' : 'buildings'}`}
          view={view}
          onView={(moved, frame, size) => {
            setSeen({ frame, size, zoom: Math.round(moved.zoom * 100) / 100 })
            setView(moved)
            if (seen) change({ at: atText(moved) }, true)
          }}
          markers={markers}
          plans={plans}
          kind={search.land ?? 'roadmap'}
          sketch={sketch}
          onMarker={press}
          onShowAll={
            data?.extent && seen
              ? () => setView(viewOf(data.extent!, seen.size, { most: mapZooms.building }))
              : undefined
          }
        />
        <div className={classes.topLeft}>
          <div className={classes.head}>
            <ActionIcon variant="subtle" color="gray" aria-label="Back" onClick={back}>
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
          <SegmentedControl
            className={classes.switch}
            aria-label="Colours show"
            size="xs"
            data={[
              { value: 'device', label: 'Device' },
              { value: 'connection', label: 'Connection' },
            ]}
            value={by}
            onChange={(value) => change({ by: value === 'connection' ? value : undefined }, true)}
          />
          <SegmentedControl
            className={classes.switch}
            aria-label="Map"
            size="xs"
            data={[
              { value: 'roadmap', label: 'Roadmap' },
              { value: 'satellite', label: 'Satellite' },
            ]}
            value={search.land ?? 'roadmap'}
            onChange={(value) => change({ land: value === 'satellite' ? value : undefined }, true)}
          />
        </div>
        {data && (
          <ul className={classes.legend} aria-label="Legend">
            {sharesOf(data.counts, by).map(({ id, tone, word, count }) => (
              <li key={id}>
                <ToneIcon tone={tone} /> {word} <b>{count.toLocaleString('en-GB')}</b>
              </li>
            ))}
          </ul>
        )}
        {device && <DeviceCard device={device} tenant={tenant} onClose={() => change({ deviceId: undefined })} />}
        {building && search.floor === undefined && !device && (
          <BuildingCard
            actor={actor}
            building={building}
            floors={floors}
            by={by}
            opening={opening ? floors.indexOf(opening) : undefined}
            onFloor={(at) => change({ floor: at })}
            onClose={() => change({ building: undefined })}
          />
        )}
      </div>
      <aside className={classes.side} aria-label="What the map shows">
        {panel()}
        {floor && floor.lat !== null && can(actor, 'edit buildings') && (
          <AppLink
            className={classes.placing}
            href={`${pathTo(tenant, 'FloorPlan', 'Place')}?building=${search.building}&floor=${search.floor}`}
          >
            Place devices
          </AppLink>
        )}
      </aside>
    </div>
  )

  function subOf(): string {
    if (building) return building.address ?? ''
    if (!data) return ''
    return `${data.total.toLocaleString('en-GB')} ${isOfDevices ? 'devices' : 'buildings'} on the map`
  }

  function panel(): ReactNode {
    if (hasBuilding && buildingAnswer.isError) return <Failed onRetry={() => void buildingAnswer.refetch()} />
    if (search.floor !== undefined && building && !floor)
      return <Empty text="This building has no such floor" hint="Choose another floor, or go back to the map." />
    if (!data) return isError ? <Failed onRetry={() => void refetch()} /> : <Loading label="Loading the map" />
    if (data.total === 0)
      return isOfDevices ? (
        <Empty
          text={floor ? 'No device of this floor has coordinates' : 'No device has coordinates'}
          hint="They are set on the page of a device."
        />
      ) : (
        <Empty text="No building has a position" hint="It is set on the page of a building." />
      )
    return (
      <MapList
        title={floor ? floorTitle(floor.name) : isOfDevices ? 'Devices here' : 'Buildings here'}
        data={{ ...data, list }}
        by={by}
        chosen={search.deviceId ?? (isOfDevices ? undefined : search.building)}
        onChoose={choose}
      />
    )
  }
}

const floorTitle = (name: string) => (/^-?\d+$/.test(name) ? `Floor ${name}` : name)

const placeIn = ({ lat, lng }: { lat: number | null; lng: number | null }): Place | undefined =>
  lat === null || lng === null ? undefined : { lat, lng }

function clusterMarker(cluster: MapCluster, by: MapStatusFilter, what: 'devices' | 'buildings'): MapMarker {
  const shares = sharesOf(cluster.counts, by)
  const size = clusterSize(cluster.count)
  const parts = shares.map(({ word, count }) => `${count.toLocaleString('en-GB')} ${word.toLowerCase()}`)
  return {
    id: cluster.id,
    place: cluster,
    name: `${[`${cluster.count.toLocaleString('en-GB')} ${what}`, ...parts].join(', ')}. Zoom in`,
    look: <ClusterRing counts={cluster.counts} by={by} count={cluster.count} size={size} />,
    size,
    order: 10 + orderOf[shares[0]?.tone ?? 'not-installed'],
  }
}

const orderOf = { failed: 5, warning: 4, 'failed-device': 3, passed: 2, 'not-installed': 1 } as const

function deviceMarker(point: MapPoint, by: MapStatusFilter, selected: boolean): MapMarker {
  const group = displayGroup(point.deviceStatus) ?? 'NotInstalled'
  const look = lookOf(by, group, point.connectionStatus)
  const size = look.tone === 'passed' ? 20 : 26
  const unreached = by === 'device' && point.connectionStatus === 'NotConnected'
  return {
    id: point.deviceId,
    place: point,
    name: `${nameOf(point)}, ${look.word.toLowerCase()}${unreached ? ', not connected' : ''}`,
    look: <DevicePin look={look} size={selected ? 28 : size} selected={selected} unreached={unreached} />,
    size,
    selected,
    order: orderOf[look.tone],
  }
}

function buildingMarker(building: MapBuilding, by: MapStatusFilter, selected: boolean, zoom: number): MapMarker {
  const look = lookOf(by, building.deviceStatus, building.connectionStatus)
  const size = zoom > mapZooms.largeIcons ? 42 : look.tone === 'passed' ? 28 : 32
  return {
    id: building.building,
    place: building,
    name: `${building.name}, ${look.word.toLowerCase()}`,
    look: <BuildingPin look={look} size={size} selected={selected} />,
    size,
    caption: building.name,
    selected,
    order: orderOf[look.tone],
  }
}
