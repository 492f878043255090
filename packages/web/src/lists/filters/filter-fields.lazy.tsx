import { lazily } from '../../ui/lazily.tsx'

/** The editor of a filter, loaded when the first one is opened: a listing works without it. */
export const FilterFields = lazily(async () => (await import('./filter-fields.tsx')).FilterFields)
