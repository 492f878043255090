/** The years from the current one back to `first`, both included; empty if `first` is in the future. */
export function yearsBack(current: number, first: number): number[] {
  return Array.from({ length: Math.max(0, current - first + 1) }, (_, ago) => current - ago)
}
