import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { MapPoint } from '@caretaker/contract/devices.ts'
import { getMapPoints } from '@caretaker/contract/devices.ts'
import { detailListingOf } from '@caretaker/rules/devices/list.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Connection } from '../../ui/connection.tsx'
import { AppLink } from '../../ui/link.tsx'
import { ListPage } from '../../ui/list-page.tsx'
import { Empty, Failed, Loading, LoadingLines } from '../../ui/states.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import classes from './floor-plan.module.css'

/** The devices that have a place on the map, in words; one that the address names stands first and is marked. */
export function FloorPlanPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Floor Plan', client.displayName)
  const { deviceId } = useSearch({ strict: false }) as { deviceId?: string }
  const { data, isError, refetch } = useQuery({
    queryKey: [tenant, 'map points', deviceId ?? null],
    meta: { shows: { subjects: ['device'], apart: 10_000 } },
    queryFn: ({ signal }) => call(getMapPoints, { body: { tenant, ...(deviceId && { deviceId }) } }, { signal }),
  })
  const chosen = data?.points.find((point) => point.deviceId === deviceId)
  return (
    <ListPage title="Floor Plan" count={data?.total}>
      <div className={classes.page}>
        {!data ? (
          isError ? (
            <Failed onRetry={() => void refetch()} />
          ) : (
            <Loading label="Loading the devices">
              <LoadingLines lines={8} />
            </Loading>
          )
        ) : data.points.length === 0 ? (
          <Empty text="No device has coordinates" hint="They are set on the page of a device." />
        ) : (
          <>
            <p className={classes.note} role="status">
              {noteOf(data.points.length, data.total, chosen)}
            </p>
            <PointsTable actor={actor} points={data.points} chosenId={chosen?.deviceId} />
          </>
        )}
      </div>
    </ListPage>
  )
}

const nameOf = (point: MapPoint) => point.deviceName || point.serialNumber

function noteOf(shown: number, total: number, chosen: MapPoint | undefined): string {
  const which =
    total > shown ? `${shown} of ${total.toLocaleString('en-GB')} devices with coordinates` : 'Devices with coordinates'
  return chosen ? `${which}, those nearest to ${nameOf(chosen)} first.` : `${which}, by building and floor.`
}

interface PointsTableProps {
  actor: Actor
  points: readonly MapPoint[]
  chosenId: string | undefined
}

function PointsTable({ actor, points, chosenId }: PointsTableProps) {
  // Coordinates tell an address.
  const showsPlace = !hidesPersonalData(actor)
  return (
    <div className={classes.scroll} role="region" aria-label="Devices with coordinates" tabIndex={0}>
      <table className={classes.table} aria-label="Devices with coordinates">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Serial</th>
            <th scope="col">Status</th>
            <th scope="col">Connection</th>
            <th scope="col">Floor</th>
            <th scope="col">Building</th>
            {showsPlace && <th scope="col">Coordinates</th>}
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <tr key={point.deviceId} aria-current={point.deviceId === chosenId ? 'location' : undefined}>
              <th scope="row">
                <DeviceLink tenant={actor.tenant} point={point} />
              </th>
              <td className={classes.serial}>{point.serialNumber}</td>
              <td>
                <StatusChip status={point.deviceStatus} brief />
              </td>
              <td>
                <Connection state={point.connectionStatus} />
              </td>
              <td>{point.floor}</td>
              <td>{point.building}</td>
              {showsPlace && (
                <td className={classes.place}>
                  {point.lat}, {point.lng}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DeviceLink({ tenant, point }: { tenant: string; point: MapPoint }) {
  const listing = detailListingOf(point.productId)
  return listing ? <AppLink href={pathTo(tenant, listing, point.deviceId)}>{nameOf(point)}</AppLink> : nameOf(point)
}
