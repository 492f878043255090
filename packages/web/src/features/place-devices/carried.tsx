import { useEffect, useEffectEvent, useRef } from 'react'
import type { FloorDevice } from '@caretaker/contract/devices.ts'
import { distance, moved } from '@caretaker/rules/buildings/geometry.ts'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import { useMapCamera } from '../../map/camera.ts'
import { DevicePin, nameOf } from '../../plans/device-look.tsx'
import classes from './place-devices.module.css'

interface CarriedProps {
  device: FloorDevice
  at: Place
  others: readonly FloorDevice[]
  onMove: (to: Place) => void
  onDrop: () => void
  onPutBack: () => void
}

/** The device being placed: arrow keys move it, Enter drops it, Escape cancels. */
export function Carried({ device, at, others, onMove, onDrop, onPutBack }: CarriedProps) {
  const { pixelOf } = useMapCamera()
  const { x, y } = pixelOf(at)
  const pin = useRef<HTMLButtonElement>(null)
  const press = useEffectEvent((event: KeyboardEvent) => {
    const by = event.shiftKey ? 1 : 0.1
    const arrow = {
      ArrowUp: { east: 0, north: by },
      ArrowDown: { east: 0, north: -by },
      ArrowLeft: { east: -by, north: 0 },
      ArrowRight: { east: by, north: 0 },
    }[event.key]
    if (arrow) onMove(moved(at, arrow))
    else if (event.key === 'Enter' || event.key === ' ') {
      // The key that picked it up may still be held.
      if (!event.repeat) onDrop()
    } else if (event.key === 'Escape') onPutBack()
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  useEffect(() => {
    const { current } = pin
    current?.focus()
    // Handled before the map, which would pan.
    current?.addEventListener('keydown', press)
    return () => current?.removeEventListener('keydown', press)
  }, [])
  const nearest = nearestOf(at, others)
  const near = nearest && `${nearest.metres.toFixed(1)} m from ${nameOf(nearest.device)}`
  return (
    <>
      <span className={classes.level} style={{ top: y }} aria-hidden />
      <span className={classes.upright} style={{ left: x }} aria-hidden />
      <button
        ref={pin}
        type="button"
        className={classes.carried}
        style={{ left: x, top: y }}
        aria-label={`${nameOf(device)}, being placed. Arrow keys move it 10 cm, with Shift 1 m; Enter drops it, Escape puts it back.`}
        onClick={onDrop}
      >
        <DevicePin status={device.deviceStatus} />
      </button>
      <p className={classes.tip} style={{ left: x, top: y }} role="status">
        <b>{nameOf(device)}</b>
        {near && <span>{near}</span>}
      </p>
    </>
  )
}

function nearestOf(at: Place, others: readonly FloorDevice[]) {
  let nearest: { device: FloorDevice; metres: number } | undefined
  for (const device of others) {
    if (device.lat === null || device.long === null) continue
    const metres = distance(at, { lat: device.lat, lng: device.long })
    if (!nearest || metres < nearest.metres) nearest = { device, metres }
  }
  return nearest
}
