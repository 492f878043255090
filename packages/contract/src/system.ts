import { z } from 'zod'
import { systemFigureNames } from '@caretaker/rules/system/figures.ts'
import { route } from './route.ts'
import { Timestamp } from './scalars.ts'
import * as calls from './calls/system.ts'

/** One of the figures by which an installation is watched; null where nobody knows it. */
const Figure = z.object({ name: z.enum(systemFigureNames), value: z.number().nullable() }).meta({ id: 'SystemFigure' })

/** How the runs of a background job ended within a day. */
const JobRuns = z
  .object({
    name: z.string(),
    lastEndedAt: Timestamp.nullable(),
    /** How long the last run took that ended well, in seconds. */
    seconds: z.number().nullable(),
    done: z.number().int(),
    failed: z.number().int(),
  })
  .meta({ id: 'SystemJobRuns' })

export const SystemStatus = z
  .object({
    version: z.string(),
    /** The parts that the answering process runs. */
    parts: z.array(z.enum(['api', 'ingest', 'worker'])),
    startedAt: Timestamp,
    figures: z.array(Figure),
    jobs: z.array(JobRuns),
  })
  .meta({ id: 'SystemStatus' })
export type SystemStatus = z.infer<typeof SystemStatus>

export const getSystemStatus = route({
  ...calls.getSystemStatus,
  summary: 'How the installation does: the figures that its alert rules watch, and its background jobs.',
  reply: SystemStatus,
})
