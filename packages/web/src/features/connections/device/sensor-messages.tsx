import { useInfiniteQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { useActor } from '../../../api/actor.ts'
import { MessagesView, useMessagePlace } from '../messages/messages-view.tsx'
import { sensorMessagesQuery } from '../queries.ts'
import classes from '../messages/messages.module.css'

/** The kept messages of a device: raw bytes, decoded object and stored readings. */
export function SensorMessages({ device: { deviceId } }: { device: Device }) {
  const { tenant } = useActor()
  const { place, asked } = useMessagePlace()
  const messages = useInfiniteQuery(sensorMessagesQuery(tenant, deviceId, asked))
  return (
    <div className={classes.card}>
      <MessagesView place={place} query={messages} />
    </div>
  )
}
