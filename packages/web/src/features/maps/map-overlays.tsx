import { ActionIcon } from '@mantine/core'
import { LandSwitch } from '../../map/land-switch.tsx'
import { MapSwitch } from '../../map/map-switch.tsx'
import { sharesOf, ToneIcon, UnreachedIcon } from '../../map/pins.tsx'
import { IconArrowLeft } from '../../icons/index.ts'
import { BuildingCard } from './building-card.tsx'
import { DeviceCard } from './device-card.tsx'
import { FloorSelector } from './floor-selector.tsx'
import type { Shown } from './shown.ts'
import { StackCard } from './stack-card.tsx'
import type { MapContents } from './use-map-contents.ts'
import type { MapMarkers } from './use-map-markers.tsx'
import type { MapSubject } from './use-map-subject.ts'
import classes from './maps.module.css'

interface OverlayProps {
  subject: MapSubject
  contents: MapContents
}

/** The title of the map with a back link, and the floors of the opened building. */
export function MapHead({ subject, contents: { all }, title }: OverlayProps & { title: string }) {
  const { building, floors, search, by, isOfDevices, change, goBack } = subject
  const total = all ? `${all.total.toLocaleString('en-GB')} ${isOfDevices ? 'devices' : 'buildings'} on the map` : ''
  return (
    <div className={classes.topLeft}>
      <div className={classes.head}>
        <ActionIcon variant="subtle" color="gray" aria-label="Back" onClick={goBack}>
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <div>
          <p className={classes.title}>{building?.name ?? title}</p>
          <p className={classes.sub}>{building ? (building.address ?? '') : total}</p>
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
  )
}

/** The switches for colours and map style. */
export function MapSwitches({ subject: { search, by, change } }: { subject: MapSubject }) {
  return (
    <div className={classes.topRight}>
      <MapSwitch
        label="Colour by"
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
  )
}

export function MapLegend({ subject: { by, isOfDevices }, contents: { data } }: OverlayProps) {
  const shares = data ? sharesOf(data.counts, by) : []
  if (!data || !shares.length) return null
  const notConnected = isOfDevices && by === 'device' ? data.counts.connection.NotConnected : 0
  return (
    // On a phone it scrolls sideways, also by keyboard.
    <div className={classes.legend} role="region" aria-label="Legend of the map" tabIndex={0}>
      <ul aria-label="Legend">
        {shares.map(({ id, tone, word, count }) => (
          <li key={id}>
            <ToneIcon tone={tone} /> {word} <b>{count.toLocaleString('en-GB')}</b>
          </li>
        ))}
        {notConnected > 0 && (
          <li>
            <UnreachedIcon /> Not connected <b>{notConnected.toLocaleString('en-GB')}</b>
          </li>
        )}
      </ul>
    </div>
  )
}

interface CardProps extends OverlayProps {
  markers: MapMarkers
  choose: (one: Shown) => void
}

/** The card of the opened stack, the selected device, or the opened building. */
export function MapCard({ subject, contents: { device }, markers, choose }: CardProps) {
  const { actor, tenant, search, by, building, floor, opening, isOpening, change } = subject
  const { stack, openedId, closeStack } = markers
  if (stack)
    return (
      <StackCard
        key={openedId}
        stack={stack}
        by={by}
        onChoose={(one) => {
          closeStack()
          choose(one)
        }}
        onClose={() => {
          closeStack()
          document.querySelector<HTMLElement>(`[data-marker="${openedId}"]`)?.focus()
        }}
      />
    )
  if (device) {
    const { buildingId, floorId } = device
    const isElsewhere = buildingId !== null && floorId !== null && floorId !== floor?.floor
    return (
      <DeviceCard
        device={device}
        tenant={tenant}
        onFloor={isElsewhere ? () => change({ building: buildingId, floor: undefined }) : undefined}
        onClose={() => change({ deviceId: undefined })}
      />
    )
  }
  if (!building || search.floor !== undefined || isOpening) return null
  return (
    <BuildingCard
      actor={actor}
      building={building}
      by={by}
      opening={opening}
      onFloor={(at) => change({ floor: at })}
      onClose={() => change({ building: undefined })}
    />
  )
}
