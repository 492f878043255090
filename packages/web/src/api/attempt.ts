import type { Answer, Route, Sent } from '@caretaker/contract/route.ts'
import type { CallOptions, Unwrapped } from './call.ts'
import { call } from './call.ts'

/**
 * A version 1 call whose failure nobody waits for: its data, or false on any failure, which goes to `onError` if that is
 * given and is let go otherwise (core specification, section 8). What has to know why it failed uses `call`.
 */
export async function attempt<T extends Route>(
  route: T,
  sent: Sent<T>,
  onError?: (error: unknown) => void,
  options: CallOptions = {},
): Promise<Unwrapped<Answer<T>> | false> {
  try {
    return await call(route, sent, options)
  } catch (error) {
    onError?.(error)
    return false
  }
}
