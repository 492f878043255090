import type { Call } from '@caretaker/contract/call.ts'
import type { Answer, Sent } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import type { CallOptions, Unwrapped } from './call.ts'
import { call } from './call.ts'

/**
 * A version 1 call whose failure nobody waits for: its data, or false on any failure, which goes to `onError` if that is
 * given and is let go otherwise (core specification, section 8). What has to know why it failed uses `call`.
 */
export async function attempt<C extends Call>(
  route: C,
  sent: Sent<RouteOf<C>>,
  onError?: (error: unknown) => void,
  options: CallOptions = {},
): Promise<Unwrapped<Answer<RouteOf<C>>> | false> {
  try {
    return await call(route, sent, options)
  } catch (error) {
    onError?.(error)
    return false
  }
}
