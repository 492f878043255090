/** The key of a file in the store. */
export const keyOf = (tenant: string, id: string) => `${tenant}/${id}`

/** How long a file may exist without a row that refers to it, and a row without the end of its transaction, in ms. */
export const grace = 86_400_000
