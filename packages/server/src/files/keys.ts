/** The key of a file in the store. */
export const keyOf = (tenant: string, id: string) => `${tenant}/${id}`

/**
 * How long a file may exist without a row that refers to it, and how long the transaction of such a row may take, in
 * ms.
 */
export const grace = 86_400_000
