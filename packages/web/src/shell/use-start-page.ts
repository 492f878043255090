import { useEffect, useState } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { areaNamed, pathTo, segmentsOf } from '@caretaker/rules/links/places.ts'
import { listOfRoot } from '@caretaker/rules/views/lists.ts'
import { viewAddress } from '../api/listing-address.ts'
import type { SignIn } from '../api/session.ts'
import { useSignIn } from '../api/session.ts'
import { startPageQuery } from '../api/start-page.ts'
import { viewsQuery } from '../api/views.ts'

/** The sign-in that has been handled: it opens a start page once, not on each visit to the Dashboard. */
let handledSignIn: SignIn | undefined

/** Whether the user has just signed in without a target: from the origin, a client, or the Dashboard. */
export function asksForStart(signIn: SignIn): boolean {
  if (signIn.state !== 'signed in' || signIn.landing === undefined) return false
  const segments = segmentsOf(signIn.target ?? '')
  if (segments.length > 2) return false
  const area = areaNamed(segments[0]) ?? areaNamed(segments[1])
  return area === 'Dashboard' || (area === undefined && segments.length < 2)
}

/**
 * Opens the start page instead of the Dashboard after a sign-in without a target; true until it is known whether there
 * is one. A deleted view, or a failed request, leaves the Dashboard.
 */
export function useOpensStartPage(actor: Actor | undefined): boolean {
  const signIn = useSignIn()
  const router = useRouter()
  const client = useQueryClient()
  const place = useLocation({ select: ({ pathname }) => pathname })
  const isLanding = actor !== undefined && place === pathTo(actor.tenant, 'Dashboard')
  const [done, setDone] = useState(handledSignIn === signIn)
  // A user who has gone elsewhere in the meantime is not redirected.
  const isElsewhere = actor !== undefined && segmentsOf(place).length > 1 && !isLanding
  if (isElsewhere && !done) setDone(true)
  const looks = !done && actor !== undefined && isLanding && asksForStart(signIn)
  useEffect(() => {
    if (isElsewhere) handledSignIn = signIn
    if (!looks || handledSignIn === signIn) return
    handledSignIn = signIn
    addressOfStart(client, actor)
      .then((href) => (href ? router.navigate({ href, replace: true }) : undefined))
      .catch(() => undefined)
      .finally(() => setDone(true))
  }, [looks, isElsewhere, signIn, actor, client, router])
  return looks
}

async function addressOfStart(client: QueryClient, { tenant }: Actor): Promise<string | undefined> {
  const viewId = await client.fetchQuery(startPageQuery(tenant))
  if (viewId === null) return undefined
  const { views } = await client.fetchQuery(viewsQuery(tenant))
  const view = views.find((one) => one.viewId === viewId)
  const list = view && listOfRoot(view.root)
  return list && viewAddress(tenant, list, viewId)
}
