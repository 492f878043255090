import { inNaturalOrder } from '../texts/natural-order.ts'

/** The choices of the resident filter, in order (estate specification, section 3). */
export const residentFilters = ['All', 'Approved', 'Waiting for approval'] as const
export type ResidentFilter = (typeof residentFilters)[number]

/** Whether a residence matches the filter. */
export const isShown = (filter: ResidentFilter, { approved }: { approved: boolean }): boolean =>
  filter === 'All' || approved === (filter === 'Approved')

/** Milliseconds after an approval or revocation until residents are fetched again (estate specification, section 9). */
export const residentRefetchDelay = 1_000

interface Access {
  approved: boolean
  name: string | null
  address: string | null
}

/** Residents waiting for approval come first. */
export const waitingFirst = (a: Access, b: Access): number =>
  Number(a.approved) - Number(b.approved) ||
  inNaturalOrder(a.name ?? '', b.name ?? '') ||
  inNaturalOrder(a.address ?? '', b.address ?? '')

/** Longest savings and tips text, in characters. */
export const longestTips = 20_000
