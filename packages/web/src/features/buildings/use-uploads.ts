import { useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { FloorPlanPreview } from '@caretaker/contract/buildings.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { previewFloorPlan, uploadFloorPlan } from '@caretaker/contract/calls/buildings.ts'
import type { PlanShape } from '@caretaker/rules/buildings/geometry.ts'
import { floorPlanSizeFault } from '@caretaker/rules/buildings/building.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { renewBuildings } from './queries.ts'

/** A file that needs a decision: content will be removed, it has another shape than the floor, or it has pages. */
export interface PlanQuestion {
  file: File
  page: number
  preview: FloorPlanPreview
  /** Another page is loading. */
  isDrawing: boolean
}

/** The four states of the upload button (estate specification, section 3). */
export type Upload =
  | { state: 'notstarted' }
  | ({ state: 'asks' } & PlanQuestion)
  | { state: 'pending'; part: number }
  | { state: 'done' }
  | { state: 'error'; reason: string }

/** Milliseconds after an upload until changed data is refetched (estate specification, section 4). */
const reloadAfter = 1_000

/** Whether the user has to check a file before it is stored. */
const asks = ({ source, leftOut, fault, shape }: FloorPlanPreview) =>
  source === 'pdf' || leftOut.length > 0 || fault !== null || shape !== null

/** The uploads of floor plans, by floor id. */
export function useUploads(building: string | undefined) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [uploads, setUploads] = useState<Readonly<Record<string, Upload>>>({})
  const set = (floor: string, upload: Upload) => setUploads((all) => ({ ...all, [floor]: upload }))
  /** A file is sent twice, for preview and for storage: each is half of the progress. */
  const progressOf = (floor: string, from: number) => (part: number) =>
    setUploads((all) =>
      all[floor]?.state === 'pending' ? { ...all, [floor]: { state: 'pending', part: from + part / 2 } } : all,
    )
  const fail = (floor: string) => (error: unknown) =>
    set(floor, { state: 'error', reason: error instanceof CallError ? error.message : '' })
  const previewOf = (floor: string, file: File, page: number) =>
    call(
      previewFloorPlan,
      { form: { tenant, building: building!, floor, file, page } },
      { onProgress: progressOf(floor, 0) },
    )

  const store = async (floor: string, { file, page }: { file: File; page: number }, shape?: PlanShape) => {
    if (!building) return
    set(floor, { state: 'pending', part: 0.5 })
    try {
      const form = { tenant, building, floor, file, page, ...(shape && { shape }) }
      await call(uploadFloorPlan, { form }, { onProgress: progressOf(floor, 0.5) })
      set(floor, { state: 'done' })
      setTimeout(() => void renewBuildings(client, tenant), reloadAfter)
    } catch (error) {
      fail(floor)(error)
    }
  }

  const send = async (floor: string, file: File) => {
    if (!building) return
    const fault = floorPlanSizeFault(file.size)
    if (fault) {
      set(floor, { state: 'error', reason: fault })
      return
    }
    set(floor, { state: 'pending', part: 0 })
    try {
      const preview = await previewOf(floor, file, 1)
      if (asks(preview)) set(floor, { state: 'asks', file, page: 1, preview, isDrawing: false })
      else await store(floor, { file, page: 1 })
    } catch (error) {
      fail(floor)(error)
    }
  }

  const turnTo = async (floor: string, question: PlanQuestion, page: number) => {
    if (!building) return
    set(floor, { state: 'asks', ...question, isDrawing: true })
    try {
      const preview = await previewOf(floor, question.file, page)
      // If the dialog was closed in the meantime, there is no question.
      setUploads((all) =>
        all[floor]?.state === 'asks' && all[floor].file === question.file
          ? { ...all, [floor]: { state: 'asks', file: question.file, page, preview, isDrawing: false } }
          : all,
      )
    } catch (error) {
      fail(floor)(error)
    }
  }

  const of = (floor: string): Upload => uploads[floor] ?? { state: 'notstarted' }
  return { of, send, store, turnTo, cancel: (floor: string) => set(floor, { state: 'notstarted' }) }
}
