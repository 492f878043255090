const day = 86_400_000

/** How long the log of personal data views is kept, in ms: thirteen months. */
export const readsKeptFor = 396 * day

/** Milliseconds after a read during which the same read by the same person is counted in the same entry. */
export const sameReadFor = 15 * 60_000

/** How personal data was shown, as the log of reads words it. */
export const readKinds = { page: 'Page', list: 'List', file: 'Download' } as const

/** The gaps in the log of a property or resident. */
export const notByHome = 'Downloads, and lists of more than 100 properties, are listed under the user only.'
export type ReadKind = keyof typeof readKinds
