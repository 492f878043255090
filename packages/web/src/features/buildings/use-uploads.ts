import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { uploadFloorPlan } from '@caretaker/contract/calls/buildings.ts'
import type { PlanShape } from '@caretaker/rules/buildings/geometry.ts'
import { floorPlanSizeFault } from '@caretaker/rules/buildings/building.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { renewBuildings } from './queries.ts'

/** The four states of the button that uploads a plan (estate specification, section 3). */
export type Upload =
  | { state: 'notstarted' }
  /** Stopped by a question: the plan has another shape than the floor. */
  | { state: 'asks'; file: File; text: string }
  | { state: 'pending'; part: number }
  | { state: 'done' }
  | { state: 'error'; reason: string }

/** Milliseconds after an upload until what it changed is loaded again (estate specification, section 4). */
const reloadAfter = 1_000

const asksForShape = (error: unknown) =>
  error instanceof CallError &&
  error.status === 409 &&
  error.complaint.validationErrors.some(({ field }) => field === 'shape')

/** The uploads of plans to the floors of a building, by the ids of these. */
export function useUploads(building: string | undefined) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [uploads, setUploads] = useState<Readonly<Record<string, Upload>>>({})
  const set = (floor: string, upload: Upload) => setUploads((all) => ({ ...all, [floor]: upload }))
  const send = (floor: string, file: File, shape?: PlanShape) => {
    if (!building) return
    const fault = floorPlanSizeFault(file.size)
    if (fault) return set(floor, { state: 'error', reason: fault })
    set(floor, { state: 'pending', part: 0 })
    const onProgress = (part: number) =>
      setUploads((all) => (all[floor]?.state === 'pending' ? { ...all, [floor]: { state: 'pending', part } } : all))
    call(uploadFloorPlan, { form: { tenant, building, floor, file, ...(shape && { shape }) } }, { onProgress })
      .then(() => {
        set(floor, { state: 'done' })
        setTimeout(() => void renewBuildings(client, tenant), reloadAfter)
      })
      .catch((error: unknown) => {
        const reason = error instanceof CallError ? error.message : ''
        if (asksForShape(error)) return set(floor, { state: 'asks', file, text: reason })
        set(floor, { state: 'error', reason })
      })
  }
  const of = (floor: string): Upload => uploads[floor] ?? { state: 'notstarted' }
  return { of, send, cancel: (floor: string) => set(floor, { state: 'notstarted' }) }
}
