import { usePresence } from '../../api/actor.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { FloorScreen } from '../../plans/floor-screen.tsx'
import { FloorEditor } from './floor-editor.tsx'

/** The map on which a floor plan is positioned over its building. */
export function PositionFloorPage() {
  usePageTitle('Position floor', usePresence().client.displayName)
  return (
    <FloorScreen>
      {(building, floor) => <FloorEditor key={floor.floor} building={building} floor={floor} />}
    </FloorScreen>
  )
}
