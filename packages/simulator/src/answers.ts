import { z } from 'zod'

/**
 * How a device can be told to answer its next commands: as it is, with a refusal, not at all, some seconds late, twice, or with a
 * yes to something else, which is another value, or nothing at all where there is none to set.
 */
const ways = ['confirm', 'refuse', 'silent', 'late', 'twice', 'other'] as const
export type Way = (typeof ways)[number]

const Answer = z.union([
  z.enum(ways).transform((way) => ({ way, seconds: 0 })),
  z.object({ way: z.enum(ways), seconds: z.number().min(0).max(86_400) }),
])
export type Answering = z.infer<typeof Answer>

/** The name of the message that tells it, one that no server sends. */
export const rehearsal = 'rehearse'

/** The answers to the next commands, in their order; undefined for a message that says nothing of the kind. */
export function answersIn(args: Record<string, unknown>): Answering[] | undefined {
  return z.object({ answers: z.array(Answer).max(100) }).safeParse(args).data?.answers
}

/** Another value of the same kind for each: what a device sets that understands something else; undefined without a value to set. */
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
