import { pathTo } from '@caretaker/rules/links/places.ts'

/** Where the page of a module shows a device that is connected to it; of the module itself its page. */
export function connectedPath(tenant: string, bcmId: string, deviceId: string): string {
  const page = pathTo(tenant, 'Boilers', bcmId)
  return deviceId.toLowerCase() === bcmId.toLowerCase() ? page : `${page}/connectedDevices?device=${deviceId}`
}
