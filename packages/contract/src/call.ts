import type { Action, VendorAction } from '@caretaker/rules/rights/can.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Who may call: `anyone` without a token, `signed in` with a valid token and no tenant, `resident app` with a key that the
 * tenant gave its resident app, an action that `can` decides for a
 * member of the tenant named in the call, or one of the vendor's staff, for whom `vendorCan` decides in any tenant.
 */
export type May = 'anyone' | 'signed in' | 'resident app' | Action | VendorAction

/**
 * The part of an endpoint that a caller needs at run time. The files in `calls` hold nothing else but limits that pages show, so that
 * pages load no zod; the route of the same name adds the shapes (`route.ts`). `RouteOf` (`routes.ts`) finds its type by method and path.
 */
export interface Call<M extends Method = Method, A extends string = string> {
  method: M
  /** With parameters in braces: `/api/tenants/{tenant}/users`. */
  path: A
  may: May
  /** Content type of the answer, when the answer is a file; with `reply` it is one or the other, as its content type says. */
  file?: string
}
