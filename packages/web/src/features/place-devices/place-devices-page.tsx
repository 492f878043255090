import { useQuery } from '@tanstack/react-query'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor, usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { floorWords } from '../../plans/device-look.tsx'
import { FloorScreen } from '../../plans/floor-screen.tsx'
import { floorDevicesQuery } from '../../plans/queries.ts'
import { Failed, Loading, NotFound } from '../../ui/states.tsx'
import { Placing } from './placing.tsx'

/** The plan of a floor, on which its devices are placed. */
export function PlaceDevicesPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Place devices', client.displayName)
  return (
    <FloorScreen>
      {(building, floor) =>
        floor.lat === null || floor.lng === null ? (
          <NotFound
            back={{
              href: `${pathTo(tenant, 'PositionFloor')}?building=${building.building}&floor=${building.floors.indexOf(floor)}`,
              label: 'Position floor',
            }}
            hint={`The plan of ${floorWords(floor.name)} has no position yet. Position it first.`}
          />
        ) : (
          <Devices building={building} floor={{ ...floor, lat: floor.lat, lng: floor.lng }} />
        )
      }
    </FloorScreen>
  )
}

function Devices(shown: Pick<Parameters<typeof Placing>[0], 'building' | 'floor'>) {
  const { tenant } = useActor()
  const { building, floor } = shown
  const { data, isError, refetch } = useQuery(floorDevicesQuery(tenant, building.building, floor.floor))
  if (data) return <Placing key={floor.floor} {...shown} devices={data} />
  return isError ? <Failed onRetry={() => void refetch()} /> : <Loading label="Loading the devices" />
}
