import { createContext, useContext } from 'react'
import type { Membership, SessionUser } from '@caretaker/rules/identity/session.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'

/** Who is at work in the selected client. */
export interface Presence {
  /** What `can` asks about. */
  actor: Actor
  user: SessionUser
  /** The address that the person signs in with. */
  email: string
  client: Membership
}

export const PresenceContext = createContext<Presence | undefined>(undefined)

/** Who is at work; below the application shell only, where somebody always is. */
export function usePresence(): Presence {
  const presence = useContext(PresenceContext)
  if (!presence) throw new Error('No client is selected here.')
  return presence
}

/** The actor that `can` decides about; what it does not allow is not shown. */
export function useActor(): Actor {
  return usePresence().actor
}
