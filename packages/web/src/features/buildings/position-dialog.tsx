import { useState } from 'react'
import type { KeyboardEvent } from 'react'
import { Button, TextInput } from '@mantine/core'
import { IconMapPin } from '@tabler/icons-react'
import { numberIn } from '@caretaker/rules/forms/validators.ts'
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

/** Metres of one degree of latitude. */
const metresOfDegree = 111_320

/** By metres to the north and the east. */
const moved = ({ lat, lng }: Position, north: number, east: number): Position => ({
  lat: Math.min(90, Math.max(-90, lat + north / metresOfDegree)),
  lng: ((lng + east / (metresOfDegree * Math.max(0.01, Math.cos((lat * Math.PI) / 180))) + 540) % 360) - 180,
})

const directions: Record<string, readonly [north: number, east: number]> = {
  ArrowUp: [1, 0],
  ArrowDown: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
}

/** Where a building stands: typed as coordinates, or moved by arrow keys. */
export function PositionDialog({ title, position, onPosition, onClose }: PositionDialogProps) {
  const [place, setPlace] = useState(position)
  const [texts, setTexts] = useState(textsOf(position))
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
    if (!faultOf(text, field === 'lat' ? 90 : 180, '')) setPlace((now) => ({ ...now, [field]: numberIn(text)! }))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const [north, east] = directions[event.key] ?? []
    if (north === undefined || east === undefined) return
    event.preventDefault()
    const step = event.shiftKey ? 10 : 1
    move(moved(place, north * step, east * step))
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
        <button type="button" className={classes.pin} onKeyDown={onKeyDown} data-autofocus aria-describedby="pin-keys">
          <IconMapPin size={28} aria-hidden />
          <span className="visually-hidden">
            The building at {degreesText(place.lat)}, {degreesText(place.lng)}
          </span>
        </button>
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
          <p id="pin-keys" className={classes.hint}>
            Arrow keys move the marker by a metre, with Shift by ten.
          </p>
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
