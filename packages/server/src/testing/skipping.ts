import type { TestOptions } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test was skipped, for the list that `npm test` prints at its end. */
    skipReason?: string
  }
}

/** The options of a test or group that is skipped if there is a reason. */
export function skipBecause(reason: string | false | undefined): TestOptions {
  return reason ? { skip: true, meta: { skipReason: reason } } : {}
}
