import { z } from 'zod'
import type { AwaabsLawFigures as Figures } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawFigureFault, awaabsLawFigureNames, awaabsLawLimits } from '@caretaker/rules/properties/awaabs-law.ts'
import { route } from './route.ts'
import { TenantId } from './scalars.ts'
import * as calls from './calls/awaabs-law.ts'

const ruledNumber = (fault: (value: number) => string | undefined) =>
  z.number().superRefine((value, context) => {
    const message = fault(value)
    if (message) context.addIssue({ code: 'custom', message })
  })

const figures = Object.fromEntries(
  awaabsLawFigureNames.map((name) => {
    const { least: minimum, most: maximum } = awaabsLawLimits[name]
    const figure = ruledNumber((value) => awaabsLawFigureFault(name, value))
    return [name, figure.meta({ type: 'integer', minimum, maximum })]
  }),
) as Record<keyof Figures, z.ZodNumber>

/** In which time the steps of a case are done: working days, hours of an emergency, and weeks until preventive works. */
export const AwaabsLawFigures = z.object(figures).meta({ id: 'AwaabsLawFigures' })

export const getAwaabsLawFigures = route({
  ...calls.getAwaabsLawFigures,
  summary: "In which time this client does each step under Awaab's Law.",
  params: z.object({ tenant: TenantId }),
  reply: AwaabsLawFigures,
})
export const putAwaabsLawFigures = route({
  ...calls.putAwaabsLawFigures,
  summary: "Sets in which time this client does each step under Awaab's Law, and counts its open cases by that.",
  params: z.object({ tenant: TenantId }),
  body: AwaabsLawFigures.strict(),
  reply: AwaabsLawFigures,
})
