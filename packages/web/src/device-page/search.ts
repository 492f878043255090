/** What of an address the tabs of a device's page hold; each tab reads its own more closely when it is loaded. */
export interface DeviceSearch {
  view?: string
  range?: string
  from?: string
  to?: string
  date?: string
  topic?: string
  find?: string
  message?: string
  /** The connected device that is open. */
  device?: string
}

const names = ['view', 'range', 'from', 'to', 'date', 'topic', 'find', 'message', 'device'] as const

/** The search of an address without what is no text; a text of digits alone comes as a number. */
export function validDeviceSearch(search: Record<string, unknown>): DeviceSearch {
  return Object.fromEntries(
    names.flatMap((name) => (['string', 'number'].includes(typeof search[name]) ? [[name, String(search[name])]] : [])),
  )
}
