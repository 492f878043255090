import type { Audited } from './audit.ts'

/** A person's change to a building, with its name in the audit log. */
interface AuditedBuilding extends Audited {
  buildingId: string
  buildingName: string
}

export interface BuildingAdded extends AuditedBuilding {
  type: 'BuildingAdded'
}
export interface BuildingChanged extends AuditedBuilding {
  type: 'BuildingChanged'
}
/** It was saved without a change that the audit log names, such as the size of a floor. */
export interface BuildingSaved {
  type: 'BuildingSaved'
  buildingId: string
}
export interface FloorMoved extends AuditedBuilding {
  type: 'FloorMoved'
}
export interface FloorPlanUploaded extends AuditedBuilding {
  type: 'FloorPlanUploaded'
}
/** An import added, changed or removed it. The import records it in the audit log. */
export interface BuildingImported {
  type: 'BuildingImported'
  buildingId: string
}
/** An import added or changed floors of any buildings. */
export interface FloorsImported {
  type: 'FloorsImported'
}
/** An import that had added the floor was undone. */
export interface FloorRemoved {
  type: 'FloorRemoved'
  floorId: string
}

export type BuildingEvent =
  | BuildingAdded
  | BuildingChanged
  | BuildingSaved
  | FloorMoved
  | FloorPlanUploaded
  | BuildingImported
  | FloorsImported
  | FloorRemoved
