/** Rows of the list beside a map: at first, and as far as one may ask for more. */
export const listed = { first: 100, most: 1000 } as const
