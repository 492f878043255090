import { useEffect, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { pathTo, segmentsOf } from '@caretaker/rules/links/places.ts'
import { isDefinitionListing, listings } from '@caretaker/rules/devices/list.ts'
import { viewAddress } from '../api/listing-address.ts'
import { preferences } from '../api/preferences.ts'
import type { SignIn } from '../api/session.ts'
import { useSignIn } from '../api/session.ts'
import { startPageIn, startPageKey } from '../api/start-page.ts'
import { listViewsQuery, viewsQuery } from '../api/views.ts'

/** The sign-in whose way on is settled: it opens a start page once, not at each visit of the Dashboard after it. */
let settled: SignIn | undefined

/** Whether somebody has just signed in without asking for a place: from the origin, which stands for the Dashboard. */
export function asksForStart(signIn: SignIn): boolean {
  if (signIn.state !== 'signed in' || signIn.landing === undefined) return false
  return signIn.target === undefined || signIn.target.toLowerCase() === '/dashboard'
}

/**
 * Opens the person's start page in place of the Dashboard that a sign-in without a target lands on; true until it is known
 * whether there is one. A view that is gone, or cannot be asked for, leaves the Dashboard.
 */
export function useOpensStartPage(actor: Actor | undefined): boolean {
  const signIn = useSignIn()
  const router = useRouter()
  const client = useQueryClient()
  const place = useLocation({ select: ({ pathname }) => pathname })
  const isLanding = actor !== undefined && place === pathTo(actor.tenant, 'Dashboard')
  const [done, setDone] = useState(settled === signIn)
  // Who has gone somewhere else meanwhile finds the Dashboard at its address.
  const isElsewhere = actor !== undefined && segmentsOf(place).length > 1 && !isLanding
  if (isElsewhere && !done) setDone(true)
  const looks = !done && actor !== undefined && isLanding && asksForStart(signIn)
  useEffect(() => {
    if (isElsewhere) settled = signIn
    if (!looks || settled === signIn) return
    settled = signIn
    addressOfStart(client, actor)
      .then((href) => (href ? router.navigate({ href, replace: true }) : undefined))
      .catch(() => undefined)
      .finally(() => setDone(true))
  }, [looks, isElsewhere, signIn, actor, client, router])
  return looks
}

async function addressOfStart(client: QueryClient, actor: Actor): Promise<string | undefined> {
  const start = startPageIn(await preferences.get(startPageKey(actor)), actor)
  if (!start) return undefined
  const { listing, viewId } = start
  const { views } = await client.fetchQuery(viewsQuery(actor.tenant))
  const documents = isDefinitionListing(listing)
    ? []
    : await client.fetchQuery(listViewsQuery(actor.tenant, actor.memberId))
  const isThere = views.some((view) => view.viewId === viewId) || documents.some(({ id }) => id === viewId)
  return isThere ? viewAddress(actor.tenant, listings[listing], viewId) : undefined
}
