import { useMemo, useState } from 'react'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { BuildingSummary } from '@caretaker/contract/buildings.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { Frame, Size, View } from '@caretaker/rules/maps/mercator.ts'
import { startView, viewOf } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../api/actor.ts'
import { buildingsExtentQuery, buildingsQuery } from '../../map/buildings-query.ts'
import { buildingMarker, clusterMarker } from '../../map/map-markers.tsx'
import { MapView } from '../../map/map-view.tsx'
import { AppLink } from '../../ui/link.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import classes from './buildings.module.css'

interface BuildingsPreviewProps {
  /** The selected building. */
  chosen: BuildingSummary | undefined
  /** Ids of the filtered buildings; all by default. */
  only: readonly string[] | undefined
  onChoose: (building: string) => void
}

/** The positions of the listed buildings. */
export default function BuildingsPreview({ chosen, only: wanted, onChoose }: BuildingsPreviewProps) {
  const { tenant } = useActor()
  const [view, setView] = useState<View>(startView)
  const [seen, setSeen] = useState<{ frame: Frame; size: Size; zoom: number }>()
  // Debounced.
  const [only] = useDebouncedValue(wanted, findDelay)
  const shown = only?.join() ?? 'all'
  const [framed, setFramed] = useState<string>()
  const { data: all } = useQuery(buildingsExtentQuery(tenant, only))
  const most = only ? mapZooms.district : mapZooms.building
  const fit = (size: Size) => all?.extent && viewOf(all.extent, size, { most })
  const whole = seen && fit(seen.size)
  if (whole && framed !== shown) {
    setFramed(shown)
    setView(whole)
  }
  const { data } = useQuery({
    ...buildingsQuery(tenant, {
      frame: seen?.frame ?? noFrame,
      zoom: seen?.zoom ?? startView.zoom,
      by: 'device',
      only,
    }),
    // Not for the initial view of the world.
    enabled: seen !== undefined && framed !== undefined && seen.zoom > startView.zoom,
  })
  const markers = useMemo(
    () => [
      ...(data?.clusters ?? []).map((cluster) => clusterMarker(cluster, 'device', 'buildings')),
      ...(data?.points ?? []).map((one) =>
        buildingMarker(one, 'device', one.building === chosen?.building.building, view.zoom),
      ),
    ],
    [data, chosen, view.zoom],
  )
  const press = (id: string) => {
    const cluster = data?.clusters.find((one) => one.id === id)
    if (cluster && seen) {
      const nearer = viewOf(cluster.extent, seen.size, { most: mapZooms.marker })
      setView({ ...nearer, zoom: Math.max(nearer.zoom, Math.min(view.zoom + 1, mapZooms.marker)) })
    } else onChoose(id)
  }
  if (all?.total === 0 && !only) return undefined
  return (
    <aside className={classes.preview} aria-label="Positions of the buildings">
      <MapView
        label="Map of buildings"
        view={view}
        onView={(moved, frame, size) => {
          setSeen({ frame, size, zoom: Math.round(moved.zoom * 100) / 100 })
          setView(moved)
        }}
        markers={markers}
        onMarker={press}
        onShowAll={whole ? () => setView(whole) : undefined}
      />
      {chosen && <Chosen row={chosen} />}
    </aside>
  )
}

/** Milliseconds after typing until the map shows only the filtered buildings. */
const findDelay = 250

const noFrame: Frame = { west: 0, south: 0, east: 0, north: 0 }

/** The selected building with its links. */
function Chosen({ row }: { row: BuildingSummary }) {
  const actor = useActor()
  const { building, name } = row.building
  return (
    <section className={classes.chosen} aria-label={name}>
      <div className={classes.chosenHead}>
        <h2>{name}</h2>
        {row.failedDeviceCount > 0 && (
          <span className={classes.failed}>
            <StatusIcon tone="failed" size={14} />
            {row.failedDeviceCount.toLocaleString('en-GB')} failed
          </span>
        )}
      </div>
      {row.address && <p>{row.address}</p>}
      <div className={classes.chosenWays}>
        {can(actor, 'be led to buildings') && (
          <AppLink href={pathTo(actor.tenant, 'Buildings', building)}>Open building</AppLink>
        )}
        <AppLink href={`${pathTo(actor.tenant, 'FloorPlan')}?building=${building}`}>Floor plan</AppLink>
      </div>
    </section>
  )
}
