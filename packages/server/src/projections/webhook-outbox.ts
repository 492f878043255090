import type { TenantTx } from '../postgres/tenant.ts'
import type { Happened } from './outbox.ts'
import { tell } from './outbox.ts'
import type { DomainEvent } from './event.ts'

/** The message that webhooks send of an event; undefined where none is sent. */
export function messageOf(event: DomainEvent): Happened | undefined {
  switch (event.type) {
    case 'DeviceStatusChanged':
      return {
        ...{ event: 'device.statusChanged', deviceId: event.deviceId, at: event.at },
        data: { from: event.before, to: event.after },
      }
    case 'DeviceConnectionChanged':
      return {
        ...{ event: 'device.connectionChanged', deviceId: event.deviceId, at: event.at },
        data: { from: event.before, to: event.after },
      }
    case 'FaultBegan':
      return { event: 'fault.began', deviceId: event.deviceId, at: event.at, data: { fault: event.fault } }
    case 'FaultEnded':
      return {
        ...{ event: 'fault.ended', deviceId: event.deviceId, at: event.at },
        data: { fault: { ...event.fault, began: event.began.toISOString() } },
      }
    default:
      return undefined
  }
}

/** Enqueues a delivery for each endpoint that subscribed to an event. Where there is no endpoint, it costs one read. */
export async function enqueueWebhooks(tx: TenantTx, events: readonly DomainEvent[]): Promise<void> {
  await tell(
    tx,
    events.flatMap((event) => messageOf(event) ?? []),
  )
}
