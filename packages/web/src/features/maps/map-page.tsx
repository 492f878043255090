import { useState } from 'react'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { MapView } from '../../map/map-view.tsx'
import { NotFound, Refused } from '../../ui/states.tsx'
import { MapCard, MapHead, MapLegend, MapSwitches } from './map-overlays.tsx'
import { MapPanel, MapPanelLinks } from './map-panel.tsx'
import { SheetGrip } from './sheet-grip.tsx'
import { isDevice, type Shown } from './shown.ts'
import { useFollowChoice } from './use-follow-choice.ts'
import { useMapCamera } from './use-map-camera.ts'
import { useMapContents } from './use-map-contents.ts'
import { useMapMarkers } from './use-map-markers.tsx'
import type { MapKind } from './use-map-subject.ts'
import { useMapSubject } from './use-map-subject.ts'
import classes from './maps.module.css'

interface MapPageProps {
  of: MapKind
  title: string
}

/** A map and the list of its content, with a shared selection. */
export function MapPage({ of, title }: MapPageProps) {
  const subject = useMapSubject(of)
  const { tenant, client, search, change, hasBuilding, building, buildingAnswer, isOfDevices } = subject
  usePageTitle(title, client.displayName)
  const camera = useMapCamera(subject)
  const contents = useMapContents(subject, camera)
  useFollowChoice(subject, contents, camera)
  const [isUp, setUp] = useState(false)
  const choose = (one: Shown) => {
    // On a phone the card of the selection is below the list.
    setUp(false)
    if (isDevice(one)) change({ deviceId: one.deviceId })
    else change({ building: one.building, floor: undefined })
  }
  const markers = useMapMarkers(subject, contents, camera, choose)

  const refused = hasBuilding && buildingAnswer.error instanceof CallError ? buildingAnswer.error.status : undefined
  const back = { href: pathTo(tenant, of === 'buildings' ? 'BuildingMap' : 'FloorPlan'), label: title }
  if (refused === 403) return <Refused back={back} />
  if (refused === 404 || refused === 400) return <NotFound back={back} hint="Building not found." />

  const extent = contents.all?.extent
  const { seen, setView } = camera
  return (
    <div className={classes.page}>
      <h1 className="visually-hidden">{building ? `${title}: ${building.name}` : title}</h1>
      <div className={classes.stage}>
        <MapView
          label={`Map of ${isOfDevices ? 'devices' : 'buildings'}`}
          view={camera.view}
          onView={camera.onView}
          markers={markers.markers}
          plans={contents.plans}
          kind={search.land ?? 'roadmap'}
          onMarker={markers.press}
          onShowAll={extent && seen ? () => setView(viewOf(extent, seen.size, { most: mapZooms.building })) : undefined}
        />
        <MapHead {...{ subject, contents, title }} />
        <MapSwitches subject={subject} />
        <MapLegend {...{ subject, contents }} />
        <MapCard {...{ subject, contents, markers, choose }} />
      </div>
      <aside className={classes.side} aria-label="Items on the map" data-up={isUp || undefined}>
        <SheetGrip isUp={isUp} onUp={setUp} />
        <div className={classes.scrolled}>
          <MapPanel {...{ subject, contents, choose }} chosenId={markers.chosenId} />
        </div>
        <MapPanelLinks subject={subject} />
      </aside>
    </div>
  )
}
