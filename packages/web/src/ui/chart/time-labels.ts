const day = 86_400

const formatters = new Map<string, Intl.DateTimeFormat>()

function format(time: number, zone: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${zone} ${JSON.stringify(options)}`
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options })
  formatters.set(key, formatter)
  return formatter.format(time * 1000)
}

/**
 * Labels of a time axis: hours as HH:mm with the day at midnight ('Fri 13'), days as 'Fri 13' within four weeks and '13
 * Nov' beyond, months as 'Nov 2026'. Times, step and span in seconds.
 */
export function timeLabels(times: readonly number[], step: number, span: number, zone: string): string[] {
  return times.map((time) => {
    if (step >= 28 * day) return format(time, zone, { month: 'short', year: 'numeric' })
    const clock = format(time, zone, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
    if (step < day && clock !== '00:00') return clock
    if (span > 28 * day) return format(time, zone, { day: 'numeric', month: 'short' })
    return format(time, zone, { weekday: 'short', day: 'numeric' }).replace(',', '')
  })
}
