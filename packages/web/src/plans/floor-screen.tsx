import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../api/actor.ts'
import { Failed, Loading, NotFound, Refused } from '../ui/states.tsx'
import { floorWords } from './device-look.tsx'
import { validFloorSearch } from './floor-place.ts'
import type { BuildingInFull } from './queries.ts'
import { buildingQuery } from './queries.ts'

interface FloorScreenProps {
  children: (building: BuildingInFull, floor: Floor) => ReactNode
}

/** The floor in the address, or why it cannot be shown. A floor without a plan cannot be positioned. */
export function FloorScreen({ children }: FloorScreenProps) {
  const { tenant } = useActor()
  const { building = '', floor: index = -1 } = validFloorSearch(useSearch({ strict: false }))
  // The map opens on the current position of the plan, not on a cached one.
  const { data, error, refetch, isFetchedAfterMount } = useQuery({
    ...buildingQuery(tenant, building),
    enabled: building !== '',
    refetchOnMount: 'always',
  })
  const back = { href: pathTo(tenant, 'Buildings'), label: 'Buildings' }
  const status = error instanceof CallError ? error.status : undefined
  if (status === 403) return <Refused back={back} />
  if (building === '' || status === 404 || status === 400) return <NotFound back={back} hint="Building not found." />
  if (!data || !isFetchedAfterMount)
    return error ? <Failed onRetry={() => void refetch()} /> : <Loading label="Loading the floor" />
  const floor = data.floors[index]
  const toBuilding = { href: pathTo(tenant, 'Buildings', data.building), label: data.name }
  if (!floor) return <NotFound back={toBuilding} hint={`${data.name} has no such floor.`} />
  if (!floor.hasFloorPlan)
    return <NotFound back={toBuilding} hint={`${floorWords(floor.name)} has no floor plan yet. Upload one first.`} />
  return children(data, floor)
}
