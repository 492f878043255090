import type { Action, VendorAction } from '@caretaker/rules/rights/can.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call: `anyone` without a token, `signed in` with a valid token and no tenant, `resident app` with a key of the tenant's
 * resident app, or an action that `can` checks for members of the tenant in the call and `vendorCan` for the vendor's staff in any
 * tenant.
 */
export type May = 'anyone' | 'signed in' | 'resident app' | Action | VendorAction

/**
 * The part of an endpoint that a caller needs at run time. The files in `calls` contain only these and the limits that pages show,
 * so that pages do not load zod; the route of the same name adds the shapes (`route.ts`). `RouteOf` (`routes.ts`) finds its type by
 * method and path.
 */
export interface Call<M extends Method = Method, A extends string = string> {
  method: M
  /** With parameters in braces: `/api/tenants/{tenant}/users`. */
  path: A
  may: May
  /**
   * Content type of a response that is a file. With `reply`, a response is one or the other; its content type shows
   * which.
   */
  file?: string
}
