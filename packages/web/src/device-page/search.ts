/** What of an address the tabs of a device's page hold; each tab reads its own more closely when it is loaded. */
export interface DeviceSearch {
  view?: string
  range?: string
  from?: string
  to?: string
  /** The connected device that is open. */
  device?: string
}

const names = ['view', 'range', 'from', 'to', 'device'] as const

/** The search of an address without what is no text. */
export function validDeviceSearch(search: Record<string, unknown>): DeviceSearch {
  return Object.fromEntries(names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])))
}
