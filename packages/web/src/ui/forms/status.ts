/** How a list's request or a form's action stands (core specification, section 4.3). */
export type RequestStatus = 'init' | 'loading' | 'success' | 'failed'

/**
 * How a form stands that does several things at once: an error marks it failed, unless something else of it is still
 * loading.
 */
export function formStatus(actions: readonly RequestStatus[]): RequestStatus {
  if (actions.includes('loading')) return 'loading'
  if (actions.includes('failed')) return 'failed'
  return actions.length > 0 && actions.every((action) => action === 'success') ? 'success' : 'init'
}
