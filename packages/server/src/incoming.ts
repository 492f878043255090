/** A message of a device that has passed the door: parsed, allowed, and its tenant known. */
export interface Incoming<P> {
  deviceId: string
  tenant: string
  payload: P
  receivedAt: Date
}
