import type { AuditedDevice } from './devices.ts'

/** Tests of groups were planned; the group announces its new plan. */
export interface TestRunsPlanned {
  type: 'TestRunsPlanned'
  firstStartsAt: Date
}
/** A test of a group was planned again for lights that missed it. */
export interface TestRunRepeated {
  type: 'TestRunRepeated'
  groupId: string
  startsAt: Date
  deviceIds: readonly string[]
}
/** Its time came: it runs, no worker was running in time, or no light needs it any more. */
export interface TestRunBegan {
  type: 'TestRunBegan'
  groupId: string
  deviceIds: readonly string[]
}
export interface TestRunEnded {
  type: 'TestRunEnded'
  groupId: string
}
/** The state of a light in a run changed. */
export interface TestedLightChanged {
  type: 'TestedLightChanged'
  deviceId: string
}
/** A test of a single light was planned. */
export interface LightTestPlanned extends AuditedDevice {
  type: 'LightTestPlanned'
  startsAt: Date
}
export interface LightTestWithdrawn extends AuditedDevice {
  type: 'LightTestWithdrawn'
}

export type TestRunEvent =
  | TestRunsPlanned
  | TestRunRepeated
  | TestRunBegan
  | TestRunEnded
  | TestedLightChanged
  | LightTestPlanned
  | LightTestWithdrawn
