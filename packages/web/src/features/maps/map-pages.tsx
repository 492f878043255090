import { useActor } from '../../api/actor.ts'
import { MapPage } from './map-page.tsx'

/**
 * The map of devices (devices specification, section 2: FloorPlan). A building and floor in the address are shown with
 * their plan.
 */
export const FloorPlanPage = () => <MapPage key={useActor().tenant} of="devices" title="Floor Plan" />

/** The map of buildings, which opens a building and its floors (estate specification, section 4). */
export const BuildingMapPage = () => <MapPage key={useActor().tenant} of="buildings" title="Building map" />
