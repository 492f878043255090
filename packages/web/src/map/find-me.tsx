import { useEffect, useRef, useState } from 'react'
import type { Place } from '@caretaker/rules/maps/mercator.ts'
import { pixelsOfMetre } from '@caretaker/rules/maps/mercator.ts'
import { useMapCamera } from './camera.ts'
import classes from './map-view.module.css'

/** The user's position as reported by the browser. */
export interface Position extends Place {
  /** The accuracy in metres. */
  accuracy: number
}

/** Milliseconds within which the browser must find a position. */
const patience = 15_000

/** The messages for the error codes of a browser (W3C Geolocation). */
const notFound = 'The device could not find its position. Try again outdoors.'
const faults: Record<number, string> = {
  1: 'The browser does not allow this page to read your position. Allow it in the browser settings.',
  2: notFound,
  3: 'The device did not find its position in time. Try again outdoors.',
}

/** Asks the browser for the position, which asks the user for permission. The position does not leave the browser. */
export function useFindMe(onFound: (position: Position) => void) {
  const [state, setState] = useState<{ position?: Position; fault?: string; isLooking: boolean }>({ isLooking: false })
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  const find = () => {
    setState(({ position }) => ({ ...(position && { position }), isLooking: true }))
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        if (isGone.current) return
        const position = { lat: coords.latitude, lng: coords.longitude, accuracy: coords.accuracy }
        setState({ position, isLooking: false })
        onFound(position)
      },
      ({ code }) => {
        if (!isGone.current) setState({ fault: faults[code] ?? notFound, isLooking: false })
      },
      { enableHighAccuracy: true, timeout: patience, maximumAge: 10_000 },
    )
  }
  return { ...state, find }
}

/** A dot at the position of the user, in a circle with the radius of the accuracy. */
export function Me({ position }: { position: Position }) {
  const { view, pixelOf } = useMapCamera()
  const { x, y } = pixelOf(position)
  const across = 2 * position.accuracy * pixelsOfMetre({ lat: position.lat, zoom: view.zoom })
  return (
    <>
      <span className={classes.around} style={{ left: x, top: y, width: across, height: across }} aria-hidden />
      <span
        className={classes.me}
        style={{ left: x, top: y }}
        role="img"
        aria-label={`You are here, to within ${Math.ceil(position.accuracy).toLocaleString('en-GB')} m`}
      />
    </>
  )
}
