/** A validated and authorised device message whose tenant is known. */
export interface Incoming<P> {
  deviceId: string
  tenant: string
  payload: P
  receivedAt: Date
}
