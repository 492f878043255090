import { isVendorAction } from '@caretaker/rules/rights/can.ts'
import type { RefusalCode } from './refusal.ts'
import { refusals } from './refusal.ts'
import type { AnyRoute } from './route.ts'
import { isReading } from './route.ts'

/**
 * With which refusals a call can answer: they follow from who may call it, what it takes and whether it changes anything.
 * `expectDeclared` of the server's tests holds every answer against it.
 */
export function refusalsOf(route: AnyRoute): readonly RefusalCode[] {
  const { may, params, query, body, form } = route
  const takesBody = Boolean(body ?? form)
  const isOfMembers = may !== 'anyone' && may !== 'signed in' && may !== 'resident app'
  const answers: Record<RefusalCode, boolean> = {
    invalid: takesBody || Boolean(params ?? query),
    unauthorized: may !== 'anyone',
    // An API key is refused what is for somebody who is signed in, and a resident app while its client is suspended.
    forbidden: may !== 'anyone',
    // Of what somebody may not see, and of a client that is not theirs, a call says that it is not there.
    'not found': (isOfMembers && !isVendorAction(may)) || takesBody || Boolean(params),
    // It is answered where no route is found, and belongs to none.
    'wrong method': false,
    conflict: !isReading(route),
    gone: false,
    'too large': takesBody,
    unsupported: takesBody,
    'too many': true,
    unavailable: true,
    refused: !isReading(route),
  }
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => answers[code] || route.refuses.includes(code))
}
