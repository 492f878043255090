/** The address parameters of a device page; each tab validates its own when it is loaded. */
export interface DeviceSearch {
  view?: string
  range?: string
  from?: string
  to?: string
  date?: string
  topic?: string
  find?: string
  message?: string
  /** The open connected device. */
  device?: string
}

const names = ['view', 'range', 'from', 'to', 'date', 'topic', 'find', 'message', 'device'] as const

/** The text parameters of an address; a text of digits arrives as a number. */
export function validDeviceSearch(search: Record<string, unknown>): DeviceSearch {
  return Object.fromEntries(
    names.flatMap((name) => (['string', 'number'].includes(typeof search[name]) ? [[name, String(search[name])]] : [])),
  )
}
