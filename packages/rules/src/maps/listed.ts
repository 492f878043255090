/** Rows of the list beside a map: at first, and as far as one may ask for more. */
export const listed = { first: 100, most: 1000 } as const

/** Buildings that a map can be narrowed to by their ids. */
export const mostBuildingsNamed = 20_000
