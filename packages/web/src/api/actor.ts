import { createContext, useContext } from 'react'
import type { Membership, SessionUser } from '@caretaker/rules/identity/session.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'

/** The user in the selected client. */
export interface Presence {
  /** The subject of `can`. */
  actor: Actor
  user: SessionUser
  /** The e-mail address of the user. */
  email: string
  client: Membership
}

export const PresenceContext = createContext<Presence | undefined>(undefined)

/** The current user; only below the application shell, where there always is one. */
export function usePresence(): Presence {
  const presence = useContext(PresenceContext)
  if (!presence) throw new Error('No client is selected here.')
  return presence
}

/** The actor for `can`; forbidden controls are not shown. */
export function useActor(): Actor {
  return usePresence().actor
}
