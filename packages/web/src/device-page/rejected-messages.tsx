import { useState } from 'react'
import { IconAlertTriangle } from '../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { useZone } from '../ui/zone.tsx'
import { rejectedText } from './rejected-messages.ts'
import classes from './device.module.css'

/** A notice about rejected messages: reason, number and since when. */
export function RejectedNotice({ device }: { device: Device }) {
  const zone = useZone()
  const [opened] = useState(() => Date.now())
  const text = rejectedText(device.messagesNotTaken, opened, zone)
  if (!text) return undefined
  return (
    <p className={classes.notTaken} role="status">
      <IconAlertTriangle size={18} stroke={1.7} aria-hidden />
      <span>{text}</span>
    </p>
  )
}
