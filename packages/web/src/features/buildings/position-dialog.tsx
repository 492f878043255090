import { useRef, useState } from 'react'
import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconMapPin } from '../../icons/index.ts'
import { numberIn } from '@caretaker/rules/forms/validators.ts'
import { farPlace, farPlaceText } from '@caretaker/rules/postcodes/far-places.ts'
import type { View } from '@caretaker/rules/maps/mercator.ts'
import { startView } from '@caretaker/rules/maps/mercator.ts'
import { mapZooms } from '@caretaker/rules/maps/zooms.ts'
import type { MapMarker } from '../../map/map-props.ts'
import { useActor } from '../../api/actor.ts'
import { MapView } from '../../map/map-view.tsx'
import { CancelButton, Dialog } from '../../ui/dialog.tsx'
import { useMapUndoKey } from '../../ui/undo-key.ts'
import type { Position } from './edits.ts'
import { postcodeQuery } from '../../api/postcode.ts'
import classes from './buildings.module.css'

interface PositionDialogProps {
  title: string
  /** The position; undefined if there is none. */
  position: Position | undefined
  /** The position is the centre of a district. */
  isApproximate?: boolean
  /** The postcode, empty if unknown: a position far from it asks for confirmation. */
  postcode: string
  onPosition: (position: Position) => void
  onClose: () => void
}

/** Five decimals of a degree are about a metre. */
export const degreesText = (degrees: number) => degrees.toFixed(5)

/** The position of a building: set by a click on the map, by dragging, by arrow keys or by typed coordinates. */
export function PositionDialog({
  title,
  position,
  isApproximate = false,
  postcode,
  onPosition,
  onClose,
}: PositionDialogProps) {
  const { data: centre } = useQuery(postcodeQuery(useActor().tenant, postcode))
  const [place, setPlace] = useState(position)
  const [texts, setTexts] = useState(position ? textsOf(position) : { lat: '', lng: '' })
  const [view, setView] = useState<View>(
    position ? { ...position, zoom: isApproximate ? mapZooms.district : mapZooms.building } : startView,
  )
  const faults = faultsOf(texts)
  const [past, setPast] = useState<readonly { place: Position | undefined; texts: typeof texts }[]>([])
  const remember = () => setPast([...past.slice(-99), { place, texts }])
  const undo = () => {
    const last = past.at(-1)
    if (!last) return
    setPast(past.slice(0, -1))
    setPlace(last.place)
    setTexts(last.texts)
  }
  useMapUndoKey(undo, { whileTyping: true })
  const isDragged = useRef(false)
  const move = (to: Position) => {
    setPlace(to)
    setTexts(textsOf(to))
  }
  const type = (field: keyof Position, text: string) => {
    const now = { ...texts, [field]: text }
    remember()
    setTexts(now)
    const wrong = faultsOf(now)
    if (wrong.lat !== undefined || wrong.lng !== undefined) return
    const typed = { lat: numberIn(now.lat)!, lng: numberIn(now.lng)! }
    setPlace(typed)
    setView({ ...typed, zoom: place ? view.zoom : mapZooms.building })
  }
  const isWrong = faults.lat !== undefined || faults.lng !== undefined
  const far = place && centre ? farPlace(place, centre) : undefined
  return (
    <Dialog
      title={title}
      size="100%"
      onClose={onClose}
      actions={
        <>
          <CancelButton />
          <Button disabled={isWrong || !place} onClick={() => place && onPosition(place)}>
            {far ? 'Use it anyway' : 'Use this position'}
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
            markers={place ? [markerAt(place)] : []}
            onMarkerDrag={(_id, to, dropped) => {
              // A drag is one undo step.
              if (!isDragged.current) remember()
              isDragged.current = !dropped
              move(to)
            }}
            onPress={(to) => {
              remember()
              move(to)
            }}
          />
        </div>
        <div className={classes.coordinates}>
          <TextInput
            label="Latitude"
            inputMode="decimal"
            value={texts.lat}
            error={texts.lat !== '' && faults.lat}
            onChange={(event) => type('lat', event.currentTarget.value)}
          />
          <TextInput
            label="Longitude"
            inputMode="decimal"
            value={texts.lng}
            error={texts.lng !== '' && faults.lng}
            onChange={(event) => type('lng', event.currentTarget.value)}
          />
          <p className={classes.hint}>
            {place
              ? 'Drag the marker, or move it with the arrow keys, with Shift ten times as far.'
              : 'Click the map where the building is, or type its coordinates.'}
          </p>
          {far && place && (
            <div role="alert" className={classes.far}>
              <p>{farPlaceText(far, postcode)}</p>
              {far.isExchanged && (
                <Button
                  variant="default"
                  onClick={() => {
                    const right = { lat: place.lng, lng: place.lat }
                    remember()
                    move(right)
                    setView({ ...view, ...right })
                  }}
                >
                  Swap them
                </Button>
              )}
            </div>
          )}
        </div>
      </div>
    </Dialog>
  )
}

const markerAt = (place: Position): MapMarker => ({
  id: 'building',
  place,
  name: `The building at ${degreesText(place.lat)}, ${degreesText(place.lng)}`,
  look: <IconMapPin className={classes.pin} size={32} aria-hidden />,
  size: 32,
  selected: true,
  draggable: true,
  movable: true,
})

const textsOf = ({ lat, lng }: Position) => ({ lat: degreesText(lat), lng: degreesText(lng) })

const faultsOf = ({ lat, lng }: { lat: string; lng: string }) => ({
  lat: faultOf(lat, 90, 'Latitude'),
  lng: faultOf(lng, 180, 'Longitude'),
})

function faultOf(text: string, most: number, name: string): string | undefined {
  const degrees = numberIn(text)
  return degrees === undefined || Math.abs(degrees) > most ? `${name} must be from −${most} to ${most}` : undefined
}
