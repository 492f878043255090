import { useEffect, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { getFloorPlan } from '@caretaker/contract/calls/buildings.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'

/** Milliseconds. */
const revokedAfter = 10_000

/** An address of the picture of a floor's plan; undefined until it has come, and where there is none. */
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
    // oxlint-disable-next-line react/set-state-in-effect -- an address is made, and given back, with what it stands for
    setSource(made)
    return () => {
      // Not at once: what is drawn with it may still be reading it.
      setTimeout(() => URL.revokeObjectURL(made), revokedAfter)
      setSource(undefined)
    }
  }, [data])
  return source
}

/**
 * A drawing that fills whatever it is drawn into: how wide and high a floor is says its plan's place and not the file, which
 * would keep its own shape within it.
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
