import { SegmentedControl } from '@mantine/core'
import type { MapKind } from './map-style.ts'
import classes from './land-switch.module.css'

/** Below what stands on a map: roads, or pictures from above. */
export const LandSwitch = ({ kind, onKind }: { kind: MapKind; onKind: (kind: MapKind) => void }) => (
  <SegmentedControl
    className={classes.switch}
    aria-label="Map"
    size="xs"
    data={[
      { value: 'roadmap', label: 'Roadmap' },
      { value: 'satellite', label: 'Satellite' },
    ]}
    value={kind}
    onChange={(value) => onKind(value === 'satellite' ? value : 'roadmap')}
  />
)
