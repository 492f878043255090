import type { Call } from '@caretaker/contract/call.ts'
import type { Answer, Sent } from '@caretaker/contract/route.ts'
import type { RouteOf } from '@caretaker/contract/routes.ts'
import type { CallOptions, Unwrapped } from './call.ts'
import { call } from './call.ts'

/**
 * A version 1 call: its data, or false on any failure, which is passed to `onError` or ignored (core specification,
 * section 8). Use `call` to handle the reason.
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
