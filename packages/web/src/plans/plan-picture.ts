import { useEffect, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { getFloorPlan } from '@caretaker/contract/buildings.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'

/** An address of the picture of a floor's plan; undefined until it has come, and where there is none. */
export function usePlanPicture(building: string, floor: Pick<Floor, 'floor' | 'planId'> | undefined): string | undefined {
  const { tenant } = useActor()
  const planId = floor?.planId ?? null
  const { data } = useQuery({
    queryKey: [tenant, 'floor plan', floor?.floor, planId],
    queryFn: ({ signal }) => call(getFloorPlan, { query: { tenant, building, floor: floor!.floor } }, { signal }),
    enabled: planId !== null,
    // Another plan has another id.
    staleTime: Infinity,
  })
  const [source, setSource] = useState<string>()
  useEffect(() => {
    if (!data) return undefined
    const made = URL.createObjectURL(data)
    setSource(made)
    return () => {
      URL.revokeObjectURL(made)
      setSource(undefined)
    }
  }, [data])
  return source
}
