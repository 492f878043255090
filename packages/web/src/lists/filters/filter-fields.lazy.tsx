import { lazily } from '../../ui/lazily.tsx'

/** The editor of a filter, loaded on first use. */
export const FilterFields = lazily(async () => (await import('./filter-fields.tsx')).FilterFields)
