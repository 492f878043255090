import { lazily } from '../ui/lazily.tsx'
import type { MapViewProps } from './map-props.ts'
import classes from './map-view.module.css'

const Canvas = lazily(async () => (await import('./map-view.lazy.tsx')).default)

/**
 * A map with markers and plans that fills its container. The library for the background is loaded with the first map.
 * If it fails or tiles are missing, the items stay and the map shows a notice.
 */
export function MapView(props: MapViewProps) {
  return (
    <div className={classes.map}>
      <Canvas {...props} />
    </div>
  )
}
