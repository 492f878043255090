/** Rows of the list beside a map: at first, and at most. */
export const listed = { first: 100, most: 1000 } as const

/** Maximum buildings in an id filter of a map. */
export const mostBuildingsNamed = 20_000
