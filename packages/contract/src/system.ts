import { z } from 'zod'
import { systemFigureNames } from '@caretaker/rules/system/figures.ts'
import { route } from './route.ts'
import { Timestamp } from './scalars.ts'
import * as calls from './calls/system.ts'

/** A figure for monitoring the installation; null when unknown. */
const Figure = z.object({ name: z.enum(systemFigureNames), value: z.number().nullable() }).meta({ id: 'SystemFigure' })

/** The results of a background job's runs within a day. */
const JobRuns = z
  .object({
    name: z.string(),
    lastEndedAt: Timestamp.nullable(),
    /** The duration of the last successful run, in seconds. */
    seconds: z.number().nullable(),
    done: z.number().int(),
    failed: z.number().int(),
  })
  .meta({ id: 'SystemJobRuns' })

export const SystemStatus = z
  .object({
    version: z.string(),
    /** The parts that the responding process runs. */
    parts: z.array(z.enum(['api', 'ingest', 'worker'])),
    startedAt: Timestamp,
    figures: z.array(Figure),
    jobs: z.array(JobRuns),
  })
  .meta({ id: 'SystemStatus' })
export type SystemStatus = z.infer<typeof SystemStatus>

export const getSystemStatus = route({
  ...calls.getSystemStatus,
  summary: 'The state of the installation: the figures that its alert rules use, and its background jobs.',
  reply: SystemStatus,
})
