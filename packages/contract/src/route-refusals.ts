import { isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { RefusalCode } from './refusal.ts'
import { refusals } from './refusal.ts'
import type { AnyRoute } from './route.ts'
import { isReading, takesIdempotencyKeys } from './route.ts'

/**
 * The error codes that a call can return. They follow from who may call it, what it accepts and whether it changes data.
 * `expectDeclared` in the server tests checks every response against them.
 */
export function refusalsOf(route: AnyRoute): readonly RefusalCode[] {
  const { may, params, query, body, form } = route
  const takesBody = Boolean(body ?? form)
  const isOfMembers = may !== 'anyone' && may !== 'signed in' && may !== 'resident app'
  const answers: Record<RefusalCode, boolean> = {
    invalid: takesBody || Boolean(params ?? query),
    unauthorized: may !== 'anyone',
    // API keys are rejected by calls for signed-in users, and a resident app is rejected while its client is suspended.
    forbidden: may !== 'anyone',
    // Items that the caller may not see, and clients that they do not belong to, are reported as not found.
    'not found': (isOfMembers && !isVendorAction(may)) || takesBody || Boolean(params),
    // Returned when no route matches, so it belongs to none.
    'wrong method': false,
    conflict: !isReading(route),
    outdated: route.hasVersion && !isReading(route),
    'other request': takesIdempotencyKeys(route),
    gone: false,
    'too large': takesBody,
    unsupported: takesBody,
    'too many': true,
    unavailable: true,
    refused: !isReading(route),
  }
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => answers[code] || route.refuses.includes(code))
}
