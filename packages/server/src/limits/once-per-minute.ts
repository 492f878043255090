const minute = 60_000
const addressesAtMost = 1000

/** Reports an address at most once a minute, so that a flood of its calls does not fill the log. */
export function oncePerMinute(report: (address: string) => void) {
  const reportedAt = new Map<string, number>()
  return (address: string) => {
    const now = performance.now()
    if (now - (reportedAt.get(address) ?? -Infinity) < minute) return
    reportedAt.delete(address)
    reportedAt.set(address, now)
    if (reportedAt.size > addressesAtMost) reportedAt.delete(reportedAt.keys().next().value!)
    report(address)
  }
}
