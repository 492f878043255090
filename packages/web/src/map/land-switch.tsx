import { IconMap2, IconSatellite } from '../icons/index.ts'
import type { MapKind } from './map-style.ts'
import { MapSwitch } from './map-switch.tsx'

/** Switches the background of a map: roads or satellite images. */
export const LandSwitch = ({ kind, onKind }: { kind: MapKind; onKind: (kind: MapKind) => void }) => (
  <MapSwitch
    label="Map"
    choices={[
      { value: 'roadmap', label: 'Roadmap', icon: <IconMap2 size={15} stroke={1.7} aria-hidden /> },
      { value: 'satellite', label: 'Satellite', icon: <IconSatellite size={15} stroke={1.7} aria-hidden /> },
    ]}
    value={kind}
    onChange={onKind}
  />
)
