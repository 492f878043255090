/** The address in a Zigbee network (IEEE EUI-64) in a reported state, as 16 hexadecimal digits; null where there is none. */
export function eui64In(reported: Readonly<Record<string, unknown>>): string | null {
  const told = reported['eui64']
  if (typeof told !== 'string') return null
  const digits = told.replaceAll(/[:-]/g, '').toLowerCase()
  return /^[0-9a-f]{16}$/.test(digits) ? digits : null
}
