import { lazily } from '../ui/lazily.tsx'
import type { MapViewProps } from './map-props.ts'
import classes from './map-view.module.css'

const Canvas = lazily(async () => (await import('./map-view.lazy.tsx')).default)

/**
 * A map with markers and plans on it, which fills its container. The program that draws the land is loaded when the first map is shown.
 * Where it cannot be drawn, or tiles do not come, everything on it stays and the map says so.
 */
export function MapView(props: MapViewProps) {
  return (
    <div className={classes.map}>
      <Canvas {...props} />
    </div>
  )
}
