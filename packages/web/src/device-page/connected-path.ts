import { pathTo } from '@caretaker/rules/links/places.ts'

/** The address of a connected device on its module's page; for the module itself, the address of that page. */
export function connectedPath(tenant: string, bcmId: string, deviceId: string): string {
  const page = pathTo(tenant, 'Boilers', bcmId)
  return deviceId.toLowerCase() === bcmId.toLowerCase() ? page : `${page}/connectedDevices?device=${deviceId}`
}
