/** The years from the current one back to a given one, both included; none when that one is still to come. */
export function yearsBack(current: number, first: number): number[] {
  return Array.from({ length: Math.max(0, current - first + 1) }, (_, ago) => current - ago)
}
