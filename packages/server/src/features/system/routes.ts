import type { FastifyInstance } from 'fastify'
import { getSystemStatus } from '@caretaker/contract/system.ts'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigureNames, systemFigures } from '@caretaker/rules/system/figures.ts'
import type { Context } from '../../context.ts'
import { serveVendorWide } from '../../http/serve.ts'
import { version } from '../../version.ts'
import { jobRuns } from './store.ts'

export function systemRoutes(app: FastifyInstance): void {
  serveVendorWide(app, getSystemStatus, async ({ context }) => ({
    version,
    parts: [...context.config.parts],
    startedAt: new Date(performance.timeOrigin).toISOString(),
    figures: await Promise.all(systemFigureNames.map((name) => figure(context, name))),
    jobs: await jobRuns(context.owner),
  }))
}

/** The same as /metrics of this process tells. */
async function figure({ metrics }: Context, name: SystemFigure): Promise<{ name: SystemFigure; value: number | null }> {
  const told = await metrics.getSingleMetric(systemFigures[name].metric)?.get()
  return { name, value: told?.values[0]?.value ?? null }
}
