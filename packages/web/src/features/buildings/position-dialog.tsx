import { useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { IconMapPin } from '@tabler/icons-react'
import { numberIn } from '@caretaker/rules/forms/validators.ts'
import type { View } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import { MapView } from '../../map/map-view.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { Position } from './edits.ts'
import classes from './buildings.module.css'

interface PositionDialogProps {
  title: string
  position: Position
  onPosition: (position: Position) => void
  onClose: () => void
}

/** Five decimals are about a metre. */
export const degreesText = (degrees: number) => degrees.toFixed(5)

/** Where a building stands: its marker is dragged on a map or moved by arrow keys, or its coordinates are typed. */
export function PositionDialog({ title, position, onPosition, onClose }: PositionDialogProps) {
  const [place, setPlace] = useState(position)
  const [texts, setTexts] = useState(textsOf(position))
  const [view, setView] = useState<View>({ ...position, zoom: mapZooms.building })
  const faults = {
    lat: faultOf(texts.lat, 90, 'Latitude'),
    lng: faultOf(texts.lng, 180, 'Longitude'),
  }
  const move = (to: Position) => {
    setPlace(to)
    setTexts(textsOf(to))
  }
  const type = (field: keyof Position, text: string) => {
    setTexts((now) => ({ ...now, [field]: text }))
    if (faultOf(text, field === 'lat' ? 90 : 180, '')) return
    const typed = { ...place, [field]: numberIn(text)! }
    setPlace(typed)
    setView({ ...view, ...typed })
  }
  const isWrong = faults.lat !== undefined || faults.lng !== undefined
  return (
    <Dialog
      title={title}
      size="100%"
      onClose={onClose}
      actions={
        <>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button disabled={isWrong} onClick={() => onPosition(place)}>
            Use this position
          </Button>
        </>
      }
    >
      <div className={classes.positioning}>
        <div className={classes.ground}>
          <MapView
            label="Map of the building"
            view={view}
            onView={setView}
            markers={[
              {
                id: 'building',
                place,
                name: `The building at ${degreesText(place.lat)}, ${degreesText(place.lng)}`,
                look: <IconMapPin className={classes.pin} size={32} aria-hidden />,
                size: 32,
                selected: true,
                draggable: true,
              },
            ]}
            onMarkerDrag={(_id, to) => move(to)}
          />
        </div>
        <div className={classes.coordinates}>
          <TextInput
            label="Latitude"
            inputMode="decimal"
            value={texts.lat}
            error={faults.lat}
            onChange={(event) => type('lat', event.currentTarget.value)}
          />
          <TextInput
            label="Longitude"
            inputMode="decimal"
            value={texts.lng}
            error={faults.lng}
            onChange={(event) => type('lng', event.currentTarget.value)}
          />
          <p className={classes.hint}>Drag the marker, or move it by arrow keys, with Shift ten times as far.</p>
        </div>
      </div>
    </Dialog>
  )
}

const textsOf = ({ lat, lng }: Position) => ({ lat: degreesText(lat), lng: degreesText(lng) })

function faultOf(text: string, most: number, name: string): string | undefined {
  const degrees = numberIn(text)
  return degrees === undefined || Math.abs(degrees) > most ? `${name} must be from −${most} to ${most}` : undefined
}
