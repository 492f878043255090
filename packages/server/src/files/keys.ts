/** Where a file lies in the store. */
export const keyOf = (tenant: string, id: string) => `${tenant}/${id}`

/** Milliseconds for which a file may be without a row that refers to it, and a row without its transaction's end. */
export const grace = 86_400_000
