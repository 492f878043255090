/** The largest number of additional fields on a phone card. */
const most = 3

interface Shown {
  columns: readonly string[]
  filters: readonly { fieldId: string }[]
  sorts: readonly { fieldId: string }[]
}

/**
 * The additional fields of a phone card: extra columns first, then sort fields, then filter fields, without those
 * always shown.
 */
export function phoneColumns({ columns, filters, sorts }: Shown, usual: readonly string[], always: readonly string[]) {
  const own = columns.filter((id) => !usual.includes(id))
  const ids = new Set([...own, ...sorts.map(({ fieldId }) => fieldId), ...filters.map(({ fieldId }) => fieldId)])
  return [...ids].filter((id) => !always.includes(id)).slice(0, most)
}
