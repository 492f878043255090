/** The state of a list request or form action (core specification, section 4.3). */
export type RequestStatus = 'init' | 'loading' | 'success' | 'failed'

/** The state of a form with several actions: an error marks it failed, unless another action is still loading. */
export function formStatus(actions: readonly RequestStatus[]): RequestStatus {
  if (actions.includes('loading')) return 'loading'
  if (actions.includes('failed')) return 'failed'
  return actions.length > 0 && actions.every((action) => action === 'success') ? 'success' : 'init'
}
