/** A month some months later: '2026-11' and 2 give '2027-01'. */
export function monthAfter(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number)
  return new Date(Date.UTC(year!, number! - 1 + months)).toISOString().slice(0, 7)
}

export const daysOf = (month: string): string[] => {
  const [year, number] = month.split('-').map(Number)
  const length = new Date(Date.UTC(year!, number!, 0)).getUTCDate()
  return Array.from({ length }, (_, day) => `${month}-${String(day + 1).padStart(2, '0')}`)
}

const names = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(',')
export const monthName = (month: string): string => names[Number(month.slice(5)) - 1]!
/** 'Nov', and 'Jan 27' where a year begins. */
export const shortMonth = (month: string): string =>
  month.endsWith('-01') ? `Jan ${month.slice(2, 4)}` : monthName(month).slice(0, 3)
