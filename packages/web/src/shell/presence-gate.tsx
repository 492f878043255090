import { useEffect, useMemo } from 'react'
import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import type { Session } from '@caretaker/contract/session.ts'
import { actorOf, enabledCapabilities, enabledFeatures, sessionUser } from '@caretaker/rules/identity/session.ts'
import { PresenceContext } from '../api/actor.ts'
import type { Presence } from '../api/actor.ts'
import { useChanges } from '../api/changes.ts'
import { useFailureToast } from '../api/failure-toast.ts'
import { DraftOwnerContext, draftOwner, forgetOldDrafts } from '../ui/draft.ts'
import { ZoneContext } from '../ui/zone.tsx'
import { Opening } from './opening.tsx'
import { capabilitiesQuery, featuresQuery } from './queries.ts'
import { Shell } from './shell.tsx'
import { useOpensStartPage } from './use-start-page.ts'

interface PresenceGateProps {
  person: Session
  /** The id of one of the user's clients. */
  tenant: string
  children: ReactNode
}

/** Loads the features of the selected client and shows the application to the user. */
export function PresenceGate({ person, tenant, children }: PresenceGateProps) {
  const features = useQuery(featuresQuery(tenant))
  const capabilities = useQuery(capabilitiesQuery(tenant))
  useFailureToast(features, 'An error occurred while fetching features.')
  useFailureToast(capabilities, 'An error occurred while fetching capabilities.')
  const presence = useMemo((): Presence | undefined => {
    const client = person.tenants.find((one) => one.id === tenant)
    // Features that failed to load are treated as off.
    const actor = actorOf(person, tenant, {
      features: enabledFeatures(features.data?.areas ?? []),
      capabilities: enabledCapabilities(capabilities.data ?? {}),
    })
    return client && actor && { actor, client, user: sessionUser(person, tenant), email: person.email }
  }, [person, tenant, features.data, capabilities.data])
  const known = presence && !features.isPending && !capabilities.isPending ? presence : undefined
  const zone = person.tenants.find((one) => one.id === tenant)?.timeZone
  const opensStartPage = useOpensStartPage(known?.actor)
  useChanges(tenant)
  useEffect(forgetOldDrafts, [])
  if (!known || opensStartPage) return <Opening />
  return (
    <PresenceContext value={known}>
      <ZoneContext value={zone}>
        <DraftOwnerContext value={draftOwner(known.actor.userId, tenant)}>
          <Shell>{children}</Shell>
        </DraftOwnerContext>
      </ZoneContext>
    </PresenceContext>
  )
}
