import { inNaturalOrder } from '../texts/natural-order.ts'

/** The choices of the residents' filter (estate specification, section 3), in their order. */
export const residentFilters = ['All', 'Approved', 'Waiting for approval'] as const
export type ResidentFilter = (typeof residentFilters)[number]

/** Which residences a choice of the filter leaves. */
export const isShown = (filter: ResidentFilter, { approved }: { approved: boolean }): boolean =>
  filter === 'All' || approved === (filter === 'Approved')

/** Milliseconds after an approval or revocation at which the residents are asked for anew (estate specification, section 9). */
export const residentRefetchDelay = 1_000

interface Access {
  approved: boolean
  name: string | null
  address: string | null
}

/** Waiting first: they wait for somebody. */
export const waitingFirst = (a: Access, b: Access): number =>
  Number(a.approved) - Number(b.approved) ||
  inNaturalOrder(a.name ?? '', b.name ?? '') ||
  inNaturalOrder(a.address ?? '', b.address ?? '')

/** Characters of the longest savings and tips text. */
export const longestTips = 20_000
