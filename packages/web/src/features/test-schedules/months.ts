export { monthAfter } from '@caretaker/rules/calendar/months.ts'

export const daysOf = (month: string): string[] => {
  const [year, number] = month.split('-').map(Number)
  const length = new Date(Date.UTC(year!, number!, 0)).getUTCDate()
  return Array.from({ length }, (_, day) => `${month}-${String(day + 1).padStart(2, '0')}`)
}

const names = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(',')
export const monthName = (month: string): string => names[Number(month.slice(5)) - 1]!
/** 'Nov', and 'Jan 27' at the start of a year. */
export const shortMonth = (month: string): string =>
  month.endsWith('-01') ? `Jan ${month.slice(2, 4)}` : monthName(month).slice(0, 3)
