import type { FastifyInstance } from 'fastify'
import { getSystemStatus } from '@caretaker/contract/system.ts'
import type { SystemFigure } from '@caretaker/rules/system/figures.ts'
import { systemFigureNames, togetherOf } from '@caretaker/rules/system/figures.ts'
import type { Context } from '../../context.ts'
import { serveVendorWide } from '../../http/serve.ts'
import { version } from '../../version.ts'
import { knownHere, figuresOfAll } from './processes.ts'
import { jobRuns } from './store.ts'

export function systemRoutes(app: FastifyInstance): void {
  serveVendorWide(app, getSystemStatus, async ({ context }) => ({
    version,
    parts: [...context.config.parts],
    startedAt: new Date(performance.timeOrigin).toISOString(),
    figures: await figures(context),
    jobs: await jobRuns(context.owner),
  }))
}

/** The figures of this process's /metrics, combined over all processes where each knows only its own. */
async function figures({ metrics, owner }: Context): Promise<{ name: SystemFigure; value: number | null }[]> {
  const shared = await figuresOfAll(owner)
  return Promise.all(
    systemFigureNames.map(async (name) => {
      const here = await knownHere(metrics, name)
      const value = togetherOf(name) === undefined ? here : (shared.get(name) ?? here)
      return { name, value: value ?? null }
    }),
  )
}
