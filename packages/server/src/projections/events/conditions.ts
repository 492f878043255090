/** A fault as sent to webhooks: of the device itself, or of the equipment that it monitors. */
export interface Fault {
  kind: string
  source: string | undefined
  code: string
  description: string | null
}

export interface FaultBegan {
  type: 'FaultBegan'
  deviceId: string
  at: Date
  fault: Fault
}
export interface FaultEnded {
  type: 'FaultEnded'
  deviceId: string
  at: Date
  began: Date
  fault: Fault
}
export type ConditionEvent = FaultBegan | FaultEnded
