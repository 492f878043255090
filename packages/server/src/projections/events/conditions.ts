/** A fault as webhooks describe it: of the device itself, or of the equipment that it watches. */
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
