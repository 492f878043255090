/** Facts of a card on a phone at most, besides what it always shows. */
const most = 3

interface Shown {
  columns: readonly string[]
  filters: readonly { fieldId: string }[]
  sorts: readonly { fieldId: string }[]
}

/**
 * The fields that rows are looked at for: the columns that the list has not by itself, then what they are sorted by, then what they are
 * filtered by; without those that a card always shows.
 */
export function phoneColumns({ columns, filters, sorts }: Shown, usual: readonly string[], always: readonly string[]) {
  const own = columns.filter((id) => !usual.includes(id))
  const ids = new Set([...own, ...sorts.map(({ fieldId }) => fieldId), ...filters.map(({ fieldId }) => fieldId)])
  return [...ids].filter((id) => !always.includes(id)).slice(0, most)
}
