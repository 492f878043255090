import type { Plan } from '@caretaker/rules/buildings/geometry.ts'
import { cornersOf } from '@caretaker/rules/buildings/geometry.ts'
import type { MapCamera } from '../map/camera.ts'

/** The style of a box that covers the plan on the map, with a margin in pixels. */
export function boxOf({ pixelOf }: MapCamera, plan: Plan, margin = 0): React.CSSProperties {
  const { x, y } = pixelOf(plan)
  const [topLeft, topRight] = cornersOf(plan).map(pixelOf)
  const scale = Math.hypot(topRight!.x - topLeft!.x, topRight!.y - topLeft!.y) / plan.width
  const [width, height] = [plan.width * scale + 2 * margin, plan.height * scale + 2 * margin]
  return {
    ...{ position: 'absolute', width, height },
    ...{ left: x - width / 2, top: y - height / 2, transform: `rotate(${plan.rotation}deg)` },
  }
}
