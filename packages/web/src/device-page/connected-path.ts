import { pathTo } from '@caretaker/rules/links/places.ts'

/** The address of a connected device on the page of its module; for the module itself, its page. */
export function connectedPath(tenant: string, bcmId: string, deviceId: string): string {
  const page = pathTo(tenant, 'Boilers', bcmId)
  return deviceId.toLowerCase() === bcmId.toLowerCase() ? page : `${page}/connectedDevices?device=${deviceId}`
}
