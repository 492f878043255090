import { useEffect, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { getFloorPlan } from '@caretaker/contract/calls/buildings.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'

/** Milliseconds. */
const revokedAfter = 10_000

/** The address of a floor plan's picture; undefined until loaded or without a plan. */
export function usePlanPicture(
  building: string,
  floor: Pick<Floor, 'floor' | 'planId'> | undefined,
): string | undefined {
  const { tenant } = useActor()
  const planId = floor?.planId ?? null
  const { data } = useQuery({
    queryKey: [tenant, 'floor plan', floor?.floor, planId],
    queryFn: async ({ signal }) =>
      stretched(await call(getFloorPlan, { query: { tenant, building, floor: floor!.floor } }, { signal })),
    enabled: planId !== null,
    // Another plan has another id.
    staleTime: Infinity,
  })
  const [source, setSource] = useState<string>()
  useEffect(() => {
    if (!data) return undefined
    const made = URL.createObjectURL(data)
    // oxlint-disable-next-line react/set-state-in-effect -- the address is created and revoked with its picture
    setSource(made)
    return () => {
      // Delayed, because the picture may still be in use.
      setTimeout(() => URL.revokeObjectURL(made), revokedAfter)
      setSource(undefined)
    }
  }, [data])
  return source
}

/**
 * A drawing stretched to its container: the size of a floor comes from its position, not from the file, which would
 * keep its own proportions.
 */
async function stretched(drawing: Blob): Promise<Blob> {
  const parsed = new DOMParser().parseFromString(await drawing.text(), 'image/svg+xml')
  const root = parsed.documentElement
  if (root.localName !== 'svg') return drawing
  const side = (name: string) => Number.parseFloat(root.getAttribute(name) ?? '')
  if (!root.hasAttribute('viewBox') && side('width') > 0 && side('height') > 0)
    root.setAttribute('viewBox', `0 0 ${side('width')} ${side('height')}`)
  root.setAttribute('preserveAspectRatio', 'none')
  for (const name of ['width', 'height']) root.setAttribute(name, '1000')
  return new Blob([new XMLSerializer().serializeToString(parsed)], { type: 'image/svg+xml' })
}
