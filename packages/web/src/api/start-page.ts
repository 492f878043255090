import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingNames, listings } from '@caretaker/rules/devices/list.ts'
import { useActor } from './actor.ts'
import { usePreference } from './use-preference.ts'

/** A view of a listing, as the start page names it. */
export interface StartPage {
  listing: ListingName
  viewId: string
}

type Person = Pick<Actor, 'tenant' | 'userId'>

/** Under which name the start page of a person in a client is kept in this browser. */
export const startPageKey = ({ tenant, userId }: Person) => `startPage ${tenant} ${userId}` as const

export const startPageText = ({ listing, viewId }: { listing: string; viewId: string }) => `${listing}/${viewId}`

/** What is stored as the start page, unless it is the Dashboard or a listing that the person does not see. */
export function startPageIn(text: string, actor: Actor): StartPage | undefined {
  const [name, viewId] = text.split('/')
  const listing = listingNames.find((one) => one === name)
  return listing && viewId && can(actor, listings[listing].may) ? { listing, viewId } : undefined
}

/** The view that the person's next sign-in to this client opens, as text; empty for the Dashboard. */
export function useStartPage(): [string, (text: string) => void] {
  return usePreference(startPageKey(useActor()))
}
