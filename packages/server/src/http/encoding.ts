import type { $ZodType } from 'zod/v4/core'
import { safeParse } from 'zod/v4/core'

/** Encodes a response in its declared shape: undeclared fields, including personal data, are left out. */
export function encoded(schema: $ZodType, value: unknown): unknown {
  const result = safeParse(schema, value)
  if (!result.success)
    throw new Error(`The response does not have its declared shape: ${JSON.stringify(result.error.issues.slice(0, 3))}`)
  return result.data
}
