import type { Action } from './can.ts'
import type { Actor } from '../identity/actor.ts'
import { can } from './can.ts'
import { capabilities, features } from '../identity/features.ts'
import { internalRoles, roles } from '../identity/roles.ts'

/** Why a user may not see a screen, as a sentence that names the remedy. */
export function whyRefused(actor: Actor, asked: readonly Action[]): string {
  const helps = (change: Partial<Actor>) => asked.every((action) => can({ ...actor, ...change }, action))
  if (helps({ tags: [] }))
    return 'This page is for users who see the whole client. Your access rights tags restrict what you can see.'
  if (helps({ features, capabilities })) return 'This page is not enabled for this client.'
  if (roles.some((role) => !internalRoles.includes(role) && helps({ role })))
    return 'A manager of this client can give you another role.'
  return 'Your role in this client does not include this page.'
}
