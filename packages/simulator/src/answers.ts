import { z } from 'zod'

/**
 * How a device can be set to respond to its next commands: normally, with a refusal, not at all, some seconds late,
 * twice, or with a confirmation of another value, or of no value if the command has none.
 */
const ways = ['confirm', 'refuse', 'silent', 'late', 'twice', 'other'] as const
export type Way = (typeof ways)[number]

const Answer = z.union([
  z.enum(ways).transform((way) => ({ way, seconds: 0 })),
  z.object({ way: z.enum(ways), seconds: z.number().min(0).max(86_400) }),
])
export type Answering = z.infer<typeof Answer>

/** The name of the message that sets the responses; servers never send it. */
export const rehearsal = 'rehearse'

/** The responses to the next commands, in order; undefined for any other message. */
export function answersIn(args: Record<string, unknown>): Answering[] | undefined {
  return z.object({ answers: z.array(Answer).max(100) }).safeParse(args).data?.answers
}

/**
 * A different value of the same type for each argument, as a device that misunderstands a command would set; undefined without
 * arguments.
 */
export function otherThan(args: Record<string, unknown>): Record<string, unknown> | undefined {
  const values = Object.entries(args)
  if (!values.some(([, value]) => typeof value === 'number' || typeof value === 'boolean')) return undefined
  return Object.fromEntries(
    values.map(([name, value]) => [
      name,
      typeof value === 'number' ? value - 3 : typeof value === 'boolean' ? !value : value,
    ]),
  )
}
