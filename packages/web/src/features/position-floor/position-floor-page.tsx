import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { buildingQuery } from '../../plans/queries.ts'
import { Failed, Loading, NotFound, Refused } from '../../ui/states.tsx'
import { FloorEditor } from './floor-editor.tsx'
import { validFloorSearch } from './position-place.ts'

/** The map on which the plan of a floor is laid over its building. */
export function PositionFloorPage() {
  const { actor, client } = usePresence()
  const { tenant } = actor
  usePageTitle('Position floor', client.displayName)
  const { building = '', floor: index } = validFloorSearch(useSearch({ strict: false }))
  const { data, error, isError, refetch } = useQuery({ ...buildingQuery(tenant, building), enabled: building !== '' })
  const back = { href: pathTo(tenant, 'Buildings'), label: 'Buildings' }
  const status = error instanceof CallError ? error.complaint.status : undefined
  if (status === 403) return <Refused back={back} />
  if (building === '' || status === 404 || status === 400)
    return <NotFound back={back} hint="There is no such building here." />
  if (isError && !data) return <Failed onRetry={() => void refetch()} />
  if (!data) return <Loading label="Loading the floor" />
  const floor: Floor | undefined = index === undefined ? undefined : data.floors[index]
  const toBuilding = { href: pathTo(tenant, 'Buildings', data.building), label: data.name }
  if (!floor) return <NotFound back={toBuilding} hint={`${data.name} has no such floor.`} />
  if (!floor.hasFloorPlan)
    return <NotFound back={toBuilding} hint={`Floor ${floor.name} has no floor plan yet. Upload one first.`} />
  return <FloorEditor key={floor.floor} building={data} floor={floor} />
}
